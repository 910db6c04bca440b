"""The weights of terms by their rarity, and the share of a question's terms in a text."""

from __future__ import annotations

from collections.abc import Mapping, Set
from math import fsum, log


def term_share(asked: Set[str], found: Set[str], weights: Mapping[str, float]) -> float:
    """Return the share of the terms `asked` that are in `found`, by weight, in 0..1. A term that is
    not in `weights` has the weight 1. 0 if nothing is asked. Sums are exact, so the order of the
    terms does not matter."""
    whole = fsum(weights.get(term, 1.0) for term in asked)
    return fsum(weights.get(term, 1.0) for term in asked & found) / whole if whole else 0.0


def idf_of(texts: int, having: int) -> float:
    """Return the inverse document frequency (IDF) of a term that n = `having` of N = `texts` texts
    have, as in the BM25 of Lucene: ln(1 + (N - n + 0.5) / (n + 0.5)). It is never negative."""
    return log(1 + max(0.0, texts - having + 0.5) / (having + 0.5))
