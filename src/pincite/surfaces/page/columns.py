"""The lines of a document for the page: long lines are cut around their cited part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from pincite.citations.passage import Passage
from pincite.model.citation import parse_citation
from pincite.surfaces.page.colours import Line

MOST_COLUMNS: Final = 2_000  # characters shown of a line
#: From 0, the end is excluded.
Columns = tuple[int, int]


@dataclass(frozen=True, slots=True)
class ShownText:
    """Lines of a document, and the cited columns by line; both count from 0. `partly`: only a part
    of a line is cited, and the line is too long to show."""

    text: str
    cited: Mapping[int, Columns]
    partly: bool


def shown_text(cited: Passage, around: Passage) -> ShownText:
    """Return the lines around a passage. Of a longer line, `MOST_COLUMNS` characters are shown: in
    a cited line with the cited columns in their middle, else the first ones. `…` marks a cut."""
    lines = around.text.replace("\r\n", "\n").split("\n")
    columns = dict(_cited_columns(cited, around, lines))
    shown, marks, partly = list[str](), dict[int, Columns](), False
    for row, line in enumerate(lines):
        first, last = columns.get(row, (0, 0))
        begin, end = _window(len(line), first, last)
        before, after = "…" * (begin > 0), "…" * (end < len(line))
        shown.append(f"{before}{line[begin:end]}{after}")
        if row in columns:
            shift = len(before) - begin
            marks[row] = first + shift, min(last, end) + shift
            partly = partly or (end - begin < len(line) and last - first < len(line))
    return ShownText("\n".join(shown), marks, partly)


def parted(line: Line, columns: Columns) -> tuple[Line, tuple[int, int]]:
    """Return the pieces of a line, cut at both ends of the columns, with the numbers of the first
    piece within them and of the first piece after them."""
    found, at = list[tuple[str, str]](), 0
    first = last = 0
    for kind, piece in line:
        places = (0, *(min(max(0, one - at), len(piece)) for one in columns), len(piece))
        for part, (begin, end) in enumerate(pairwise(places)):
            if begin < end:
                found.append((kind, piece[begin:end]))
                first += part == 0
                last += part <= 1
        at += len(piece)
    return found, (first, last)


def _cited_columns(
    cited: Passage, around: Passage, lines: list[str]
) -> Iterator[tuple[int, Columns]]:
    """Yield the cited lines, as numbers in `lines`, each with its cited columns."""
    place = _characters(cited, around) or _lines(cited, around)
    if place is None:
        return
    (row, first), (last_row, last) = place
    for at in range(max(0, row), min(last_row, len(lines) - 1) + 1):
        length = len(lines[at])
        end = length if at < last_row or last is None else min(last, length)
        yield at, (min(first, end) if at == row else 0, end)


_Place = tuple[tuple[int, int], tuple[int, int | None]]


def _characters(cited: Passage, around: Passage) -> _Place | None:
    """Return the (line, column) of the first character and of the end, all from 0, for passages
    that are cited by characters; None for others."""
    if cited.start_char is None or cited.end_char is None or around.start_char is None:
        return None
    first = max(0, cited.start_char - around.start_char)
    last = max(first, cited.end_char - around.start_char)
    begins, ends = (around.text.rfind("\n", 0, one) + 1 for one in (first, max(first, last - 1)))
    rows = around.text.count("\n", 0, begins), around.text.count("\n", 0, ends)
    return (rows[0], first - begins), (rows[1], last - ends)


def _lines(cited: Passage, around: Passage) -> _Place | None:
    """Return the result of `_characters` for a passage that is cited by lines. The last column is
    None if the last line is whole."""
    if not cited.start_line or not around.start_line:
        return None
    named, outer = parse_citation(cited.citation), parse_citation(around.citation)
    first = ((named and named.start_column) or 1) - 1
    last = named.end_column if named else None
    rows = cited.start_line - around.start_line, cited.end_line - around.start_line
    if outer and outer.start_column:  # the surrounding text begins within a line
        shift = outer.start_column - 1
        first -= shift if rows[0] == 0 else 0
        last = last - shift if last is not None and rows[1] == 0 else last
    return (rows[0], first), (rows[1], last)


def _window(length: int, first: int, last: int) -> Columns:
    """Return the columns of a line to show, around its cited columns."""
    if length <= MOST_COLUMNS:
        return 0, length
    spare = max(0, MOST_COLUMNS - (last - first))
    begin = max(0, min(first - spare // 2, length - MOST_COLUMNS))
    return begin, begin + MOST_COLUMNS
