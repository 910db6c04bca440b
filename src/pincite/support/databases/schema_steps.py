"""The numbered steps that create the tables of a database: SQL files in a package, in order.

Processes of the previous version continue while a newer one migrates. So a step only adds. A later
release removes tables and columns that the previous version needs, in a step whose name ends in
`_contract`. A database records the names of its steps: a process that finds an unknown step of this
kind stops.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import resources
from typing import Final

from pincite.errors import SchemaTooNew

_FORM: Final = re.compile(r"(\d{4})_[a-z_]+\.sql")
#: The number of steps that a database has taken, and the number of the last one that previous
#: versions cannot work with; both 0 for none. `{}` is the table of steps.
TAKEN: Final = """
    SELECT count(*), coalesce(max(CASE WHEN name LIKE '%!_contract' ESCAPE '!'
        THEN number ELSE 0 END), 0) FROM {}
"""


@dataclass(frozen=True, slots=True)
class Step:
    """A step. `name` is that of its file without the suffix; `number` counts from 1 without
    gaps."""

    number: int
    name: str
    sql: str


def steps_after(done: int, needed: int, steps: tuple[Step, ...], what: str) -> tuple[Step, ...]:
    """Return the steps that the database `what` has not taken. It has taken `done` steps; `needed`
    is the last one that previous versions cannot work with. Raises SchemaTooNew if this step is not
    among `steps`."""
    if needed > len(steps):
        raise SchemaTooNew(
            f"{what} has step {needed} of a newer version, which this Pincite cannot work with: it"
            f" knows {len(steps)}",
            hint="pip install --upgrade pincite",
        )
    return steps[done:]


def read_steps(package: str, *folders: str) -> tuple[Step, ...]:
    """Return all steps in the folder of a package, in order."""
    found = []
    for file in resources.files(package).joinpath(*folders).iterdir():
        if matched := _FORM.fullmatch(file.name):
            text = file.read_text(encoding="utf-8")
            found.append(Step(int(matched[1]), file.name.removesuffix(".sql"), text))
    return tuple(sorted(found, key=lambda one: one.number))
