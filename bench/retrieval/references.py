"""What a plain BM25 reaches on the collections, as their keepers measured it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Reference:
    """BM25 with k1=1.5, b=0.75 and English stemming; on code with identifiers split, on Chinese
    with character bigrams. `noise` is the half width of nDCG@10's 95 % interval, 0 if unknown;
    `recall_100` is 0 if unknown."""

    ndcg_10: float
    recall_100: float = 0.0
    noise: float = 0.0


REFERENCES: Final[dict[str, Reference]] = {
    "scifact-train": Reference(0.696, 0.928, 0.027),
    "cranfield": Reference(0.365, 0.735, 0.034),
    "cisi": Reference(0.396, 0.453, 0.061),
    "cosqa-dev": Reference(0.392, 0.842, 0.035),
    "mbpp-code": Reference(0.419, 0.888, 0.034),
    "anthropic-docs": Reference(0.714, 0.948, 0.055),
    "chunking-eval": Reference(0.795, 0.991),
    "xquad-en": Reference(0.965),
    "xquad-de": Reference(0.925),
    "xquad-zh": Reference(0.965),
}
