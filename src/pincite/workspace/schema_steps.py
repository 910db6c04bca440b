"""The numbered steps that make the tables of workspaces: files in `migrations/`, in order."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import resources
from typing import Final, Literal

from pincite.errors import WorkspaceUnavailable

_FORM: Final = re.compile(r"(\d{4})_[a-z_]+\.sql")


@dataclass(frozen=True, slots=True)
class Step:
    """`name` is that of its file without the ending; `number` counts from 1 without gaps."""

    number: int
    name: str
    sql: str


def steps_of(database: Literal["sqlite", "postgres"]) -> tuple[Step, ...]:
    """All there are, in order."""
    folder = resources.files("pincite.workspace") / "migrations" / database
    found = []
    for file in folder.iterdir():
        if matched := _FORM.fullmatch(file.name):
            text = file.read_text(encoding="utf-8")
            found.append(Step(int(matched[1]), file.name.removesuffix(".sql"), text))
    return tuple(sorted(found, key=lambda one: one.number))


def steps_after(done: int, steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Those that a database has not seen. Raises WorkspaceUnavailable where it has seen more than
    there are."""
    if done > len(steps):
        raise WorkspaceUnavailable(
            f"the database of workspaces has schema {done}, this Pincite knows {len(steps)}: a"
            " newer version has migrated it",
            hint="pip install --upgrade pincite",
        )
    return steps[done:]
