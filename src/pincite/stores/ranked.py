"""Search with the scores of each side, for stores without their own fusion. Fusion follows
`SearchRequest`, with ties by id."""

from __future__ import annotations

import statistics
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from pincite.model import CollectionSpec, Hit, Ranking, SignalKind, SignalName
from pincite.ports import SearchRequest


class Side(Protocol):
    """The dense or sparse scores of all points that match the filter."""

    async def best(self, limit: int) -> list[Hit]:
        """Return the first `limit` hits by (-score, id)."""

    async def of(self, ids: Collection[str]) -> Mapping[str, float]:
        """Return the scores of these points; points without a score are left out."""


@dataclass(frozen=True, slots=True)
class Known:
    """A side with known scores for all points."""

    scores: Mapping[str, float]

    async def best(self, limit: int) -> list[Hit]:
        return ordered(self.scores)[:limit]

    async def of(self, ids: Collection[str]) -> Mapping[str, float]:
        return {key: self.scores[key] for key in ids if key in self.scores}


async def rankings_of(
    spec: CollectionSpec, request: SearchRequest, sides: Mapping[SignalName, Side]
) -> tuple[Ranking, ...]:
    """Return the rankings of `Store.search` from the scores of each side."""
    limits = {"dense": request.dense_limit, "sparse": request.sparse_limit}
    heads = {name: await side.best(limits[name]) for name, side in sides.items()}
    if request.fusion != "none":
        return (fused(spec.name, request, list(heads.values())),)
    union = {hit.id for hits in heads.values() for hit in hits} if request.complete else set()
    rankings = []
    for name, hits in heads.items():
        tail = await sides[name].of(sorted(union - {hit.id for hit in hits}))
        kind: SignalKind = "cosine" if name == "dense" else "bm25" if spec.idf else "dot"
        whole = (*hits, *ordered(tail))
        rankings.append(Ranking(spec.name, name, kind, whole, depth=len(hits)))
    return tuple(rankings)


def ordered(scores: Mapping[str, float]) -> list[Hit]:
    """Return the scores as hits, sorted by (-score, id)."""
    return [Hit(key, value) for key, value in sorted(scores.items(), key=lambda i: (-i[1], i[0]))]


def fused(collection: str, request: SearchRequest, branches: Sequence[Sequence[Hit]]) -> Ranking:
    """Fuse as servers do, with ties by id.

    `rrf` adds 1 / (k + rank) of each branch, with ranks from 1. `dbsf` adds (score - (mean - 3 sd))
    / (6 sd), with the mean and the sample standard deviation of the branch, or 0.5 if that is 0.
    """
    sums: dict[str, float] = {}
    for hits in branches:
        for hit, part in zip(hits, _parts(hits, request), strict=True):
            sums[hit.id] = sums.get(hit.id, 0.0) + part
    kind: SignalKind = "dbsf" if request.fusion == "dbsf" else "rrf"
    best = tuple(ordered(sums)[: request.fusion_limit])
    return Ranking(collection, "fused", kind, best, len(best))


def _parts(hits: Sequence[Hit], request: SearchRequest) -> list[float]:
    if request.fusion == "rrf":
        return [1 / (request.fusion_k + rank) for rank in range(1, len(hits) + 1)]
    scores = [hit.score for hit in hits]
    deviation = statistics.stdev(scores) if len(scores) > 1 else 0.0
    if deviation == 0:
        return [0.5] * len(scores)
    low = statistics.fmean(scores) - 3 * deviation
    return [(score - low) / (6 * deviation) for score in scores]
