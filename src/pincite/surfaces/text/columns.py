"""One line of a text within the columns of a terminal: cut, or wrapped onto several rows."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

from pincite.support.terminal import Painted
from pincite.surfaces.text.highlight import Mark

_MATCH, _DIM = "1;31", "2"


def cut(line: str, marks: Sequence[Mark], width: int) -> Iterator[str | Painted]:
    """Yield the part of a line that fits in `width` columns, with its marks in colour. If the first
    mark would not be in it, the part begins later."""
    begin = 0
    if marks and len(line) > width and marks[0].end > width - 4:
        begin = max(0, min(marks[0].start - width // 4, len(line) - width + 3))
        yield Painted("...", _DIM)
        width -= 3
    end = _fitting(line, begin, width)
    short = end < len(line)
    end = max(begin, end - 3) if short else end
    yield from painted(line, marks, begin, end)
    if short:
        yield Painted("...", _DIM)


def wrapped(
    line: str, marks: Sequence[Mark], width: int, indent: str, most: int, rest: str
) -> Iterator[str | Painted]:
    """Yield a line on rows of `width` columns, with its marks in colour. Each further row begins
    with a newline and `indent`. At most `most` rows are shown; if the first mark would not be in
    them, they begin near it. Then a last row has the number of characters left out, and `rest`
    (a hint how to see them), if there is room. Spaces at the end of a row are left out."""
    begin, rows = 0, _rows(line, 0, width, most)
    if rows and rows[-1][1] < len(line) and marks and marks[0].end > rows[-1][1]:
        begin = max(0, marks[0].start - width // 4)
        begin = line.find(" ", begin, marks[0].start) + 1 or begin
        yield Painted("...", _DIM)
        rows = _rows(line, begin, width - 3, most)
    for n, (start, end) in enumerate(rows):
        if n:
            yield f"\n{indent}"
        yield from painted(line, marks, start, start + len(line[start:end].rstrip(" ")))
    left = len(line) - (rows[-1][1] - begin if rows else 0)
    if left:
        yield f"\n{indent}"
        said = f"... {left} more character{'s' if left > 1 else ''} {rest}"
        yield Painted(said if len(said) <= width else f"... {left} more", _DIM)


def painted(line: str, marks: Sequence[Mark], begin: int, end: int) -> Iterator[str | Painted]:
    """Yield `line[begin:end]` with its marks in colour."""
    at = begin
    for mark in marks:
        start, stop = max(mark.start, at), min(mark.end, end)
        if start < stop:
            yield line[at:start]
            yield Painted(line[start:stop], _MATCH)
            at = stop
    yield line[at:end]


def _rows(line: str, begin: int, width: int, most: int) -> list[tuple[int, int]]:
    """Return the start and the end of at most `most` rows. A row ends after a space, or within a
    word that is longer than a row."""
    rows: list[tuple[int, int]] = []
    at = begin
    while at < len(line) and len(rows) < most:
        end = max(_fitting(line, at, width), at + 1)
        if end < len(line):
            space = line.rfind(" ", at, end + 1)
            if space >= 0 and line[at:space].strip():
                end = space + 1
        rows.append((at, end))
        at = end
    return rows


def _fitting(line: str, begin: int, width: int) -> int:
    """Return the end of the longest part from `begin` that fits in `width` columns."""
    end, columns = begin, 0
    while end < len(line):
        columns += _columns(line[end])
        if columns > width:
            break
        end += 1
    return end


def _columns(character: str) -> int:
    if character.isascii():
        return 1
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
