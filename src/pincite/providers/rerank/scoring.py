"""From what models answer to `RerankScore`s that keep the promises of the port."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, Protocol

from pincite.errors import ConfigError
from pincite.ports import Reranker, RerankScore

if TYPE_CHECKING:
    from pincite.model import SignalKind

#: What a score of each kind can be. Services round, hence the margin.
RANGES: Final[dict[SignalKind, tuple[float, float]]] = {
    "probability": (0.0, 1.0),
    "cosine": (-1.0, 1.0),
    "logit": (-math.inf, math.inf),
}


def best_first(scores: Iterable[RerankScore], top_n: int | None = None) -> tuple[RerankScore, ...]:
    """By (-score, index), the first `top_n`."""
    return tuple(sorted(scores, key=lambda one: (-one.score, one.index))[:top_n])


def sigmoid(logit: float) -> float:
    """1 / (1 + e^-x), without overflow on either side."""
    if logit >= 0:
        return 1 / (1 + math.exp(-logit))
    power = math.exp(logit)
    return power / (1 + power)


class OpenReranker(Reranker, Protocol):
    """A `Reranker` that holds something open: connections, or a model in memory."""

    async def close(self) -> None:
        """Let go of it."""


class AsProbabilities:
    """A reranker of logits whose scores are probabilities: their sigmoid, applied once.

    As its own kind is `probability`, it cannot be wrapped again; nor can one whose service has
    squashed its scores already.
    """

    kind: SignalKind = "probability"

    def __init__(self, reranker: OpenReranker) -> None:
        """Raises ConfigError unless the reranker gives logits."""
        if reranker.kind != "logit":
            raise ConfigError(
                f"{reranker.fingerprint} gives {reranker.kind}, and a sigmoid is for logits only"
            )
        self._reranker = reranker
        self.fingerprint = f"{reranker.fingerprint}/sigmoid"
        self.listwise = reranker.listwise
        self.instructed = reranker.instructed

    async def rerank(
        self,
        query: str,
        documents: Sequence[str],
        top_n: int | None = None,
        *,
        instruction: str = "",
    ) -> tuple[RerankScore, ...]:
        """As the reranker within. Equal only where the logits are beyond floating point."""
        scores = await self._reranker.rerank(query, documents, instruction=instruction)
        return best_first((RerankScore(s.index, sigmoid(s.score)) for s in scores), top_n)

    async def close(self) -> None:
        """As the reranker within."""
        await self._reranker.close()
