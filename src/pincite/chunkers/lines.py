"""A document's text as lines with their costs, the unit of all chunkers."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from pincite.chunkers.budget import cumulative_cost
from pincite.chunkers.least_cost import with_least
from pincite.chunkers.small_texts import SMALL, costs

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def _next_start(start: int, line: str) -> int:
    return start + len(line) + 1


class Lines:
    """The lines of a text, divided at "\\n". Indices count from 0, and ranges are half open."""

    def __init__(self, text: str, cost_until: NDArray[np.float64] | None = None) -> None:
        """Compute the cost of each line. `cost_until`, of shape (len(text) + 1,), replaces the
        cumulative cost of the text if the encoded text is another one."""
        self.text = text
        pieces = text.split("\n")
        if pieces[-1] == "":
            pieces.pop()
        self.lines: list[str] = pieces
        starts = list(accumulate(pieces, _next_start, initial=0))
        starts[-1] = len(text)
        self.starts = starts  #: of each line, and the end of the text
        self.cost_until: NDArray[np.float64] | list[float]  #: by character
        self.cost_before: list[float]  #: by line
        if cost_until is None and SMALL.take(text):
            self.cost_until = until = with_least(costs(text))
            self.cost_before = [until[start] for start in starts]
        else:
            known = with_least(cumulative_cost(text) if cost_until is None else cost_until)
            self.cost_until = known
            self.cost_before = known[starts].tolist()
        self.parsed: dict[tuple[int, int, int], Any] = {}  #: a parser's cache, by range
        self.blank: list[bool] = [not line or line.isspace() for line in pieces]

    def __len__(self) -> int:
        return len(self.lines)

    def cost(self, first: int, last: int) -> float:
        """Return the estimated word pieces of lines `first` to `last` (exclusive)."""
        return self.cost_before[last] - self.cost_before[first]

    def trim(self, first: int, last: int) -> tuple[int, int]:
        """Return the range without surrounding blank lines; empty if all are blank."""
        while first < last and self.blank[first]:
            first += 1
        while last > first and self.blank[last - 1]:
            last -= 1
        return first, last

    def end_of(self, line: int) -> int:
        """Return the end of the line, before its "\\n" or "\\r\\n"."""
        end = self.starts[line] + len(self.lines[line])
        if end < len(self.text) and self.text[end - 1 : end] == "\r" and end > self.starts[line]:
            return end - 1
        return end

    def line_at(self, position: int) -> int:
        """Return the line that contains the character at this position."""
        return min(bisect_right(self.starts, position), len(self.lines)) - 1

    def indent(self, line: int) -> int:
        """Return the width of the line's indentation; a tab counts as four."""
        text = self.lines[line]
        width = len(text) - len(text.lstrip(" "))
        if text[width : width + 1] != "\t":
            return width
        blank = text[: len(text) - len(text.lstrip())]
        return len(blank.expandtabs(4))
