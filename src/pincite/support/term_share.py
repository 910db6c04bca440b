"""The share of a question's terms in a text, by their weights."""

from __future__ import annotations

from collections.abc import Mapping, Set
from math import fsum


def term_share(asked: Set[str], found: Set[str], weights: Mapping[str, float]) -> float:
    """Return the share of the terms `asked` that are in `found`, by weight, in 0..1. A term that is
    not in `weights` has the weight 1. 0 if nothing is asked. Sums are exact, so the order of the
    terms does not matter."""
    whole = fsum(weights.get(term, 1.0) for term in asked)
    return fsum(weights.get(term, 1.0) for term in asked & found) / whole if whole else 0.0
