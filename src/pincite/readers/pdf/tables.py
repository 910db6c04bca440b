"""Tables: cells between rules, and rows between horizontal rules only."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from pincite.readers.pdf.characters import runs_of
from pincite.readers.pdf.layout import Block, Glyph, Placed, around
from pincite.readers.pdf.lines import lines_of

MOST_RULES: Final = 1500  #: of one page in one direction; drawings have more
_MOST_CELLS: Final = 20_000
_SNAP: Final = 2.5  # points between two rules that are one
_REACH: Final = 3.0  # points by which a rule may miss the one that it ends at
_LEVEL_RULES: Final = 3  # above the header, below it, below the table
_CELL_LETTERS: Final = 40  # letters of a cell, on average; running text between rules has more


@dataclass(slots=True)
class _Grid:
    """A grid of rules: x positions (`across`) and y positions (`down`) in points."""

    across: list[float]
    down: list[float]
    owner: dict[tuple[int, int], int]  #: the cell that each field belongs to


def tables_of(
    level: Sequence[Placed], upright: Sequence[Placed], glyphs: Sequence[Glyph]
) -> tuple[list[Block], list[Glyph]]:
    """Return the tables of a page from top to bottom, and the glyphs outside of them. `level` and
    `upright` are horizontal and vertical rules."""
    tables: list[Block] = []
    rest = list(glyphs)
    if not level or max(len(level), len(upright)) > MOST_RULES:
        return tables, rest
    groups = _touching(level, upright)
    level_only = [rule for rules, others in groups if not others for rule in rules]
    for rules, others in groups:
        if others and len(rules) > 1:
            table, rest = _between_rules(rules, others, rest)
            if table is not None:
                tables.append(table)
    for rules in _of_one_width(level_only):
        table, rest = _between_level_rules(rules, rest)
        if table is not None:
            tables.append(table)
    return sorted(tables, key=lambda one: (one.top, one.left)), rest


def _touching(
    level: Sequence[Placed], upright: Sequence[Placed]
) -> list[tuple[list[Placed], list[Placed]]]:
    """Return groups of rules that cross or touch, each as (horizontal, vertical)."""
    parents = list(range(len(level) + len(upright)))

    def root(one: int) -> int:
        while parents[one] != one:
            parents[one] = parents[parents[one]]
            one = parents[one]
        return one

    for j, other in enumerate(upright):
        for i, rule in enumerate(level):
            if (
                rule.left - _REACH <= other.right
                and other.left <= rule.right + _REACH
                and other.top - _REACH <= rule.bottom
                and rule.top <= other.bottom + _REACH
            ):
                parents[root(len(level) + j)] = root(i)
    groups: defaultdict[int, tuple[list[Placed], list[Placed]]] = defaultdict(lambda: ([], []))
    for i, rule in enumerate(level):
        groups[root(i)][0].append(rule)
    for j, rule in enumerate(upright):
        groups[root(len(level) + j)][1].append(rule)
    return [group for _, group in sorted(groups.items())]


def _snapped(values: Sequence[float]) -> list[float]:
    found: list[float] = []
    for value in sorted(values):
        if not found or value - found[-1] > _SNAP:
            found.append(value)
    return found


def _between_rules(
    level: Sequence[Placed], upright: Sequence[Placed], glyphs: list[Glyph]
) -> tuple[Block | None, list[Glyph]]:
    left, top, right, bottom = around([*level, *upright])
    across = _snapped([left, right, *((one.left + one.right) / 2 for one in upright)])
    down = _snapped([top, bottom, *(one.middle for one in level)])
    columns, rows = len(across) - 1, len(down) - 1
    if columns < 2 or rows < 1 or columns * rows > _MOST_CELLS:
        return None, glyphs
    grid = _Grid(across, down, _cells(across, down, level, upright))
    return _filled(grid, glyphs, least_rows=2 if columns < 3 else 1)


def _cells(
    across: Sequence[float], down: Sequence[float],
    level: Sequence[Placed], upright: Sequence[Placed],
) -> dict[tuple[int, int], int]:  # fmt: skip
    """Return the cell of each field, by (row, column). Fields without a rule between them are one
    cell, numbered by its first field."""
    columns, rows = len(across) - 1, len(down) - 1
    below = {
        (_nearest(down, one.middle), column)
        for one in level
        for column in range(columns)
        if one.left - _REACH <= across[column] and across[column + 1] <= one.right + _REACH
    }
    beside = {
        (row, _nearest(across, (one.left + one.right) / 2))
        for one in upright
        for row in range(rows)
        if one.top - _REACH <= down[row] and down[row + 1] <= one.bottom + _REACH
    }
    owner: dict[tuple[int, int], int] = {}
    for row in range(rows):
        for column in range(columns):
            if (row, column) in owner:
                continue
            cell = owner[row, column] = row * columns + column
            waiting = [(row, column)]
            while waiting:
                y, x = waiting.pop()
                for other, drawn in (
                    ((y + 1, x), (y + 1, x) in below),
                    ((y - 1, x), (y, x) in below),
                    ((y, x + 1), (y, x + 1) in beside),
                    ((y, x - 1), (y, x) in beside),
                ):
                    inside = 0 <= other[0] < rows and 0 <= other[1] < columns
                    if inside and not drawn and other not in owner:
                        owner[other] = cell
                        waiting.append(other)
    return owner


def _nearest(values: Sequence[float], value: float) -> int:
    position = bisect_right(values, value + _SNAP) - 1
    return max(0, position)


def _filled(grid: _Grid, glyphs: list[Glyph], least_rows: int) -> tuple[Block | None, list[Glyph]]:
    """Return the table with the text of its cells, and the glyphs outside of it. If the text does
    not look like a table, return None and all glyphs."""
    columns, rows = len(grid.across) - 1, len(grid.down) - 1
    texts: defaultdict[int, list[Glyph]] = defaultdict(list)
    outside: list[Glyph] = []
    for glyph in glyphs:
        x, y = (glyph.left + glyph.right) / 2, (glyph.top + glyph.bottom) / 2
        field = bisect_right(grid.down, y) - 1, bisect_right(grid.across, x) - 1
        if 0 <= field[0] < rows and 0 <= field[1] < columns:
            texts[grid.owner[field]].append(glyph)
        else:
            outside.append(glyph)
    table: list[list[str]] = [[""] * columns for _ in range(rows)]
    for cell, some in texts.items():
        lines = lines_of(runs_of(some))
        text = " ".join(line.text for line in lines)
        table[cell // columns][cell % columns] = " ".join(text.replace("\u00ad", "").split())
    used = [row for row in table if any(row)]
    kept = [x for x in range(columns) if any(row[x] for row in used)]
    shown = tuple(tuple(row[x] for x in kept) for row in used)
    full = sum(1 for row in shown for cell in row if cell)
    if len(kept) < 2 or len(shown) < least_rows or 3 * full < len(shown) * len(kept):
        return None, glyphs
    if not any(sum(map(bool, row)) > 1 for row in shown):
        return None, glyphs
    box = grid.across[0], grid.down[0], grid.across[-1], grid.down[-1]
    edges = tuple(round(grid.across[x], 1) for x in kept)
    return Block(*box, "table", "", rows=shown, columns=edges), outside


def _of_one_width(level: Sequence[Placed]) -> list[list[Placed]]:
    """Return groups of horizontal rules with equal ends, each from top to bottom."""
    found: defaultdict[tuple[int, int], list[Placed]] = defaultdict(list)
    for one in sorted(level, key=lambda one: one.top):
        for key in found:
            if abs(key[0] - one.left) <= 2 * _SNAP and abs(key[1] - one.right) <= 2 * _SNAP:
                found[key].append(one)
                break
        else:
            found[round(one.left), round(one.right)].append(one)
    return [some for some in found.values() if len(some) >= _LEVEL_RULES]


def _between_level_rules(
    rules: Sequence[Placed], glyphs: list[Glyph]
) -> tuple[Block | None, list[Glyph]]:
    left, top, right, bottom = around(rules)
    inner = [
        one
        for one in glyphs
        if left - 1 <= (one.left + one.right) / 2 <= right + 1
        and top <= (one.top + one.bottom) / 2 <= bottom
    ]
    runs = runs_of([one for one in inner if one.text != " "])
    if not runs:
        return None, glyphs
    across = _snapped([left, *_gaps(runs, left, right), right])
    lines = lines_of(runs)
    down = _rows(_snapped([one.middle for one in rules]), lines)
    columns, rows = len(across) - 1, len(down) - 1
    letters = len([one for one in inner if one.text != " "])
    if columns < 2 or rows < 2 or columns * rows > _MOST_CELLS:
        return None, glyphs
    if letters > _CELL_LETTERS * columns * rows:
        return None, glyphs
    owner = {(y, x): y * columns + x for y in range(rows) for x in range(columns)}
    return _filled(_Grid(across, down, owner), glyphs, least_rows=2)


def _gaps(runs: Sequence[Placed], left: float, right: float) -> list[float]:
    """Return the middles, in points, of the vertical stretches without text."""
    found, reached = [], left
    for one in sorted(runs, key=lambda one: one.left):
        if one.left - reached >= 4.0 and reached > left:
            found.append((reached + one.left) / 2)
        reached = max(reached, one.right)
    return [one for one in found if left < one < right]


def _rows(rules: Sequence[float], lines: Sequence[Placed]) -> list[float]:
    """Return the row boundaries in points: the rules, if few lines are between each two, else a
    boundary after each line."""
    counts = [
        sum(1 for line in lines if top <= line.middle < bottom) for top, bottom in pairwise(rules)
    ]
    filled = [count for count in counts if count]
    if len(filled) >= 4 and max(filled) <= 6:
        return list(rules)
    between = [(one.bottom + two.top) / 2 for one, two in pairwise(lines)]
    return _ascending([rules[0], *between, rules[-1]])


def _ascending(values: Sequence[float]) -> list[float]:
    found: list[float] = []
    for value in values:
        if not found or value > found[-1]:
            found.append(value)
    return found
