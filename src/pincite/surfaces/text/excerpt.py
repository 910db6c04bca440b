"""Choose the lines of a text to show if it has too many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Weighed:
    """A line: the terms of the question in it, and whether it belongs to a found passage. `own`
    lines are those that the heading of the result cites; passages merged with it are not."""

    terms: frozenset[str]
    found: bool = True
    blank: bool = False
    own: bool = True


def excerpt(lines: Sequence[Weighed], most: int, around: int | None = None) -> tuple[int, ...]:
    """Return the numbers of the lines to show, from 0, ascending.

    With at most `most` lines, these are all. Otherwise, they are the window of `most` lines with
    the most terms of the question; found lines count more than those around them. The window
    contains all own lines, or lies within them if they are more than `most`. With `around`, they
    are the found lines with a term of the question, or the first own line if no own line has one,
    and `around` lines before and after each. Blank lines at both ends are left out.
    """
    first, last = 0, len(lines)
    while first < last and lines[first].blank:
        first += 1
    while last > first and lines[last - 1].blank:
        last -= 1
    if around is not None:
        return _around(lines, first, last, around)
    if last - first <= most:
        return tuple(range(first, last))
    begins = _begins(lines, first, last, most)
    begin = max(begins, key=lambda at: (_worth(lines[at : at + most]), -at))
    return tuple(range(begin, begin + most))


def _begins(lines: Sequence[Weighed], first: int, last: int, most: int) -> range:
    """Return where a window of `most` of the lines from `first` to `last` may begin."""
    own = _own(lines, first, last)
    low, high = sorted((own[0], own[-1] + 1 - most))
    return range(max(low, first), min(high, last - most) + 1)


def _own(lines: Sequence[Weighed], first: int, last: int) -> Sequence[int]:
    """Return the own lines with text; if there are none, all lines."""
    own = [n for n in range(first, last) if lines[n].own and not lines[n].blank]
    return own or range(first, last)


def _around(lines: Sequence[Weighed], first: int, last: int, around: int) -> tuple[int, ...]:
    hits = [n for n in range(first, last) if lines[n].terms and lines[n].found]
    if first < last and not any(lines[n].own for n in hits):
        hits.append(_own(lines, first, last)[0])
    near = {n for hit in hits for n in range(hit - around, hit + around + 1)}
    return tuple(sorted(n for n in near if first <= n < last))


def _worth(lines: Sequence[Weighed]) -> tuple[float, float]:
    """Return the value of a window: the number of distinct terms, then a sum over lines with terms
    and found lines, which count more near the middle."""
    distinct: frozenset[str] = frozenset().union(*(line.terms for line in lines if line.found))
    beside: frozenset[str] = frozenset().union(*(line.terms for line in lines))
    middle = (len(lines) - 1) / 2
    held = sum(
        (len(line.terms) + 0.5) * (1 if line.found else 0.25) * (1 - abs(n - middle) / len(lines))
        for n, line in enumerate(lines)
        if line.terms or line.found
    )
    return len(distinct) + 0.25 * len(beside), held
