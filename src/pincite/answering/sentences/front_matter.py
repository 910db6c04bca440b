"""The front matter of a page in Markdown: YAML between two lines of `---`, TOML between `+++`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pincite.answering.sentences.split import Sentence

_MARKS: Final = ("---", "+++")
_NAME: Final = r"(?:[\w-]++|\"[^\"\n]{1,99}\"|'[^'\n]{1,99}')"
#: What begins an entry, by the mark around the front matter.
_KEYS: Final = {
    "---": re.compile(rf"{_NAME}(?:\.{_NAME})*+[ \t]*:"),
    "+++": re.compile(rf"{_NAME}(?:\.{_NAME})*+[ \t]*="),
}
_OF_VALUE: Final = re.compile(r"[ \t-]")
_NO_VALUE: Final = ("#", "[")  # comments, and tables of TOML


def end_of_front_matter(text: str) -> int:
    """Where the front matter ends that a text begins with, 0 for none. In YAML, values come after a
    key. Takes time linear in the text."""
    end, has_key, mark = 0, False, ""
    for number, line in enumerate(text.splitlines(keepends=True)):
        end += len(line)
        bare = line.rstrip()
        if not number:
            mark = bare
            if mark not in _MARKS:
                return 0
        elif bare == mark or (bare == "..." and mark == "---"):
            return end if has_key else 0
        elif _KEYS[mark].match(line):
            has_key = True
        elif mark == "---" and not (has_key and _OF_VALUE.match(line)) and bare and line[0] != "#":
            return 0
    return 0


def entries(text: str, end: int) -> Iterator[Sentence]:
    """The keys of front matter, each with all lines of its value, as headings that are items."""
    lines = text[:end].splitlines(keepends=True)
    mark = lines[0].rstrip() if lines else ""
    at, begun, stop = 0, -1, 0
    for number, line in enumerate(lines):
        is_key = _KEYS[mark].match(line) is not None
        if begun >= 0 and (is_key or line[0] in _NO_VALUE or number == len(lines) - 1):
            yield Sentence(begun, stop, heading=True, item=True)
            begun = -1
        if is_key:
            begun = at
        if line.strip():
            stop = at + len(line.rstrip())
        at += len(line)
