"""The entries of a page's front matter as headings: YAML between `---`, TOML between `+++`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pincite.answering.sentences.split import Sentence
from pincite.readers.front_matter_end import begins_entry

_NO_VALUE: Final = ("#", "[")  # comments, and tables of TOML


def entries(text: str, end: int) -> Iterator[Sentence]:
    """Yield the entries of front matter, each with all lines of its value, as headings that are
    items."""
    lines = text[:end].splitlines(keepends=True)
    mark = lines[0].rstrip() if lines else ""
    at, begun, stop = 0, -1, 0
    for number, line in enumerate(lines):
        is_key = 0 < number < len(lines) - 1 and begins_entry(line, mark)
        if begun >= 0 and (is_key or line[0] in _NO_VALUE or number == len(lines) - 1):
            yield Sentence(begun, stop, heading=True, item=True)
            begun = -1
        if is_key:
            begun = at
        if line.strip():
            stop = at + len(line.rstrip())
        at += len(line)
