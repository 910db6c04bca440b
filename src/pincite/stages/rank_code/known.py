"""The share of the question's terms that a passage has."""

from __future__ import annotations

from collections.abc import Mapping, Set

from pincite.model import Candidate
from pincite.stages.rank_code.words import Terms
from pincite.support.term_share import term_share

#: The weight of each term, by collection.
Rarity = Mapping[str, Mapping[str, float]]


def asked_terms(text: str, terms: Terms, sources: Set[str]) -> frozenset[str]:
    """Return the terms of a question. If there is only one source, the terms of its name are left
    out, because every file may have them, unless the question has no others."""
    asked = terms(text)
    named = terms(next(iter(sources))) if len(sources) == 1 else frozenset[str]()
    return asked - named or asked


class KnownTerms:
    """Compares passages with the terms of one question."""

    def __init__(self, asked: Set[str], terms: Terms, rarity: Rarity) -> None:
        """`asked` are the terms of the question. `terms` returns those of a text."""
        self._asked = asked
        self._terms = terms
        self._rarity = rarity
        self._found: dict[tuple[str, str], frozenset[str]] = {}

    def share(self, *candidates: Candidate) -> float:
        """Return the share of the question's terms that the passages have together, by their weight
        in the collection of the first, in 0..1. 0 if the question has no terms, or without
        passages."""
        if not (self._asked and candidates):
            return 0.0
        weights = self._rarity.get(candidates[0].collection, {})
        found = frozenset[str]().union(*map(self._of, candidates))
        return term_share(self._asked, found, weights)

    def _of(self, one: Candidate) -> frozenset[str]:
        """Return the terms of the question that a passage has. Each passage is analysed once."""
        key = one.collection, one.chunk.id
        if key not in self._found:
            self._found[key] = self._terms(one.chunk.indexed) & self._asked
        return self._found[key]
