"""The front matter of a page in Markdown: `key: value` between two lines of `---`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from pincite.answering.sentences import Sentence

_FENCE: Final = "---"
_KEY: Final = re.compile(r"[\w-]+:")
_OF_VALUE: Final = re.compile(r"[ \t-]")


def end_of_front_matter(text: str) -> int:
    """Where the front matter ends that a text begins with, 0 for none. Values come after a key.
    Takes time linear in the text."""
    end, has_key = 0, False
    for number, line in enumerate(text.splitlines(keepends=True)):
        end += len(line)
        is_fence = line.rstrip() == _FENCE
        if not number:
            if not is_fence:
                return 0
        elif is_fence:
            return end if has_key else 0
        elif _KEY.match(line):
            has_key = True
        elif not (has_key and _OF_VALUE.match(line)) and line.strip() and line[0] != "#":
            return 0
    return 0


def entries(text: str, end: int) -> Iterator[Sentence]:
    """The keys of front matter, each with all lines of its value, as headings that are items."""
    at, begun, stop = 0, -1, 0
    for line in text[:end].splitlines(keepends=True):
        is_key = _KEY.match(line) is not None
        if begun >= 0 and (is_key or line[0] == "#" or line.rstrip() == _FENCE):
            yield Sentence(begun, stop, heading=True, item=True)
            begun = -1
        if is_key:
            begun = at
        if line.strip():
            stop = at + len(line.rstrip())
        at += len(line)
