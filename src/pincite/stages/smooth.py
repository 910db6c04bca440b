"""Smooth scores: neighbouring candidates share some of their score."""

from __future__ import annotations

from collections import defaultdict
from types import MappingProxyType
from typing import TYPE_CHECKING

import msgspec

from pincite.errors import ConfigError
from pincite.model import Signal
from pincite.support.ranges import require_range

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pincite.model import Candidate, Vector


class SmoothConfig(msgspec.Struct, frozen=True):
    """`neighbours`: the number of neighbours that count. `weight`: their weight; 0 switches the
    stage off. `pool`: the number of top candidates to smooth.

    nDCG@10 over ten collections, .7502 without: weight .2 .3 .4 gives .7523 .7548 .7550, 3 or 5
    neighbours .7539 .7548, a pool of 30 or 60 .7530 .7542 (docs/decisions/0004).
    """

    neighbours: int = 10
    weight: float = 0.3
    pool: int = 100

    def __post_init__(self) -> None:
        require_range(self, "smooth", "neighbours", "pool", least=1)
        require_range(self, "smooth", "weight", least=0, below=1)


def smooth(
    candidates: Sequence[Candidate],
    config: SmoothConfig,
    partial: Mapping[str, float] = MappingProxyType({}),
) -> tuple[Candidate, ...]:
    """Return every candidate with the signal `smoothed`, ordered by (-smoothed, id).

    Score regularisation (Diaz, 2007, "Regularizing query-based retrieval scores"): with the rows of
    V the unit vectors of the best `pool` candidates of one collection,

        W = max(V V^T, 0), zero diagonal, the k largest of each row, squared, rows adding up to 1
        s' = (1 - weight) s + weight W s

    The scores are those of `fused`, and `smoothed` has the same kind. A candidate without a vector
    or without neighbours keeps its score, and so do all candidates below the pool. `partial` has
    the share of chunks with a vector, by collection; the weight is reduced by this factor.
    """
    pairs = sorted(
        ((_fused(one), one) for one in candidates),
        key=lambda pair: (-pair[0].value, pair[1].chunk.id, pair[1].collection),
    )
    scores = [fused.value for fused, _ in pairs]
    groups: dict[str, list[int]] = defaultdict(list)
    for place, (_, one) in enumerate(pairs[: config.pool]):
        if one.vector is not None:
            groups[one.collection].append(place)
    before = tuple(scores)
    for collection, places in groups.items():
        weight = config.weight * partial.get(collection, 1.0)
        if len(places) > 1 and weight > 0:
            vectors = [vector for place in places if (vector := pairs[place][1].vector) is not None]
            values = [before[place] for place in places]
            lent = _regularise(vectors, values, config.neighbours, weight)
            for place, score in zip(places, lent, strict=True):
                scores[place] = score
    smoothed = [
        (score, one.with_signal(Signal("smoothed", fused.kind, score)))
        for score, (fused, one) in zip(scores, pairs, strict=True)
    ]
    smoothed.sort(key=lambda pair: (-pair[0], pair[1].chunk.id, pair[1].collection))
    return tuple(one for _, one in smoothed)


def _regularise(
    vectors: Sequence[Vector], values: Sequence[float], neighbours: int, weight: float
) -> list[float]:
    import numpy as np

    rows, scores = np.array(vectors), np.array(values)
    # Row by row, because the threads of `rows @ rows.T` wait in a busy loop and take milliseconds
    # from the daemon on few cores. Einstein sums take twice as long.
    nearness = np.matmul(rows[:, None, :], rows.T)[:, 0, :].astype(np.float64)
    nearness.flat[:: len(values) + 1] = 0
    # Stable, so that of equal neighbours the better ranked one counts.
    nearest = np.argsort(-nearness, axis=1, kind="stable")[:, :neighbours]
    weights = np.maximum(np.take_along_axis(nearness, nearest, axis=1), 0) ** 2
    lent = (weights * scores[nearest]).sum(axis=1).tolist()
    sums = weights.sum(axis=1).tolist()
    own = 1 - weight
    return [
        own * value + weight * (given / total) if total else value
        for value, given, total in zip(values, lent, sums, strict=True)
    ]


def _fused(candidate: Candidate) -> Signal:
    signal = candidate.signal("fused")
    if signal is None:
        raise ConfigError(f"chunk {candidate.chunk.id} has no fused score to smooth")
    return signal
