"""Encoders turn texts into vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from pincite.model import Matrix, SparseVector, Vector


class DenseEncoder(Protocol):
    """Encodes texts as unit vectors. A vector depends only on its text, never on the other texts of
    a batch."""

    @property
    def fingerprint(self) -> str:
        """The model, its weights, precision and truncation, as a name. Vectors are comparable if
        and only if their fingerprints are equal."""

    @property
    def dimensions(self) -> int:
        """Length of every vector."""

    @property
    def languages(self) -> frozenset[str]:
        """Stemmer names (`english`, ...) of the languages that the model knows; empty for all."""

    async def embed_query(self, text: str) -> Vector:
        """Embed a query. Returns shape (dimensions,), float32, L2 norm 1. `text` is never empty.
        Text beyond the model's limit is cut off."""

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        """Embed texts. Returns shape (len(texts), dimensions), float32, each row with L2 norm 1, in
        the order of `texts`.

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
    """Encodes texts as sparse vectors, which are ranked by dot product, with or without the IDF
    that the store applies."""

    @property
    def fingerprint(self) -> str:
        """The analyser, weighting and parameters, without the average length, as a name."""

    @property
    def idf(self) -> bool:
        """Whether the store must apply the IDF. Learned weights already contain it."""

    def encode_query(self, text: str) -> SparseVector:
        """Return the weight of each term in the query: the term's count if `idf`. The vector is
        empty if the text has no terms."""

    def encode_document(self, text: str, average_length: float) -> tuple[SparseVector, int]:
        """Return the weights of a text and its length in tokens. `average_length` is in tokens and
        positive.

        Encoders whose weights do not depend on the length return the length 1, or 0 if there are no
        weights.
        """
