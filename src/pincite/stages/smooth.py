"""Candidates that lie close together lend each other some of their score."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pincite.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pincite.model import Candidate, Signal


@dataclass(frozen=True, slots=True)
class SmoothConfig:
    """How many neighbours speak, with what weight (0 switches the stage off), for how many of
    the best candidates."""

    neighbours: int = 10
    weight: float = 0.3
    pool: int = 100

    def __post_init__(self) -> None:
        if self.neighbours < 1 or self.pool < 1:
            raise ConfigError("smooth.neighbours and smooth.pool must be at least 1")
        if not 0 <= self.weight < 1:
            raise ConfigError(f"smooth.weight is {self.weight}; it must be in 0..1, below 1")


def smooth(candidates: Sequence[Candidate], config: SmoothConfig) -> tuple[Candidate, ...]:
    """Every candidate with the signal `smoothed`, ordered by (-smoothed, id).

    Score regularisation (Diaz, 2007, "Regularizing query-based retrieval scores"): with the rows
    of V the unit vectors of the best `pool` candidates of one collection,

        W = max(V V^T, 0), zero diagonal, the k largest of each row, squared, rows adding up to 1
        s' = (1 - weight) s + weight W s

    The scores are those of `fused`, and `smoothed` is of the same kind. A candidate that has no
    vector, or no neighbour, keeps its score, and so does everything below the pool.
    """
    ranked = sorted(candidates, key=lambda one: (-_score(one), one.chunk.id, one.collection))
    scores = [_score(one) for one in ranked]
    groups: dict[str, list[int]] = defaultdict(list)
    for place, one in enumerate(ranked[: config.pool]):
        if one.vector is not None:
            groups[one.collection].append(place)
    for places in groups.values():
        if len(places) > 1 and config.weight > 0:
            for place, score in zip(places, _regularise(ranked, places, config), strict=True):
                scores[place] = score
    smoothed = [
        replace(one, signals=(*one.signals, replace(_fused(one), name="smoothed", value=score)))
        for one, score in zip(ranked, scores, strict=True)
    ]
    order = sorted(
        range(len(ranked)),
        key=lambda place: (-scores[place], ranked[place].chunk.id, ranked[place].collection),
    )
    return tuple(smoothed[place] for place in order)


def _regularise(
    ranked: Sequence[Candidate], places: Sequence[int], config: SmoothConfig
) -> list[float]:
    import numpy as np

    vectors = np.stack([vector for place in places if (vector := ranked[place].vector) is not None])
    scores = np.array([_score(ranked[place]) for place in places])
    nearness = np.maximum(vectors @ vectors.T, 0).astype(np.float64)
    np.fill_diagonal(nearness, 0)
    if len(places) - 1 > config.neighbours:
        # Stable, so that of equal neighbours the better ranked speaks.
        far = np.argsort(-nearness, axis=1, kind="stable")[:, config.neighbours :]
        np.put_along_axis(nearness, far, 0, axis=1)
    weights = nearness**2
    sums = weights.sum(axis=1)
    alone = sums == 0
    lent = weights @ scores / np.where(alone, 1, sums)
    result: list[float] = np.where(
        alone, scores, (1 - config.weight) * scores + config.weight * lent
    ).tolist()
    return result


def _score(candidate: Candidate) -> float:
    return _fused(candidate).value


def _fused(candidate: Candidate) -> Signal:
    signal = candidate.signal("fused")
    if signal is None:
        raise ConfigError(f"chunk {candidate.chunk.id} has no fused score to smooth")
    return signal
