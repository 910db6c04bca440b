"""The lists of several collections become one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Literal, get_args

from pincite.errors import ConfigError
from pincite.model import Fused, Signal

AcrossMethod = Literal["scores", "rrf"]


@dataclass(frozen=True, slots=True)
class MergeConfig:
    """`scores` compares what was fused as it is, which is right where collections are on one scale
    (see `stages.fuse`). `rrf` compares places, with `k`, whatever the models are.

    `depth`: how many of each collection take part in `rrf`, 0 for all. `per_result`: so many times
    the results that are asked for; 0 leaves `depth` as it is.
    """

    method: AcrossMethod = "scores"
    k: int = 60
    depth: int = 0
    per_result: int = 0

    def __post_init__(self) -> None:
        if self.method not in get_args(AcrossMethod):
            known = ", ".join(get_args(AcrossMethod))
            raise ConfigError(f"across.method is {self.method!r}; use one of {known}")
        for name in ("k", "depth", "per_result"):
            if getattr(self, name) < 0:
                raise ConfigError(f"across.{name} is {getattr(self, name)}; it is not negative")


def merge(
    fused: Sequence[Fused],
    weights: Mapping[str, float],
    config: MergeConfig,
    kept: frozenset[tuple[str, str]] = frozenset(),
) -> tuple[Fused, ...]:
    """One list of chunks by (-fused, id, collection) from one that is in this order.

    `weights` say what the hits of a collection count, 1 where nothing is said.

    - `scores`: weight times the fused score.
    - `rrf`: the sum of weight / (k + rank) over the collections that have the chunk, rank from 1 in
      the list of each (Cormack, Clarke and Büttcher, 2009). A chunk that several have is one
      candidate, that of the collection where it stands highest. Those behind the `depth` are left
      out, but for `kept` ones (collection, id).
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
