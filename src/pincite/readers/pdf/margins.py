"""Running headers, footers and page numbers: lines that repeat at the edge of several pages."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from pincite.readers.pdf.layout import Line, Style, around
from pincite.readers.pdf.paragraphs import LARGER, body_size

_ZONE: Final = 0.2  # of the page's height at its top and bottom
_EDGE_LINES: Final = 2  # rows to compare at either edge
_MOST_LINES: Final = 24  # parts of these rows
_FEW_WORDS: Final = 4  # around a number that is counted on, as in "page 3 of 20"
_SAME_PLACE: Final = 4.0  # points
_NEAR: Final = 3  # pages before and after; left and right pages have different headers
_SHARE: Final = 0.3  # of the pages have a number with this offset: these are page numbers
_ALIKE: Final = 0.8  # of the outermost rows at a height: these may be running headers
_SURE: Final = 0.15  # of them are marginal for other reasons
_BEGINNING: Final = 12  # letters and digits by which titles are compared
_MOST_WORDS: Final = 40  # of a header
_MOST_LETTERS: Final = 500  # of a header
_NUMBER = re.compile(r"(?<![\d.])\d{1,5}(?![\d.]*\d)")
_ROMAN = re.compile(r"[ivxlcdm]{1,8}", re.IGNORECASE)
Rows = Sequence[Sequence[Line]]


def marginal_lines(
    pages: Sequence[tuple[float, Sequence[Line]]],
) -> list[set[int]]:
    """Return, for each page, the `id()` of the lines that are running headers or footers. A page is
    given as (height in points, lines)."""
    found: list[set[int]] = [set() for _ in pages]
    if len(pages) < 2:
        return found
    edges = [_edges(height, lines) for height, lines in pages]
    offsets = _offsets([[line for row in (*top, *bottom) for line in row] for top, bottom in edges])
    large = LARGER * body_size([line for _, lines in pages for line in lines])
    titles = _titles(pages, edges, large)
    for edge in range(2):
        rows = [both[edge] for both in edges]
        for page, line in (*_repeated(rows), *_counted(rows, offsets)):
            found[page].add(id(line))
        for page, line in tuple(_beside_repeated(rows, found, titles, large)):
            found[page].add(id(line))
    return found


def _repeated(edges: Sequence[Rows]) -> Iterator[tuple[int, Line]]:
    """Yield lines that occur at the same height on a near page, as (page, line). Rows are compared
    as well: on a page with columns, the parts of a header are lines of different columns."""
    parts = [[line for row in rows for line in row] for rows in edges]
    whole = [[_joined(row) for row in rows] for rows in edges]
    for page, rows in enumerate(edges):
        near_parts, near_rows = _near(page, parts), _near(page, whole)
        for row, joined in zip(rows, whole[page], strict=True):
            same_row = _stands_in(joined, near_rows)
            for line in row:
                if same_row or _stands_in(line, near_parts):
                    yield page, line


def _joined(row: Sequence[Line]) -> Line:
    text = " ".join(line.text for line in sorted(row, key=lambda one: one.left))
    return Line(*around(row), text, row[0].style)


def _stands_in(line: Line, near: Sequence[tuple[int, Line]]) -> bool:
    return any(
        abs(line.top - other.top) <= _SAME_PLACE and _follows(line.text, other.text, distance)
        for distance, other in near
    )


def _counted(edges: Sequence[Rows], offsets: Collection[int]) -> Iterator[tuple[int, Line]]:
    """Yield lines with the number of their page, as (page, line): of each page the outermost row
    with such a line. A heading or a footnote may have the number of its page by chance, so a line
    with words beside its number needs more evidence: a near page with the same words, or a height
    at which at least as many lines have only the number or such evidence."""
    numbered = [_numbered(page, rows, offsets) for page, rows in enumerate(edges)]
    sure: list[float] = []
    unsure: list[tuple[int, Line]] = []
    for page, lines in enumerate(numbered):
        words = {_without_numbers(other.text) for _, other in _near(page, numbered)}
        for line in lines:
            own = _without_numbers(line.text)
            if own in words or not any(letter.isalpha() for letter in own):
                sure.append(line.top)
                yield page, line
            else:
                unsure.append((page, line))
    sure.sort()
    tops = sorted(line.top for _, line in unsure)
    for page, line in unsure:
        if _at_height(sure, line.top) >= _at_height(tops, line.top):
            yield page, line


def _beside_repeated(
    edges: Sequence[Rows], found: Sequence[Collection[int]], titles: Collection[str], large: float
) -> Iterator[tuple[int, Line]]:
    """Yield lines of outermost rows that name a chapter or a section, as (page, line). They differ
    from page to page, but are at a height that only such rows have: separate from the text, in one
    style below `large` points, and some of them marginal for other reasons. `found` has the `id()`
    of those, `titles` the beginnings of headings."""
    outer = [(page, rows[0], _stands_apart(rows)) for page, rows in enumerate(edges) if rows]
    heights: defaultdict[Style | None, list[float]] = defaultdict(list)
    sure: defaultdict[Style, list[float]] = defaultdict(list)
    for page, row, apart in sorted(outer, key=lambda one: one[1][0].top):
        style, top = row[0].style, row[0].top
        heights[None].append(top)
        if apart:
            heights[style].append(top)
        if apart and id(row[0]) in found[page]:
            sure[style].append(top)
    for page, row, apart in outer:
        style, top = row[0].style, row[0].top
        if not apart or style.size >= large or id(row[0]) in found[page]:
            continue
        alike = _at_height(heights[style], top)
        if alike < _ALIKE * _at_height(heights[None], top):
            continue
        if _at_height(sure[style], top) < max(3, _SURE * alike):
            continue
        if _is_named(_joined(row).text, titles):
            yield from ((page, line) for line in row)


def _stands_apart(rows: Rows) -> bool:
    """Return whether there is more than a line's space between the two outermost rows."""
    if len(rows) < 2:
        return True
    first, second = (around(row) for row in rows)
    return max(second[1] - first[3], first[1] - second[3]) > rows[0][0].style.size


def _titles(
    pages: Sequence[tuple[float, Sequence[Line]]], edges: Sequence[tuple[Rows, Rows]], large: float
) -> set[str]:
    """Return the first letters of all lines that may be headings, bold or of `large` points or
    more, and are not in an outermost row."""
    outermost = {id(line) for both in edges for rows in both for row in rows[:1] for line in row}
    lines = (line for _, lines in pages for line in lines if id(line) not in outermost)
    return {_beginning(line.text) for line in lines if line.style.bold or line.style.size >= large}


def _beginning(text: str) -> str:
    bare = "".join(letter for letter in text[: 2 * _BEGINNING].casefold() if letter.isalnum())
    return bare[:_BEGINNING]


def _is_named(text: str, titles: Collection[str]) -> bool:
    """Return whether the text, or its end from some word on, begins like a heading elsewhere: for
    example the title of a section after that of its chapter."""
    words = text[:_MOST_LETTERS].split(" ", _MOST_WORDS)
    tails = (_beginning(" ".join(words[first:])) for first in range(len(words)))
    return any(len(tail) > 1 and tail in titles for tail in tails)


def _numbered(page: int, rows: Rows, offsets: Collection[int]) -> list[Line]:
    """Return the lines with the number of the page, of the outermost row that has one."""
    for row in rows:
        found = [
            line for line in row if any(int(one) - page in offsets for one in _at_ends(line.text))
        ]
        if found:
            return found
    return []


def _near(page: int, lines: Sequence[Sequence[Line]]) -> list[tuple[int, Line]]:
    """Return the lines of near pages as (pages after this one, line)."""
    return [
        (other - page, line)
        for other in range(max(0, page - _NEAR), min(len(lines), page + _NEAR + 1))
        if other != page
        for line in lines[other]
    ]


def _at_height(tops: Sequence[float], top: float) -> int:
    """Return how many of the sorted positions are the same place."""
    return bisect_right(tops, top + _SAME_PLACE) - bisect_left(tops, top - _SAME_PLACE)


def _edges(height: float, lines: Sequence[Line]) -> tuple[Rows, Rows]:
    """Return the outermost rows at the top and at the bottom, from the edge inwards."""
    top = [line for line in lines if line.middle < _ZONE * height]
    bottom = [line for line in lines if line.middle > (1 - _ZONE) * height]
    return _outermost(top, 1), _outermost(bottom, -1)


def _outermost(lines: Sequence[Line], direction: int) -> Rows:
    rows: list[list[Line]] = []
    ordered = sorted(lines, key=lambda one: direction * one.middle)
    for line in ordered[:_MOST_LINES]:
        if not rows or abs(line.middle - rows[-1][0].middle) > _SAME_PLACE:
            if len(rows) == _EDGE_LINES:
                break
            rows.append([])
        rows[-1].append(line)
    return rows


def _at_ends(text: str) -> list[str]:
    """Return the numbers at the beginning and at the end of a line."""
    return [
        match[0]
        for match in _NUMBER.finditer(text)
        if match.start() == 0 or match.end() == len(text)
    ]


def _offsets(edges: Sequence[Sequence[Line]]) -> set[int]:
    """Return the differences between numbers at the edges and the positions of their pages, if they
    occur on many pages: these are page numbers."""
    counts: Counter[int] = Counter()
    for page, lines in enumerate(edges):
        counts.update({int(number) - page for line in lines for number in _at_ends(line.text)})
    least = max(3, _SHARE * len(edges))
    return {offset for offset, count in counts.items() if count >= least}


def _follows(text: str, other: str, distance: int) -> bool:
    """Return whether two lines are the same running line, `distance` pages apart: equal, or with
    numbers that increase by that distance."""
    if text == other:
        return True
    if _ROMAN.fullmatch(text) and _ROMAN.fullmatch(other):
        return True
    if not _at_ends(text) and len(text.split()) > _FEW_WORDS:
        return False
    numbers, others = _NUMBER.findall(text), _NUMBER.findall(other)
    if len(numbers) != len(others) or _without_numbers(text) != _without_numbers(other):
        return False
    return all(
        int(two) - int(one) in {0, distance} for one, two in zip(numbers, others, strict=True)
    )


def _without_numbers(text: str) -> str:
    return _NUMBER.sub("#", text)
