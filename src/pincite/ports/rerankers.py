"""Rerankers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from pincite.model import SignalKind


class RerankScore(msgspec.Struct, frozen=True):
    """The score of `documents[index]`. Higher is better."""

    index: int
    score: float


class Reranker(Protocol):
    """Scores documents for a query in a single call."""

    @property
    def fingerprint(self) -> str:
        """The provider, model and placement of the instruction, as one printable line."""

    @property
    def kind(self) -> SignalKind:
        """The kind of the scores: `probability` (0..1), `logit` (unbounded) or `cosine` (-1..1).
        Probabilities of different models are not comparable."""

    @property
    def listwise(self) -> bool:
        """Whether a score depends on the other documents of the call. If so, scores of different
        calls are not comparable, and the adapter sends all documents in one request."""

    @property
    def instructed(self) -> bool:
        """Whether the model receives the instruction. If not, `rerank` ignores it."""

    async def rerank(
        self,
        query: str,
        documents: Sequence[str],
        top_n: int | None = None,
        *,
        instruction: str = "",
    ) -> tuple[RerankScore, ...]:
        """Return the scores of the documents, best first by (-score, index), at most `top_n` (None
        for all). Each index is in range and occurs once.

        `instruction` says in plain words what counts as relevant; the adapter places it as the
        model expects. If a service limits the size of a request, the adapter sends as few requests
        as possible. A listwise one raises Invalid for too many documents; nothing is left out
        silently. Raises only errors of providers. A wrong number of scores, an index out of range,
        NaN and a score that is not of `kind` raise BadResponse.
        """
