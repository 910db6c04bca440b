"""Split long ranges at their best line breaks, and single long lines between sentences."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import TYPE_CHECKING

from pincite.support.finding.trailing_space import end_before_space

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pincite.chunkers.lines import Lines

_SENTENCE_END = re.compile(r"[.!?…]+[\"')\]*_`]*\s+|[。！？；]+[”』」）]*\s*")
_TAIL = 8.0  # word pieces; a shorter rest, such as a closing brace, is not a range of its own
_WORD_END = re.compile(r"\s+")
_ROUNDING = 1e-9  # costs are differences of sums of decimal numbers


def split_lines(
    lines: Lines, first: int, last: int, *, target: float, limit: float, head: int = 0
) -> Iterator[tuple[int, int]]:
    """Yield ranges of at most `limit`, about equally large, that together cover `first` to `last`.

    Breaks are searched in the second half of each range. The best break is after a blank line and
    before a line with little indentation. The first `head` lines stay with the line after them. A
    line above the limit is a range of its own, with the head if there is one before it.
    """
    start = first
    while start < last:
        rest = lines.cost(start, last)
        if rest <= limit + _ROUNDING:
            yield start, last
            return
        if head and start == first and _heads_long_line(lines, first, head, limit):
            start = first + head + 1
            yield first, start
            continue
        parts = max(2, round(rest / target))
        bound = min(limit, rest / parts * 1.25)
        if head and start == first:
            with_head = lines.cost(first, min(first + head + 1, last)) + target / 2
            bound = min(limit, max(bound, with_head))
        most = lines.cost_before[start] + bound + _ROUNDING
        end = bisect_left(lines.cost_before, most, start + 1)
        end = max(start + 1, min(end, last) - 1)
        if end - start > 1:
            low = bisect_left(lines.cost_before, lines.cost_before[start] + bound / 2, start + 1)
            low = min(max(low, first + head + 1 if start == first else 0), end)
            while end > low and lines.cost(end, last) < _TAIL:
                end -= 1
            end = _best_break(lines, low, end)
        yield start, end
        start = end


def _heads_long_line(lines: Lines, first: int, head: int, limit: float) -> bool:
    """Return whether the line below the head, together with the head, is above the limit, and the
    head is below half of it."""
    head_cost = lines.cost(first, first + head)
    return head_cost < limit / 2 and lines.cost(first, first + head + 1) > limit


def _best_break(lines: Lines, low: int, high: int) -> int:
    """Return the line in low..high at which a new range should begin."""
    best, best_rank = high, (9, 0)
    for line in range(high, low - 1, -1):
        if lines.blank[line]:
            continue
        after_blank = lines.blank[line - 1]
        rank = (0 if after_blank else 1, lines.indent(line))
        if rank < best_rank:
            best, best_rank = line, rank
    return best


def split_span(lines: Lines, start: int, end: int, *, limit: float) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of spans of at most `limit` within a long line (and a head before it),
    about equally large. Each has more than white space.

    White space between spans is left out; white space before the first is kept, unless it costs
    more than half of the limit. Spans end after a sentence if possible, else between words, else
    anywhere.
    """
    text, cost = lines.text, lines.cost_until
    begin = start
    while start < end:
        word = _next_word(text, start, end)
        if start > begin or cost[word] - cost[start] > limit / 2:
            start = word
        rest = float(cost[end] - cost[start])
        if rest <= limit or word == end:
            break
        bound = min(limit, rest / max(2, -(-rest // limit)) * 1.1)
        stop = max(word + 1, bisect_left(cost, cost[start] + bound, start, end + 1) - 1)
        low = max(start + (stop - start) // 2, word + 1)  # a span of blanks would be empty
        cut = _last_end(_SENTENCE_END, text, low, stop) or _last_end(_WORD_END, text, low, stop)
        yield start, end_before_space(text, start, cut or stop)
        start = cut or stop
    end = end_before_space(text, start, end)
    if start < end:
        yield start, end


def _next_word(text: str, start: int, end: int) -> int:
    """Return the position of the first character of `text[start:end]` that is no white space, `end`
    without any."""
    while start < end and text[start].isspace():
        start += 1
    return start


def _last_end(pattern: re.Pattern[str], text: str, low: int, high: int) -> int:
    found = 0
    for match in pattern.finditer(text, low, high):
        found = match.end()
    return found
