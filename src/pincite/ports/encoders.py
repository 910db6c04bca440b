"""Encoders: texts to vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from pincite.model import Matrix, SparseVector, Vector


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
    """An additional method of a `DenseEncoder` whose vectors depend on the whole document."""

    async def embed_grouped(self, documents: Sequence[Sequence[str]]) -> tuple[Matrix, ...]:
        """One matrix per document, in order, with the format of `embed_documents`.

        `documents` has all chunks of each document, in the order of the document and without
        overlap. A vector is a function of the whole inner list and its position in it, never of
        other documents. A document without chunks gives shape (0, dimensions).
        """


class SparseEncoder(Protocol):
    """Texts to sparse vectors, ranked by dot product, with or without the store's IDF."""

    @property
    def fingerprint(self) -> str:
        """Names analyser, weighting and parameters, without the average length."""

    @property
    def idf(self) -> bool:
        """Must the store apply the IDF? Learned weights contain it already."""

    def encode_query(self, text: str) -> SparseVector:
        """The weight of each term in the query: its count if `idf`. Empty if no term is left."""

    def encode_document(self, text: str, average_length: float) -> tuple[SparseVector, int]:
        """The weights of a text and its length in tokens. `average_length` > 0, in tokens.

        Encoders whose weights do not depend on the length return the length 1, or 0 for no weights.
        """
