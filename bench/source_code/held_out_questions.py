"""The questions of `held_out.json`, and whether the checkouts that they are about are right."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Final, Literal

import msgspec

QUESTIONS: Final = Path(__file__).with_name("held_out.json")

Set = Literal["folders", "later folders", "latest folders", "whole trees"]


class Asked(msgspec.Struct, frozen=True):
    """A question, its kind, and the files that answer it: paths from the root of the checkout."""

    question: str
    kind: str
    relevant: tuple[str, ...]


class HeldOut(msgspec.Struct, frozen=True):
    """A repository at a commit. `name` is OWNER/NAME; `folders` are indexed, all if empty."""

    name: str
    commit: str
    language: str
    set: Set
    folders: tuple[str, ...]
    questions: tuple[Asked, ...]

    def place(self, trees: Path) -> Path:
        """Where its checkout is expected."""
        return trees / self.name.replace("/", "+")


def read_questions(path: Path = QUESTIONS) -> list[HeldOut]:
    """The repositories with their questions."""
    return msgspec.json.decode(path.read_bytes(), type=list[HeldOut])


def labels_of(one: HeldOut, asked: Asked) -> tuple[str, str]:
    """The set of a question, and its part: by kind in whole trees, otherwise by language."""
    part = asked.kind if one.set == "whole trees" else one.language
    return one.set, f"{one.set}, {part}"


def fault_of(one: HeldOut, trees: Path) -> str:
    """What is wrong with its checkout, with the commands that mend it. Empty if nothing is."""
    place = one.place(trees)
    checkout = f"git -C {place} checkout {one.commit}"
    if not (place / ".git").exists():
        return f"no checkout: git clone https://github.com/{one.name} {place} && {checkout}"
    head = ("git", "-C", str(place), "rev-parse", "HEAD")
    commit = subprocess.run(head, capture_output=True, text=True, check=False).stdout.strip()
    if commit != one.commit:
        return f"the checkout is at {commit or 'no commit'}: {checkout}"
    relevant = {path for asked in one.questions for path in asked.relevant}
    lacking = sorted(path for path in relevant if not (place / path).is_file())
    return f"the checkout has no {', '.join(lacking)}: {checkout} -- ." if lacking else ""


def indexed(one: HeldOut, trees: Path, work: Path) -> Path:
    """What is indexed: the checkout, or a copy of its folders in `work`. Paths in both are those of
    the checkout."""
    tree = one.place(trees)
    for folder in one.folders:
        shutil.copytree(tree / folder, work / folder, symlinks=True)
    return work if one.folders else tree.resolve()
