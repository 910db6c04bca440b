"""Blend the order of retrieval with the order of the reranker."""

from __future__ import annotations

from typing import Final, Literal, get_args

import msgspec

from pincite.errors import ConfigError
from pincite.model import Candidate, Notice, Pool, Signal
from pincite.support.fields import replace
from pincite.support.ranges import require_one_of, require_range

BlendMethod = Literal["linear", "tiers"]
RetrievalForm = Literal["score", "place"]
#: The reranker's weight, up to each rank before reranking: the values of the local engine qmd.
_TIERS: Final = ((3, 0.25), (10, 0.40))
_BEHIND: Final = 0.60


class BlendConfig(msgspec.Struct, frozen=True):
    """The weights of reranker and retrieval.

    `linear` gives the reranker the weight `rerank_weight`: 1 uses only the reranker, 0 only
    retrieval. `tiers` gives it more weight, the lower a candidate ranked before reranking: .25 for
    ranks 1 to 3, .4 for 4 to 10, .6 from 11 on.

    `retrieval`: the value for retrieval is its score divided by the highest one, or 1 divided by
    the rank.
    """

    method: BlendMethod = "linear"
    rerank_weight: float = 1.0
    retrieval: RetrievalForm = "score"

    def __post_init__(self) -> None:
        methods, forms = get_args(BlendMethod), get_args(RetrievalForm)
        require_one_of(self, "blend", method=methods, retrieval=forms)
        require_range(self, "blend", "rerank_weight", least=0, most=1)


def blend(pool: Pool, config: BlendConfig, before: Pool | None = None) -> Pool:
    """Blend the scores: `blended = w * reranked + (1 - w) * retrieval` for reranked candidates.

    w is `rerank_weight`, or with `tiers` the weight for the candidate's rank in `before`, the pool
    before reranking; without `before`, the retrieval scores give the rank. Both sides lie in 0..1:
    the reranker's probability, and either the retrieval score divided by the highest one among the
    same candidates, or 1 divided by the rank. Candidates that were not reranked follow in their
    previous order. If none was reranked, `tiers` leaves the order unchanged, with the notice
    `rerank_missing`. Raises ConfigError if the reranker's scores are not probabilities, unless its
    weight is 1.
    """
    judged = [c for c in pool.candidates if c.signal("reranked") is not None]
    if not judged:
        return _missing(pool) if config.method == "tiers" else pool
    if config.method == "linear" and config.rerank_weight == 1:
        return pool
    places = _places(judged, before)
    top = max(_retrieval(one) for one in judged)
    blended = []
    for one in judged:
        place = places[one.key]
        weight = _tier(place) if config.method == "tiers" else config.rerank_weight
        score = max(0.0, _retrieval(one) / top) if top > 0 else 0.0  # DBSF gives negative scores
        retrieval = 1 / place if config.retrieval == "place" else score
        blended.append(_with_blend(one, retrieval, weight, config))
    rest = [c for c in pool.candidates if c.signal("reranked") is None]
    ordered = sorted(blended, key=lambda candidate: candidate.rank_key)
    return replace(pool, candidates=(*ordered, *rest))


def _missing(pool: Pool) -> Pool:
    """Return the pool with the notice that it was not reranked, unless another notice gives the
    reason."""
    told = any(one.code in ("rerank_unavailable", "budget_no_rerank") for one in pool.notices)
    if told or not pool.candidates:
        return pool
    said = (
        "blend.method is tiers, but no reranker is configured: the order of retrieval stays."
        ' To configure one, set [models] rerank = "..." in pincite.toml'
    )
    return replace(pool, notices=(*pool.notices, Notice("rerank_missing", said)))


def _tier(place: int) -> float:
    return next((share for last, share in _TIERS if place <= last), _BEHIND)


def _places(judged: list[Candidate], before: Pool | None) -> dict[tuple[str, str], int]:
    """Return the rank of each candidate before reranking, from 1."""
    if before is not None:
        return {one.key: place for place, one in enumerate(before.candidates, start=1)}
    ordered = sorted(judged, key=lambda one: (-_retrieval(one), one.chunk.id, one.collection))
    return {one.key: place for place, one in enumerate(ordered, start=1)}


def _retrieval(candidate: Candidate) -> float:
    signal = candidate.signal("ranked") or candidate.signal("smoothed") or candidate.signal("fused")
    return signal.value if signal is not None else 0.0


def _with_blend(
    candidate: Candidate, retrieval: float, weight: float, config: BlendConfig
) -> Candidate:
    reranked = candidate.signal("reranked")
    if reranked is None or reranked.kind != "probability":
        kind = reranked.kind if reranked else "nothing"
        tiers = config.method == "tiers"
        set_to = 'blend.method is "tiers"' if tiers else f"blend.rerank_weight is {weight}"
        raise ConfigError(
            f"{set_to}, but the reranker returns {kind}, not probability: the two cannot be added",
            hint='set blend.method = "linear" and blend.rerank_weight = 1',
        )
    value = weight * reranked.value + (1 - weight) * retrieval
    return candidate.with_signal(Signal("blended", "normalised", value))
