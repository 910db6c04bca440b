"""Find the words of a question in a text, by the same terms as in the index."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pincite.providers.sparse.analyser import Analyser

#: The parts of a name: `getUserName`, `HTTP_PROXY`, `utf8`.
_PARTS = re.compile(r"[^\W\d_a-z]{2,}(?![a-z])|[^\W\d_]?[^\W\d_A-Z]+|[^\W\d_]+|\d+")
_UNSPACED = "\u0e00"  # scripts from here on have no spaces between words, or no stemmer
_LONGEST = 4_000  # characters examined of a line, and the longest name that is split
_LONGEST_QUESTION = 2_000


@dataclass(frozen=True, slots=True)
class Mark:
    """`text[start:end]` contains these terms of the question."""

    start: int
    end: int
    terms: frozenset[str]


@lru_cache(8)
def _analyser(language: str) -> Analyser:
    return Analyser(language)


class Highlighter:
    """Finds the informative terms of a question in lines of text. In languages with a stemmer,
    `rotating` matches `rotate`. A name matches its parts, and its parts match it."""

    def __init__(self, question: str, languages: Sequence[str] = ("english",)) -> None:
        analysers = [_analyser(language) for language in dict.fromkeys(languages)]
        self._known = [
            (one, frozenset(one.terms(question[:_LONGEST_QUESTION]))) for one in analysers
        ]

    def marks(self, line: str) -> tuple[Mark, ...]:
        """Return the marks in order, without overlaps."""
        found: list[Mark] = []
        for analyser, asked in self._known:
            found += self._of(analyser, asked, line[:_LONGEST])
        found.sort(key=lambda mark: (mark.start, -mark.end))
        apart: list[Mark] = []
        for mark in found:
            if not apart or mark.start >= apart[-1].end:
                apart.append(mark)
        return tuple(apart)

    @staticmethod
    def _of(analyser: Analyser, asked: frozenset[str], line: str) -> Iterator[Mark]:
        for start, end, terms in analyser.units(line):
            common = asked.intersection(terms)
            if not common:
                continue
            if line[start] >= _UNSPACED:
                yield from _runs(line, start, end, asked)
                continue
            parts = [
                Mark(start + part.start(), start + part.end(), its)
                for part in _PARTS.finditer(line[start:end])
                if (its := asked.intersection(analyser.terms(part[0])))
            ]
            covered = frozenset().union(*(part.terms for part in parts))
            if parts and covered == common:
                yield from parts
            else:
                yield Mark(start, end, common)


def _runs(line: str, start: int, end: int, asked: frozenset[str]) -> Iterator[Mark]:
    """Yield marks in a script without spaces: runs of pairs of characters and of single ideographs
    of the question."""
    at = start
    while at < end:
        to, terms = at, set[str]()
        while to < end:
            pair = line[to : to + 2] if to + 2 <= end else ""
            if pair in asked:
                terms.add(pair)
                to += 1
            elif line[to] in asked or line[to - 1 : to + 1] in terms:
                terms.add(line[to])
                to += 1
            else:
                break
        if to > at:
            yield Mark(at, to, asked & terms)
        at = max(to, at + 1)
