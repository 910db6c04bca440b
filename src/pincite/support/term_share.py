"""How much of a question a text has, by the weights of its terms."""

from __future__ import annotations

from collections.abc import Mapping, Set
from math import fsum


def term_share(asked: Set[str], found: Set[str], weights: Mapping[str, float]) -> float:
    """Return the share of the weight of the terms `asked` that the terms `found` have, in 0..1. A
    term without a weight weighs 1. 0 if nothing is asked. Sums are exact in any order."""
    whole = fsum(weights.get(term, 1.0) for term in asked)
    return fsum(weights.get(term, 1.0) for term in asked & found) / whole if whole else 0.0
