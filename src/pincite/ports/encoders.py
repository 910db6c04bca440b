"""What turns texts into vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

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


@runtime_checkable
class GroupedEncoder(Protocol):
    """What a `DenseEncoder` has in addition if the vector of a chunk depends on its document."""

    async def embed_grouped(self, documents: Sequence[Sequence[str]]) -> tuple[Matrix, ...]:
        """One matrix per document, in order, as `embed_documents` gives for its chunks.

        `documents` are the chunks of each document, all of them, in the order of the document and
        without overlap. A vector is a function of the whole inner list and its own place in it,
        never of other documents. A document without chunks gives shape (0, dimensions).
        """


class SparseEncoder(Protocol):
    """Texts to sparse vectors whose dot product ranks them, with the store's IDF or without."""

    @property
    def fingerprint(self) -> str:
        """Names analyser, weighting and parameters, without the average length."""

    @property
    def idf(self) -> bool:
        """Is the store to multiply with the IDF? Learned weights have it in them already."""

    def encode_query(self, text: str) -> SparseVector:
        """The weight of each term in the query: with `idf` its count. Empty if none is left."""

    def encode_document(self, text: str, average_length: float) -> tuple[SparseVector, int]:
        """The weights of a text and its length in tokens. `average_length` > 0, in tokens.

        Weights that do not depend on the length have the length 1, or 0 if there are none: the
        average then never moves, and nothing is weighed again.
        """
