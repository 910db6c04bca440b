"""Merge the lists of several collections into one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import fsum
from typing import Literal, get_args

import msgspec

from pincite.model import Fused, Signal
from pincite.support.ranges import require_one_of, require_range

AcrossMethod = Literal["scores", "rrf"]


class MergeConfig(msgspec.Struct, frozen=True):
    """`scores` compares the fused scores directly, which is right if all collections are on one
    scale (see `stages.fuse`). `rrf` compares ranks, with the constant `k`, which works with any
    models.

    `depth`: the number of hits of each collection in `rrf`, 0 for all. `per_result`: the same
    number as a multiple of the requested results; 0 leaves `depth`.
    """

    method: AcrossMethod = "scores"
    k: int = 60
    depth: int = 0
    per_result: int = 0

    def __post_init__(self) -> None:
        require_one_of(self, "across", method=get_args(AcrossMethod))
        require_range(self, "across", "k", "depth", "per_result", least=0)


def merge(
    fused: Sequence[Fused],
    weights: Mapping[str, float],
    config: MergeConfig,
    kept: frozenset[tuple[str, str]] = frozenset(),
) -> tuple[Fused, ...]:
    """Merge the lists of several collections into one list, ordered by (-fused, id, collection).

    `weights` has the factor for each collection's hits, 1 by default.

    - `scores`: weight times the fused score.
    - `rrf`: the sum of weight / (k + rank) over the collections with the chunk, rank from 1 in the
      list of each (Cormack, Clarke and Büttcher, 2009). A chunk of several collections is one
      candidate, from the collection with its highest rank. Hits below `depth` are left out, except
      those in `kept` (collection, id).
    """
    if config.method == "rrf":
        return _by_rank(fused, weights, config, kept)
    if all(weight == 1 for weight in weights.values()):
        return tuple(fused)
    scored = [_with(hit, hit.score * weights.get(hit.collection, 1.0)) for hit in fused]
    return _ordered(scored)


def _by_rank(
    fused: Sequence[Fused],
    weights: Mapping[str, float],
    config: MergeConfig,
    kept: frozenset[tuple[str, str]],
) -> tuple[Fused, ...]:
    ranks: dict[str, int] = defaultdict(int)
    best: dict[str, tuple[int, Fused]] = {}
    parts: dict[str, list[float]] = defaultdict(list)
    for hit in fused:
        ranks[hit.collection] += 1
        rank = ranks[hit.collection]
        if config.depth and rank > config.depth and (hit.collection, hit.id) not in kept:
            continue
        parts[hit.id].append(weights.get(hit.collection, 1.0) / (config.k + rank))
        known = best.setdefault(hit.id, (rank, hit))
        if (rank, hit.collection) < (known[0], known[1].collection):
            best[hit.id] = (rank, hit)
    return _ordered([_with(hit, fsum(parts[key]), "rrf") for key, (_, hit) in best.items()])


def _with(hit: Fused, score: float, kind: Literal["", "rrf"] = "") -> Fused:
    *known, last = hit.signals
    return Fused(hit.collection, hit.id, (*known, Signal("fused", kind or last.kind, score)))


def _ordered(fused: Sequence[Fused]) -> tuple[Fused, ...]:
    return tuple(sorted(fused, key=lambda one: (-one.score, one.id, one.collection)))
