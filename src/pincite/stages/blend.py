"""Retrieval and reranker agree on one order."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pincite.errors import ConfigError
from pincite.model import Candidate, Pool, Signal


@dataclass(frozen=True, slots=True)
class BlendConfig:
    """`rerank_weight`: 1 leaves the order to the reranker, 0 to retrieval."""

    rerank_weight: float = 1.0

    def __post_init__(self) -> None:
        if not 0 <= self.rerank_weight <= 1:
            raise ConfigError(f"blend.rerank_weight is {self.rerank_weight}; it must be in 0..1")


def blend(pool: Pool, config: BlendConfig) -> Pool:
    """`blended = w * reranked + (1 - w) * retrieval` for the candidates that were reranked.

    Both sides are on 0..1: the reranker's probabilities, and the retrieval score divided by its
    largest value over the same candidates. Raises ConfigError for a reranker whose scores are no
    probabilities, unless it has all the weight. Candidates that were not reranked stay behind.
    """
    judged = [c for c in pool.candidates if c.signal("reranked") is not None]
    if not judged or config.rerank_weight == 1:
        return pool
    scores = [_retrieval(candidate) for candidate in judged]
    top = max(scores)
    blended = [
        _with_blend(candidate, score / top if top > 0 else 0.0, config.rerank_weight)
        for candidate, score in zip(judged, scores, strict=True)
    ]
    rest = [c for c in pool.candidates if c.signal("reranked") is None]
    ordered = sorted(blended, key=lambda candidate: candidate.rank_key)
    return replace(pool, candidates=(*ordered, *rest))


def _retrieval(candidate: Candidate) -> float:
    signal = candidate.signal("ranked") or candidate.signal("smoothed") or candidate.signal("fused")
    return signal.value if signal is not None else 0.0


def _with_blend(candidate: Candidate, retrieval: float, weight: float) -> Candidate:
    reranked = candidate.signal("reranked")
    if reranked is None or reranked.kind != "probability":
        kind = reranked.kind if reranked else "nothing"
        raise ConfigError(
            f"blend.rerank_weight is {weight}, but the reranker gives {kind}, not probability:"
            " the two cannot be added",
            hint="set blend.rerank_weight = 1",
        )
    value = weight * reranked.value + (1 - weight) * retrieval
    return candidate.with_signal(Signal("blended", "normalised", value))
