"""Rankings by plain ids, and their fusion."""

from __future__ import annotations

from pincite.model import Hit, Ranking, SignalKind, SignalName
from pincite.stages.fuse import FuseConfig, FuseMethod, fuse

METHODS: tuple[FuseMethod, ...] = (
    *("rrf", "rrf_bonus", "weighted_rrf", "dbsf", "weighted_sum", "weighted_dbsf"),
)


def ranked(
    signal: SignalName, *hits: tuple[str, float], depth: int | None = None, collection: str = "main"
) -> Ranking:
    """A ranking by plain ids, so that ties can be told by eye."""
    found = tuple(Hit(name, score) for name, score in hits)
    kind: SignalKind = "cosine" if signal == "dense" else "bm25"
    return Ranking(collection, signal, kind, found, len(found) if depth is None else depth)


DENSE = ranked("dense", ("a", 0.9), ("b", 0.5), ("c", 0.1))
SPARSE = ranked("sparse", ("c", 8.0), ("a", 6.0), ("b", 4.0))


def values(method: FuseMethod, *rankings: Ranking, **config: float) -> dict[str, float]:
    fused = fuse(rankings, FuseConfig(method=method, **config))  # type: ignore[arg-type]
    return {one.id: one.score for one in fused}
