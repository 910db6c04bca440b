"""What turns texts into vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from pincite.model import (
    Matrix,
    SparseVector,
    Vector,
)


class DenseEncoder(Protocol):
    """Texts to unit vectors. A vector is a function of its text alone, never of its batch."""

    @property
    def fingerprint(self) -> str:
        """Names model, weights, precision and truncation: equal iff vectors are comparable."""

    @property
    def dimensions(self) -> int:
        """Length of every vector."""

    @property
    def languages(self) -> frozenset[str]:
        """Stemmer names (`english`, ...) of the languages that the model knows; empty = all."""

    async def embed_query(self, text: str) -> Vector:
        """Shape (dimensions,), float32, L2 norm 1. Over-long text is cut. Never empty."""

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        """Shape (len(texts), dimensions), float32, rows in the order of `texts`, L2 norm 1.

        No texts give shape (0, dimensions).
        """


class SparseEncoder(Protocol):
    """Texts to sparse vectors whose dot product ranks them, with the engine's IDF or without."""

    @property
    def fingerprint(self) -> str:
        """Names analyser, weighting and parameters, without the average length."""

    @property
    def idf(self) -> bool:
        """Is the engine to multiply with the IDF? Learned weights have it in them already."""

    def encode_query(self, text: str) -> SparseVector:
        """The weight of each term in the query: with `idf` its count. Empty if none is left."""

    def encode_document(self, text: str, average_length: float) -> tuple[SparseVector, int]:
        """The weights of a text and its length in tokens. `average_length` > 0, in tokens.

        Weights that do not depend on the length have the length 1, or 0 if there are none: the
        average then never moves, and nothing is weighed again.
        """
