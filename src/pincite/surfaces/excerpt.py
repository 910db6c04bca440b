"""Which lines of a text are shown where all of them are too many."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Weighed:
    """A line: the terms of the question in it, and whether it belongs to what was found."""

    terms: frozenset[str]
    found: bool = True
    blank: bool = False


def excerpt(lines: Sequence[Weighed], most: int, around: int | None = None) -> tuple[int, ...]:
    """The numbers of the lines to show, from 0, in order.

    All of them, if there are no more than `most`; else as many in a row: those with most of the
    question's terms, of what was found rather than of what stands around it. With `around` the
    lines with such a term, and as many lines before and after each. Blank lines at both ends are
    left out.
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
    begin = max(range(first, last - most + 1), key=lambda at: (_worth(lines[at : at + most]), -at))
    return tuple(range(begin, begin + most))


def _around(lines: Sequence[Weighed], first: int, last: int, around: int) -> tuple[int, ...]:
    hits = [n for n in range(first, last) if lines[n].terms and lines[n].found]
    if not hits:
        hits = [n for n in range(first, last) if lines[n].found][:1] or [first]
    near = {n for hit in hits for n in range(hit - around, hit + around + 1)}
    return tuple(sorted(n for n in near if first <= n < last))


def _worth(lines: Sequence[Weighed]) -> tuple[float, float]:
    """Distinct terms first, then how many lines have some, near the middle."""
    distinct: frozenset[str] = frozenset().union(*(line.terms for line in lines if line.found))
    beside: frozenset[str] = frozenset().union(*(line.terms for line in lines))
    middle = (len(lines) - 1) / 2
    held = sum(
        (len(line.terms) + 0.5) * (1 if line.found else 0.25) * (1 - abs(n - middle) / len(lines))
        for n, line in enumerate(lines)
        if line.terms or line.found
    )
    return len(distinct) + 0.25 * len(beside), held
