"""What judges documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from pincite.model import SignalKind


@dataclass(frozen=True, slots=True)
class RerankScore:
    """The score of `documents[index]`. Higher is better."""

    index: int
    score: float


class Reranker(Protocol):
    """Judges documents against a query, all in one go."""

    @property
    def fingerprint(self) -> str:
        """Names provider, model and instruction placement: one printable line."""

    @property
    def kind(self) -> SignalKind:
        """What the scores are: `probability` (0..1), `logit` (unbounded) or `cosine` (-1..1).
        A probability of one model says nothing about that of another."""

    @property
    def listwise(self) -> bool:
        """Does a score depend on the other documents of the call? Then scores of several calls
        must never be put into one order, and the adapter sends all documents in one request."""

    @property
    def instructed(self) -> bool:
        """Does the model get to see an instruction? Where not, `rerank` leaves it out."""

    async def rerank(
        self,
        query: str,
        documents: Sequence[str],
        top_n: int | None = None,
        *,
        instruction: str = "",
    ) -> tuple[RerankScore, ...]:
        """Best first by (-score, index), at most `top_n`, each index once and in range.

        `instruction` says in plain words what counts as relevant; the adapter puts it where the
        model takes it. A service that limits the size of a request gets as few as will do, unless
        it is listwise: then too many documents raise Invalid, and nothing is left out silently.
        Raises the errors of providers only; a wrong number of scores, an index out of range, NaN
        and a score that is not of `kind` are BadResponse.
        """
