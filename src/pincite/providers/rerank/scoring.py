"""Turn the answers of models into `RerankScore`s that meet the contract of the port."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final, Protocol

from pincite.errors import ConfigError
from pincite.ports import Reranker, RerankScore

if TYPE_CHECKING:
    from pincite.model import SignalKind

#: The range of each kind of score. `service.MARGIN` allows for rounding.
RANGES: Final[dict[SignalKind, tuple[float, float]]] = {
    "probability": (0.0, 1.0),
    "cosine": (-1.0, 1.0),
    "logit": (-math.inf, math.inf),
}


def best_first(scores: Iterable[RerankScore], top_n: int | None = None) -> tuple[RerankScore, ...]:
    """Return the first `top_n` scores, sorted by (-score, index)."""
    return tuple(sorted(scores, key=lambda one: (-one.score, one.index))[:top_n])


def sigmoid(logit: float) -> float:
    """Return 1 / (1 + e^-x), without overflow on either side."""
    if logit >= 0:
        return 1 / (1 + math.exp(-logit))
    power = math.exp(logit)
    return power / (1 + power)


class OpenReranker(Reranker, Protocol):
    """A `Reranker` with an open resource: connections, or a model in memory."""

    async def close(self) -> None:
        """Release the resource."""


class AsProbabilities:
    """A reranker of logits whose scores become probabilities: their sigmoid, applied once.

    As its own kind is `probability`, it cannot be wrapped again; nor can a reranker whose service
    already applies the sigmoid.
    """

    kind: SignalKind = "probability"

    def __init__(self, reranker: OpenReranker) -> None:
        """Wrap a reranker. Raises ConfigError unless it returns logits."""
        if reranker.kind != "logit":
            raise ConfigError(
                f"{reranker.fingerprint} returns {reranker.kind}, but a sigmoid is for logits only"
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
        """Rerank as the wrapped reranker does. Different logits give equal scores only if their
        sigmoids round to the same number."""
        scores = await self._reranker.rerank(query, documents, instruction=instruction)
        return best_first((RerankScore(s.index, sigmoid(s.score)) for s in scores), top_n)

    async def close(self) -> None:
        """Close the wrapped reranker."""
        await self._reranker.close()
