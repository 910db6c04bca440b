"""Results that are relevant and differ from each other: maximal marginal relevance (MMR).

Carbonell and Goldstein (1998), The Use of MMR, Diversity-Based Reranking for Reordering Documents
and Producing Summaries: next is `argmax lambda * rel - (1 - lambda) * max cos` over what is left,
where the maximum is over what was taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pincite.errors import ConfigError
from pincite.model import Notice, Pool, Signal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pincite.model import Candidate


@dataclass(frozen=True, slots=True)
class DiversifyConfig:
    """`enabled`: choose by MMR. `fetch`: among so many of the best by cosine. `relevance`: the
    lambda, 1 for relevance alone, 0 for difference alone."""

    enabled: bool = False
    fetch: int = 20
    relevance: float = 0.5

    def __post_init__(self) -> None:
        if self.fetch < 1:
            raise ConfigError(f"fetch is {self.fetch}; it takes 1 or more")
        if not 0 <= self.relevance <= 1:
            raise ConfigError(f"relevance is {self.relevance}; it is from 0 to 1")


def diversify(
    candidates: Sequence[Candidate], config: DiversifyConfig, models: Mapping[str, str | None]
) -> Pool:
    """The best `fetch` by cosine in the order of MMR, with the signal `diverse`, then the others in
    the order that they had.

    With the cosines of a candidate to the question and to those that were taken before it,

        diverse = lambda * cos(question) - (1 - lambda) * max cos(taken)

    and the second term is 0 where none was taken. The largest is next, of equal ones the nearest to
    the question, then that of the smaller id. Vectors of one dense model are compared, which
    `models` names for each collection; a candidate of another model has nothing in common with it.
    One without a vector, or without a cosine to the question, cannot be compared and stands behind,
    which a notice says.
    """
    if not config.enabled:
        return Pool(tuple(candidates))
    comparable = [one for one in candidates if one.vector is not None and _cosine(one) is not None]
    comparable.sort(key=lambda one: (-(_cosine(one) or 0.0), one.chunk.id, one.collection))
    taken = _taken(comparable[: config.fetch], config.relevance, models)
    known = {(one.collection, one.chunk.id) for one in taken}
    rest = [one for one in candidates if (one.collection, one.chunk.id) not in known]
    return Pool((*taken, *rest), notices=_notices(len(candidates), len(comparable)))


def _taken(
    pool: Sequence[Candidate], relevance: float, models: Mapping[str, str | None]
) -> list[Candidate]:
    """All of the pool in the order of MMR."""
    near = _similarities(pool, models)
    most: list[float | None] = [None] * len(pool)  # to those that were taken
    left = list(range(len(pool)))
    taken = []
    while left:
        values = {
            n: relevance * (_cosine(pool[n]) or 0.0) - (1 - relevance) * (most[n] or 0.0)
            for n in left
        }
        best = min(left, key=lambda n: (-values[n], n))  # the pool is in order of cosine and id
        taken.append(pool[best].with_signal(Signal("diverse", "mmr", values[best])))
        left.remove(best)
        for n in left:
            cosine, known = near[best].get(n), most[n]
            if cosine is not None and (known is None or cosine > known):
                most[n] = cosine
    return taken


def _similarities(
    pool: Sequence[Candidate], models: Mapping[str, str | None]
) -> list[dict[int, float]]:
    """The cosines of each with all others of its model. They are summed pair by pair: a product of
    matrices gives other last digits in another order."""
    import numpy as np

    rows = [np.asarray(one.vector, dtype=np.float64) for one in pool]
    units = [row / (float(np.sqrt(np.einsum("i,i->", row, row))) or 1.0) for row in rows]
    near: list[dict[int, float]] = [{} for _ in pool]
    for n, one in enumerate(pool):
        for other in range(n):
            if models.get(one.collection) == models.get(pool[other].collection):
                cosine = float(np.einsum("i,i->", units[n], units[other]))
                near[n][other] = near[other][n] = cosine
    return near


def _cosine(candidate: Candidate) -> float | None:
    """To the question."""
    dense = candidate.signal("dense")
    return dense.value if dense is not None and dense.kind == "cosine" else None


def _notices(count: int, comparable: int) -> tuple[Notice, ...]:
    if count == comparable:
        return ()
    said = f"{count - comparable} of {count} candidates have no vector to compare"
    return (Notice("not_diversified", f"{said}: they stand behind, in the order that they had"),)
