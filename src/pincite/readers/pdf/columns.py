"""Reading order: text in columns is read column by column."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import median
from typing import Final

from pincite.readers.pdf.layout import Placed, Run

_DEPTH: Final = 6
_EDGE: Final = 0.12  # of the width: a gap nearer to the edge parts labels from text, not columns
_CROSSING: Final = 0.5  # of all letters may be across a gutter, as in titles and wide tables
_LETTERS: Final = 15  # letters in a line of a column, on average; cells of tables have fewer
_LINES: Final = 3  # lines in a column
#: Shares of the letters that may cross a gutter. The fine shares find a gutter beside a short
#: column, which has few more letters than the gutter; both sides must then be full lines of text.
_LIMITS: Final = (0.02, 0.1, 0.25, _CROSSING)
_FINE_LIMITS: Final = tuple(step / 50 for step in range(1, round(_CROSSING * 50) + 1))
_FULL_LETTERS: Final = 25  # letters in a full line of a column, on average
_LONG: Final = 8  # lines of a column beside which a shorter one has `_FEW_LINES`
_FEW_LINES: Final = 2
_SAME_LEFT: Final = 2.0  # points
_TRIED: Final = 8  # gutters of one kind
_NARROWEST: Final = 6.0  # points
_WIDE: Final = 0.55  # of the width: a line of no column
#: Of a column's width: the median of its lines in a section. With .7, a table of sentences passed.
_FILLED: Final = 0.8
_MOST_SECTIONS: Final = 16  # of one page to search


def in_reading_order(items: Sequence[Placed], depth: int = 0) -> list[list[Placed]]:
    """Return the columns in reading order, each with its items in the order given. Items that span
    all columns divide the page into bands, which are read from top to bottom."""
    if depth >= _DEPTH or len(items) < 2 * _LINES:
        return [list(items)] if items else []
    gutter = _gutter(items, _KINDS)
    if gutter is not None:
        return _by_gutter(items, gutter, depth)
    return [list(items)] if depth else _with_sections(items)


def _by_gutter(items: Sequence[Placed], gutter: float, depth: int) -> list[list[Placed]]:
    """Return the columns on both sides of the gutter, and the items that cross it, in reading
    order."""
    columns: list[list[Placed]] = []
    for across, band in _bands(items, gutter):
        if across:
            columns += in_reading_order(band, depth + 1) if len(band) < len(items) else [band]
            continue
        for side in _sides(band, gutter):
            columns += in_reading_order(side, depth + 1)
    return columns


def _with_sections(items: Sequence[Placed]) -> list[list[Placed]]:
    """Return the columns of a page that has text over its whole width and, above or below it,
    sections with columns. These have too few letters for their gutter to be found on the whole
    page."""
    width = max(one.right for one in items) - min(one.left for one in items)
    stretches: list[list[list[Placed]]] = [[[]]]  # of rows, the first of them a wide one
    for row in _rows(items):
        if any(one.right - one.left > _WIDE * width for one in row):
            stretches.append([row])
        else:
            stretches[-1].append(row)
    columns: list[list[Placed]] = []
    wide: list[Placed] = []
    tried = 0
    for rows in stretches:
        inner = [one for row in rows[1:] for one in row] if len(rows) > _LINES else []
        gutter = None
        if inner and tried < _MOST_SECTIONS:
            tried += 1
            gutter = _gutter(inner, ((_FINE_LIMITS, _parts_section),))
        if gutter is None:
            wide += [one for row in rows for one in row]
            continue
        begin = 1  # after the last line of a paragraph above the section
        while all(one.left < gutter for one in rows[begin]):
            begin += 1
        wide += [one for row in rows[:begin] for one in row]
        columns += [wide] if wide else []
        columns += _by_gutter([one for row in rows[begin:] for one in row], gutter, 1)
        wide = []
    if not columns:
        return [list(items)]
    return [*columns, wide] if wide else columns


def _gutter(items: Sequence[Placed], kinds: Sequence[_Kind]) -> float | None:
    """Return the x position, in points, of a vertical gap between columns of running text; None
    without one. `kinds` are tried in their order."""
    left, right = min(one.left for one in items), max(one.right for one in items)
    width = right - left
    if not 40 < width < 20_000:
        return None
    covered = [0.0] * (math.ceil(width) + 2)
    for one in items:
        # A box takes its letters' room and half a point less on both sides.
        start, end = math.ceil(one.left - left), math.floor(one.right - left)
        covered[start] += _letters(one)
        covered[max(start, end) + 1] -= _letters(one)
    total, run = sum(map(_letters, items)), 0.0
    depths = []
    for change in covered:
        run += change
        depths.append(run)
    for limits, parts in kinds:
        inner = [
            (limit, abs(middle - width / 2), middle)
            for limit, middle in _valleys(depths, total, limits)
            if _EDGE * width < middle < (1 - _EDGE) * width
        ]
        best = [middle for _, _, middle in sorted(inner)]
        if limits is _FINE_LIMITS:  # several limits mostly find the same stretches
            best = list(dict.fromkeys(best))
        for middle in best[:_TRIED]:
            if parts(items, left + middle):
                return left + middle
    return None


def _valleys(
    depths: Sequence[float], total: float, limits: Sequence[float]
) -> list[tuple[float, float]]:
    """Return (limit, middle) of each stretch that is wide enough to separate columns and that at
    most this share of the letters crosses. `depths` counts the letters at each point from the left.
    """
    found = []
    for limit in limits:
        start: int | None = None
        for position, depth in enumerate((*depths, math.inf)):
            if depth <= limit * total:
                start = position if start is None else start
            elif start is not None:
                if position - start >= _NARROWEST:
                    found.append((limit, (start + position) / 2))
                start = None
    return found


def _parts_columns(items: Sequence[Placed], gutter: float) -> bool:
    """Return whether both sides of the gutter have running text."""
    sides = _between(items, gutter)
    if sum(map(_letters, [*sides[0], *sides[1]])) < (1 - _CROSSING) * sum(map(_letters, items)):
        return False
    return all(_is_running_text(side, _LINES, _LETTERS) for side in sides)


def _parts_full_columns(items: Sequence[Placed], gutter: float) -> bool:
    """Return whether both sides of the gutter have full lines of text, of which most begin at the
    same place. The second column may be short, as on the last page of a paper."""
    left, right = _between(items, gutter)
    few = _FEW_LINES if len(_rows(left)) >= _LONG else _LINES
    return (
        _is_running_text(left, _LINES, _FULL_LETTERS)
        and _is_running_text(right, few, _FULL_LETTERS)
        and all(map(_is_aligned, (left, right)))
    )


def _parts_section(items: Sequence[Placed], gutter: float) -> bool:
    """Return whether both sides have full lines of text, most of which are as long as the column.
    Cells of a table and comments beside code are not."""
    sides = _between(items, gutter)
    return _parts_full_columns(items, gutter) and all(map(_is_filled, sides))


def _is_filled(side: Sequence[Placed]) -> bool:
    """Return whether most lines end near the right edge."""
    left, right = min(one.left for one in side), max(one.right for one in side)
    ends = [max(one.right for one in row) - left for row in _rows(side)]
    return median(ends) >= _FILLED * (right - left)


def _between(items: Sequence[Placed], gutter: float) -> tuple[list[Placed], list[Placed]]:
    """Return the items on each side of the gutter, from the bands without items that cross it."""
    sides: tuple[list[Placed], list[Placed]] = ([], [])
    for across, band in _bands(items, gutter):
        if not across:
            for side, some in zip(sides, _sides(band, gutter), strict=True):
                side.extend(some)
    return sides


def _is_running_text(side: Sequence[Placed], lines: int, letters: int) -> bool:
    rows = _rows(side)
    return len(rows) >= lines and sum(map(_letters, side)) >= letters * len(rows)


def _is_aligned(side: Sequence[Placed]) -> bool:
    """Return whether most lines begin at the left edge."""
    lefts = [min(one.left for one in row) for row in _rows(side)]
    edge = min(lefts, default=0.0)
    return 2 * sum(left - edge <= _SAME_LEFT for left in lefts) > len(lefts)


#: Limits to try, and a function that returns whether a gutter separates columns.
_Kind = tuple[Sequence[float], Callable[[Sequence[Placed], float], bool]]
_KINDS: Final[tuple[_Kind, ...]] = (
    (_LIMITS, _parts_columns),
    (_FINE_LIMITS, _parts_full_columns),
)


def _rows(side: Sequence[Placed]) -> list[list[Placed]]:
    rows: list[list[Placed]] = []
    for one in sorted(side, key=lambda one: one.middle):
        if not rows or one.middle - rows[-1][0].middle > 0.5 * (one.bottom - one.top):
            rows.append([])
        rows[-1].append(one)
    return rows


def _bands(items: Sequence[Placed], gutter: float) -> list[tuple[bool, list[Placed]]]:
    """Return the bands of the page from top to bottom: whether its items cross the gutter, and the
    items."""
    crossing = [one for one in items if one.left < gutter - 1 and one.right > gutter + 1]
    heights = _merged([(one.top, one.bottom) for one in crossing])
    bands: list[tuple[bool, list[Placed]]] = []
    position = 0
    for one in sorted(items, key=lambda one: (one.middle, one.left)):
        while position < len(heights) and heights[position][1] < one.middle:
            position += 1
        across = position < len(heights) and heights[position][0] <= one.middle
        if not bands or bands[-1][0] != across:
            bands.append((across, []))
        bands[-1][1].append(one)
    return bands


def _merged(spans: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    merged: list[tuple[float, float]] = []
    for top, bottom in sorted(spans):
        if merged and top <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(merged[-1][1], bottom)
        else:
            merged.append((top, bottom))
    return merged


def _sides(band: Sequence[Placed], gutter: float) -> tuple[list[Placed], list[Placed]]:
    return (
        [one for one in band if (one.left + one.right) / 2 < gutter],
        [one for one in band if (one.left + one.right) / 2 >= gutter],
    )


def _letters(one: Placed) -> float:
    """Return the number of letters; tables and pictures count by their width."""
    if isinstance(one, Run):
        return float(len(one.glyphs))
    return max(1.0, (one.right - one.left) / 5)
