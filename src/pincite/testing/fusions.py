"""Tests of what `Store` promises for fusion in the store. Part of `StoreContract`."""

from __future__ import annotations

import random
import statistics
from collections.abc import Mapping, Sequence
from typing import Literal

import pytest

from pincite.model import Hit, Ranking
from pincite.ports import AnyOf, Filter, SearchRequest, Store
from pincite.stores.memory import MemoryStore
from pincite.support.fields import replace
from pincite.testing.points import DENSE_SPEC, request_for
from pincite.testing.running import contract
from pincite.testing.scores import WORDS, random_points

_TOLERANCE = 1e-3
_SAME = 1e-4  # scores of one branch that may change places
_CASES_A_QUESTION = 20
_FILTERS = (Filter(), Filter(), Filter(must=(AnyOf("repo", ("acme/docs",)),)))
_METHODS: tuple[Literal["rrf", "dbsf"], ...] = ("rrf", "dbsf")


class FusionContract:
    """Fusion of both branches in one call. `fusion_cases` is the number of random cases; a store
    whose engine fuses should take 1,000."""

    fusion_cases = 100
    exact: type[MemoryStore] = MemoryStore

    async def both(self, store: Store) -> MemoryStore:
        """Put the same points into this store and into one with exact arithmetic, and return the
        latter."""
        exact = self.exact()
        for each in (store, exact):
            await each.create(DENSE_SPEC)
            for number in range(3):
                await each.stage("main", {f"r{number}": random_points(25, number)})
                await each.publish("main", {f"r{number}": None})
        return exact

    @contract
    async def test_a_fusion_is_that_of_the_branches_up_to_ties(self, store: Store) -> None:
        exact = await self.both(store)
        dice = random.Random(60)
        for _ in range(self.fusion_cases // _CASES_A_QUESTION):
            question = request_for(
                " ".join(dice.choices(WORDS, k=dice.randint(1, 4))),
                exact=True,
                filter=dice.choice(_FILTERS),
            )
            whole = replace(question, complete=False, dense_limit=999, sparse_limit=999)
            branches = await exact.search("main", whole)
            for _ in range(_CASES_A_QUESTION):
                request = replace(
                    question,
                    dense_limit=dice.randint(1, 40),
                    sparse_limit=dice.randint(1, 40),
                    fusion=dice.choice(_METHODS),
                    fusion_k=dice.choice((1, 2, 10, 60, 100)),
                    fusion_limit=dice.randint(1, 30),
                )
                (ranking,) = await store.search("main", request)
                assert (ranking.signal, ranking.kind) == ("fused", request.fusion)
                assert len(ranking.hits) == ranking.depth <= request.fusion_limit
                agree(ranking, branches, request)

    @contract
    async def test_a_fusion_sees_its_filter_and_a_single_branch(self, store: Store) -> None:
        await self.both(store)
        nothing = Filter(must=(AnyOf("repo", ()),))
        request = request_for("fox owl", filter=nothing, fusion="rrf")
        assert (await store.search("main", request))[0].hits == ()
        request = request_for("fox owl", dense=None, fusion="rrf", fusion_k=3, fusion_limit=2)
        (ranking,) = await store.search("main", request)
        assert [hit.score for hit in ranking.hits] == pytest.approx([1 / 4, 1 / 5])


def agree(ranking: Ranking, branches: Sequence[Ranking], request: SearchRequest) -> None:
    """Assert that every score is possible for the whole branches, in any order of ties, and that no
    better hit is missing."""
    limits = {"dense": request.dense_limit, "sparse": request.sparse_limit}
    bounds: dict[str, tuple[float, float]] = {}
    for branch in branches:
        for key, (low, high) in _bounds(branch.hits, limits[branch.signal], request).items():
            known = bounds.get(key, (0.0, 0.0))
            bounds[key] = (known[0] + low, known[1] + high)
    for hit in ranking.hits:
        low, high = bounds[hit.id]
        assert low - _TOLERANCE <= hit.score <= high + _TOLERANCE
    if ranking.hits:
        shown = {hit.id for hit in ranking.hits}
        better = {
            key for key, (low, _) in bounds.items() if low > ranking.hits[-1].score + _TOLERANCE
        }
        assert better <= shown


def _bounds(
    hits: Sequence[Hit], limit: int, request: SearchRequest
) -> Mapping[str, tuple[float, float]]:
    """Return the least and the greatest contribution of one branch to each of its hits."""
    scores = [hit.score for hit in hits]
    found = scores[:limit]
    deviation = statistics.stdev(found) if len(found) > 1 else 0.0
    low = statistics.fmean(found) - 3 * deviation if found else 0.0

    def part(rank: int) -> float:
        if rank > limit:
            return 0.0
        if request.fusion == "rrf":
            return 1 / (request.fusion_k + rank)
        return (scores[rank - 1] - low) / (6 * deviation) if deviation else 0.5

    result = {}
    for hit in hits:
        alike = [n for n, score in enumerate(scores, 1) if abs(score - hit.score) <= _SAME]
        values = [part(alike[0]), part(alike[-1])]
        result[hit.id] = (min(values), max(values))
    return result
