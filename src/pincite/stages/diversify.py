"""Choose relevant and diverse results by maximal marginal relevance (MMR).

Carbonell and Goldstein (1998), The Use of MMR, Diversity-Based Reranking for Reordering Documents
and Producing Summaries: the next result is `argmax lambda * rel - (1 - lambda) * max cos` over the
remaining candidates. The maximum is over the results taken before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from pincite.model import Notice, Pool, Signal
from pincite.support.ranges import require_range

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pincite.model import Candidate


class DiversifyConfig(msgspec.Struct, frozen=True):
    """`enabled`: choose by MMR. `fetch`: the number of top candidates by cosine to choose from.
    `relevance`: lambda, 1 for relevance only, 0 for diversity only."""

    enabled: bool = False
    fetch: int = 20
    relevance: float = 0.5

    def __post_init__(self) -> None:
        require_range(self, "diversify", "fetch", least=1)
        require_range(self, "diversify", "relevance", least=0, most=1)


def diversify(
    candidates: Sequence[Candidate], config: DiversifyConfig, models: Mapping[str, str | None]
) -> Pool:
    """Return the top `fetch` candidates by cosine in the order of MMR, with the signal `diverse`,
    then the others in their previous order.

        diverse = lambda * cos(question) - (1 - lambda) * max cos(taken)

    The second term is 0 for the first candidate. The largest value is next; ties go to the larger
    cosine with the question, then to the smaller id. Only vectors of the same dense model are
    compared; `models` names it for each collection, and the similarity across models is 0. A
    candidate without a vector or without a cosine to the question comes last, with a notice.
    """
    if not config.enabled:
        return Pool(tuple(candidates))
    comparable = [one for one in candidates if one.vector is not None and _cosine(one) is not None]
    comparable.sort(key=lambda one: (-(_cosine(one) or 0.0), one.chunk.id, one.collection))
    taken = _taken(comparable[: config.fetch], config.relevance, models)
    known = {one.key for one in taken}
    rest = [one for one in candidates if one.key not in known]
    return Pool((*taken, *rest), notices=_notices(len(candidates), len(comparable)))


def _taken(
    pool: Sequence[Candidate], relevance: float, models: Mapping[str, str | None]
) -> list[Candidate]:
    """Return the whole pool in the order of MMR."""
    near = _similarities(pool, models)
    most: list[float | None] = [None] * len(pool)  # similarity to a taken one
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
    """Return the cosines between all candidates of one model. Pairs are summed one by one, because
    a matrix product gives other last digits in another order."""
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
    """Return the cosine of a candidate with the question."""
    dense = candidate.signal("dense")
    return dense.value if dense is not None and dense.kind == "cosine" else None


def _notices(count: int, comparable: int) -> tuple[Notice, ...]:
    if count == comparable:
        return ()
    said = f"{count - comparable} of {count} candidates have no vector to compare"
    return (Notice("not_diversified", f"{said}: they come last, in their previous order"),)
