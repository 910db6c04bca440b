"""What people and programs do to a folder of notes, at random, and what of it is to be indexed."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Final

_FOLDERS: Final = 4
_STEPS: Final = (
    *("new", "edit", "edit", "append", "saved by rename", "remove", "move", "move a folder"),
    *("ignore", "into an ignored folder", "out of an ignored folder", "same size", "a burst"),
)
#: No file of this folder is indexed, whatever else is ignored.
IGNORED: Final = "build"


def begin(docs: Path, files: int) -> None:
    """A folder with so many notes."""
    docs.mkdir(parents=True)
    _write(docs / ".gitignore", f"{IGNORED}/\n")
    for number in range(files):
        _write(docs / f"d{number % _FOLDERS}/s{number % 3}/page{number}.md", _text(number, 0.0))


def step(docs: Path, dice: random.Random, number: int) -> str:
    """One thing that is done; returns what. Each takes well under a millisecond."""
    files = notes(docs)
    text = _text(number, dice.random())
    fresh = docs / f"d{dice.randrange(_FOLDERS)}/s{dice.randrange(3)}/f{number}.md"
    what = dice.choice(_STEPS)
    if what == "new" or len(files) < _FOLDERS:
        _write(fresh, text)
        return "new"
    one = dice.choice(files)
    if what == "edit":
        _write(one, text)
    elif what == "append":
        with one.open("a", encoding="utf-8") as file:
            file.write(f"\nIt says appended{number} here.\n")
    elif what == "saved by rename":
        beside = one.with_name(f".{one.name}.{number}.tmp")
        _write(beside, text)
        beside.replace(one)
    elif what == "remove":
        one.unlink()
    elif what == "move":
        fresh.parent.mkdir(parents=True, exist_ok=True)
        one.rename(fresh)
    elif what == "move a folder" and one.parent != docs:
        one.parent.rename(docs / f"moved{number}")
    elif what == "ignore":
        _write(docs / ".gitignore", f"{IGNORED}/\nd{dice.randrange(_FOLDERS)}/\n")
    elif what == "into an ignored folder":
        (docs / IGNORED).mkdir(exist_ok=True)
        one.rename(docs / IGNORED / f"f{number}.md")
    elif what == "out of an ignored folder":
        hidden = sorted((docs / IGNORED).glob("*.md"))
        fresh.parent.mkdir(parents=True, exist_ok=True)
        (hidden[0] if hidden else one).rename(fresh)
    elif what == "same size":
        seen = one.stat()
        _write(one, "x" * seen.st_size)
        os.utime(one, ns=(seen.st_atime_ns, seen.st_mtime_ns + 1))
    elif what == "a burst":
        for other in dice.sample(files, min(20, len(files))):
            _write(other, f"{text}\n{other.name}\n")
    return what


def notes(docs: Path) -> list[Path]:
    """All notes that are outside of the folder that is always ignored."""
    found = (path for path in docs.rglob("*.md") if IGNORED not in path.relative_to(docs).parts)
    return sorted(path for path in found if path.is_file() and not path.name.startswith("."))


def indexed(docs: Path) -> dict[str, str]:
    """The text of each note that an index of the folder has, by path."""
    lines = (docs / ".gitignore").read_text(encoding="utf-8").split()
    shown = (path for path in notes(docs) if f"{path.relative_to(docs).parts[0]}/" not in lines)
    return {str(path.relative_to(docs)): path.read_text(encoding="utf-8") for path in shown}


def _text(number: int, salt: float) -> str:
    return f"# Page {number}\n\nThe fox of step{number}, {salt}.\n"


def _write(place: Path, text: str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")
