"""What turns texts into vectors, and what judges texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from pincite.model import (
    Matrix,
    SignalKind,
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
    """Texts to sparse vectors whose dot product, with the engine's IDF, ranks them."""

    @property
    def fingerprint(self) -> str:
        """Names analyser, weighting and parameters, without the average length."""

    def encode_query(self, text: str) -> SparseVector:
        """Values are the counts of each term in the query. Empty if no term is left."""

    def encode_document(self, text: str, average_length: float) -> tuple[SparseVector, int]:
        """The weights of a text and its length in tokens. `average_length` > 0, in tokens."""


@dataclass(frozen=True, slots=True)
class RerankScore:
    """The score of `documents[index]`. Higher is better."""

    index: int
    score: float


class Reranker(Protocol):
    """Judges documents against a query, all in one go."""

    @property
    def fingerprint(self) -> str:
        """Names provider, model and instruction placement."""

    @property
    def kind(self) -> SignalKind:
        """What the scores are: `probability` (0..1) or `logit` (unbounded)."""

    async def rerank(
        self, query: str, documents: Sequence[str], top_n: int | None = None
    ) -> tuple[RerankScore, ...]:
        """Best first by (-score, index), at most `top_n`, each index once and in range."""
