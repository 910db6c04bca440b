"""Running headers, footers and page numbers: lines that repeat at the edge of several pages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from pincite.readers.pdf.layout import Line

_ZONE: Final = 0.2  # of the page's height at its top and bottom
_EDGE_LINES: Final = 2  # rows at either edge that are looked at
_MOST_LINES: Final = 24  # parts of these rows
_FEW_WORDS: Final = 4  # around a number that is counted on, as in "page 3 of 20"
_SAME_PLACE: Final = 4.0  # points
_NEAR: Final = 3  # pages before and after; left and right pages have different headers
_SHARE: Final = 0.3  # of the pages count as the edge says: these are page numbers
_NUMBER = re.compile(r"(?<![\d.])\d{1,5}(?![\d.]*\d)")
_ROMAN = re.compile(r"[ivxlcdm]{1,8}", re.IGNORECASE)


def marginal_lines(
    pages: Sequence[tuple[float, Sequence[Line]]],
) -> list[set[int]]:
    """Return, for each page, the `id()` of the lines that are running headers or footers. A page is
    given as (height in points, lines)."""
    edges = [_edges(height, lines) for height, lines in pages]
    found: list[set[int]] = [set() for _ in pages]
    if len(pages) < 2:
        return found
    offsets = _offsets(edges)
    for page, own in enumerate(edges):
        near = [
            (other, line)
            for other in range(max(0, page - _NEAR), min(len(edges), page + _NEAR + 1))
            if other != page
            for line in edges[other]
        ]
        for line in own:
            counted = any(int(number) - page in offsets for number in _at_ends(line.text))
            repeated = any(
                abs(line.top - other.top) <= _SAME_PLACE
                and _follows(line.text, other.text, distance - page)
                for distance, other in near
            )
            if counted or repeated:
                found[page].add(id(line))
    return found


def _edges(height: float, lines: Sequence[Line]) -> list[Line]:
    """Return the lines in the outermost rows at the top and at the bottom."""
    top = [line for line in lines if line.middle < _ZONE * height]
    bottom = [line for line in lines if line.middle > (1 - _ZONE) * height]
    return [*_outermost(top, 1), *_outermost(bottom, -1)]


def _outermost(lines: Sequence[Line], direction: int) -> list[Line]:
    rows: list[float] = []
    found = []
    for line in sorted(lines, key=lambda one: direction * one.middle):
        if not rows or abs(line.middle - rows[-1]) > _SAME_PLACE:
            if len(rows) == _EDGE_LINES:
                break
            rows.append(line.middle)
        found.append(line)
        if len(found) == _MOST_LINES:
            break
    return found


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
    if len(numbers) != len(others) or _NUMBER.sub("#", text) != _NUMBER.sub("#", other):
        return False
    return all(
        int(two) - int(one) in {0, distance} for one, two in zip(numbers, others, strict=True)
    )
