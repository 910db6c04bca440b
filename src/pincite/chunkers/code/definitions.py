"""The definitions of a file of code, and the definition that contains each line."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pincite.chunkers.pieces import Path

DEEPEST = 8  #: names in a symbol path; real code has fewer
NAME_CHARS = 80  #: longer names are shortened
_PATH = re.compile(r"\w+(?:(?:\.|::)\w+)*(?=\s?<|\Z)")


class Definition(msgspec.Struct, frozen=True):
    """A definition. Rows count from 0, and `last` is inclusive. `path` are the names of the
    surrounding definitions, then its own. `symbol` is its name, "" for a construct that has members
    but defines nothing itself."""

    first: int
    last: int
    start_byte: int
    end_byte: int
    path: Path
    symbol: str
    name_row: int


class Definitions:
    """All definitions of a file, in the order of their starts, outer before inner. Names found
    `by_line`, and `values` (constants and fields), have a row, but no end and no members."""

    def __init__(
        self,
        found: list[Definition],
        rows: int,
        by_line: Iterable[tuple[int, str]] = (),
        values: Iterable[tuple[int, str]] = (),
    ) -> None:
        self.all = found
        self._starts = [each.first for each in found]
        self._start_bytes = [each.start_byte for each in found]
        named = sorted([*((each.name_row, each.symbol) for each in found), *by_line])
        self._named = _Names((row, name) for row, symbol in named for name in names_of(symbol))
        self.values = sorted(values, key=_row)
        self._values = _Names(self.values)
        self._lasts: dict[int, int] = {}  # by row of a name: the last row of its definition
        for each in found:
            self._lasts[each.name_row] = max(each.last, self._lasts.get(each.name_row, -1))
        self._enclosing = _sweep(found, rows)

    def path_at(self, row: int) -> Path:
        """Return the symbol path of the innermost definition around this row."""
        return self._enclosing[row]

    def outermost_within(self, first: int, last: int) -> list[Definition]:
        """Return the first two definitions that are completely in rows first..last, and not in
        another such definition."""
        found: list[Definition] = []
        index = bisect_left(self._starts, first)
        while index < len(self.all) and len(found) < 2:
            each = self.all[index]
            if each.first > last:
                break
            if each.last <= last:
                found.append(each)
                index = bisect_left(self._start_bytes, each.end_byte, index + 1)
            else:
                index += 1
        return found

    def begins_in(self, first: int, last: int) -> bool:
        """Return whether a definition has its name in rows first..last and its end below them.
        Takes time linear in the number of these rows."""
        return any(self._lasts.get(row, -1) > last for row in range(first, last + 1))

    def symbols_in(self, first: int, last: int) -> list[str]:
        """Return the names of the definitions in rows first..last, in order."""
        return self._named.between(first, last)

    def values_in(self, first: int, last: int) -> list[str]:
        """Return the names of the values in these rows, in order."""
        return self._values.between(first, last)


class _Names:
    """Names in the order of their rows."""

    def __init__(self, named: Iterable[tuple[int, str]]) -> None:
        self._rows: list[int] = []
        self._names: list[str] = []
        for row, name in named:
            self._rows.append(row)
            self._names.append(name)

    def between(self, first: int, last: int) -> list[str]:
        low = bisect_left(self._rows, first)
        return self._names[low : bisect_left(self._rows, last + 1, low)]


def _row(named: tuple[int, str]) -> int:
    return named[0]


def names_of(symbol: str) -> tuple[str, ...]:
    """Return the names by which a definition can be found: its name, the name without template
    arguments, and the last part of a path (`Conn` of `Plug.Conn`)."""
    if not symbol:
        return ()
    if symbol.isascii() and symbol.isidentifier():
        return (symbol,)  # as below; most are such names
    path = _PATH.match(symbol)
    ends = symbol.endswith(">") or len(symbol) == NAME_CHARS  # its arguments may be cut off
    if path is None or (path.end() != len(symbol) and not ends):
        return (symbol,)
    bare = path[0]
    return tuple(dict.fromkeys((symbol, bare, re.split(r"\.|::", bare)[-1])))


def _sweep(found: list[Definition], rows: int) -> list[Path]:
    """Return the path of the innermost definition of each row, () outside of definitions."""
    row = min(found[0].first, rows) if found else rows
    paths: list[Path] = [()] * row
    stack: list[Definition] = []
    upcoming = 0
    while row < rows and (stack or upcoming < len(found)):
        while upcoming < len(found) and found[upcoming].first <= row:
            each = found[upcoming]
            upcoming += 1
            while stack and stack[-1].end_byte <= each.start_byte:
                stack.pop()
            stack.append(each)
        while stack and stack[-1].last < row:
            stack.pop()
        paths.append(stack[-1].path if stack else ())
        row += 1
    return [*paths, *[()] * (rows - row)]
