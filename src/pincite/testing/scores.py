"""Tests of what `Store` promises for scores, limits, ties and filters. Part of `StoreContract`.

Scores of any store agree with the exact ones of `MemoryStore` to a relative TOLERANCE. Ids with
closer scores may come in either order, and at a limit either may be included. Sparse scores are
compared only if nothing was removed or replaced since the last `optimise`, because IDF may count
such points until then.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from pincite.errors import InvalidPoint, UsageError
from pincite.model import Hit, Point, Ranking, SparseVector
from pincite.ports import AnyOf, Filter, SearchRequest, Store
from pincite.stores.memory import MemoryStore
from pincite.support.fields import replace
from pincite.testing.points import DENSE, DENSE_SPEC, point_of, request_for
from pincite.testing.running import contract

TOLERANCE = 1e-4
WORDS = ("fox", "cow", "hen", "owl", "pig", "rat", "bee", "elk", "emu", "yak")


def assert_same(ours: Sequence[Ranking], exact: Sequence[Ranking]) -> None:
    """Assert that two answers to one request agree, up to rounding."""
    assert [(r.signal, r.kind, r.depth) for r in ours] == [
        (r.signal, r.kind, r.depth) for r in exact
    ]
    for mine, theirs in zip(ours, exact, strict=True):
        assert_ordered(mine)
        _assert_same_hits(mine.hits[: mine.depth], theirs.hits[: theirs.depth])
        known = {hit.id: hit.score for hit in theirs.hits}
        for hit in mine.hits:
            if hit.id in known:  # one that tied at a limit may be elsewhere
                assert hit.score == pytest.approx(known[hit.id], rel=TOLERANCE, abs=TOLERANCE)


def assert_ordered(ranking: Ranking) -> None:
    """Assert that the hits within `depth` are ordered, and so are the others."""
    for part in (ranking.hits[: ranking.depth], ranking.hits[ranking.depth :]):
        assert list(part) == sorted(part, key=lambda hit: (-hit.score, hit.id))
    assert len({hit.id for hit in ranking.hits}) == len(ranking.hits)


def _assert_same_hits(mine: Sequence[Hit], theirs: Sequence[Hit]) -> None:
    scores = [hit.score for hit in theirs]
    assert [hit.score for hit in mine] == pytest.approx(scores, rel=TOLERANCE, abs=TOLERANCE)
    floor = scores[-1] + TOLERANCE if scores else 0.0
    safe = {hit.id for hit in theirs if hit.score > floor}
    assert safe <= {hit.id for hit in mine}


def random_points(count: int, seed: int) -> list[Point]:
    """Return points of a few words each, with every field of filters."""
    dice = random.Random(seed)
    return [
        point_of(
            " ".join(dice.choices(WORDS, weights=range(1, 11), k=dice.randint(0, 12))),
            f"{seed}/{number}",
            repo=dice.choice(("acme/docs", "acme/code")),
            path=f"d/{dice.randint(0, 5)}.md",
            source_type=dice.choice(("docs", "code", "data")),
            language=dice.choice(("markdown", "python")),
            symbols=tuple(dice.sample(WORDS, dice.randint(0, 3))),
        )
        for number in range(count)
    ]


FILTERS = (
    Filter(must=(AnyOf("repo", ("acme/docs",)),)),
    Filter(must=(AnyOf("source_type", ("docs", "data")), AnyOf("language", ("python",)))),
    Filter(must=(AnyOf("symbols", ("fox",)),)),
    Filter(must=(AnyOf("symbols", ("fox", "owl")),), must_not=(AnyOf("symbols", ("pig",)),)),
    Filter(must_not=(AnyOf("path", ("d/0.md", "d/1.md")),)),
    Filter(must=(AnyOf("revision", ("r1", "r3")),)),
    Filter(must_not=(AnyOf("revision", ("r1",)), AnyOf("symbols", ("fox", "cow")))),
    Filter(must=(AnyOf("repo", ("nowhere",)),)),
    Filter(must=(AnyOf("repo", ()),)),
    Filter(must_not=(AnyOf("repo", ()),)),
    Filter(must=(AnyOf("path", ("",)),)),
)


class ScoreContract:
    """Hits are ranked, limited and filtered, with ties in order. Override `exact` for a store with
    another formula."""

    exact: type[MemoryStore] = MemoryStore

    async def filled(self, store: Store) -> MemoryStore:
        """Put the same points into this store and into an exact one, and return the latter."""
        exact = self.exact()
        for each in (store, exact):
            await each.create(DENSE_SPEC)
            for number in range(4):
                await each.stage("main", {f"r{number}": random_points(60, number)})
                await each.publish("main", {f"r{number}": None})
        return exact

    async def agree(self, store: Store, exact: Store, request: SearchRequest) -> None:
        """Assert that both return the same answer."""
        assert_same(await store.search("main", request), await exact.search("main", request))

    @contract
    async def test_scores_equal_exact_arithmetic(self, store: Store) -> None:
        exact = await self.filled(store)
        for text in ("fox", "fox cow yak", "fox fox owl", "nothing of it", "bee 🎉"):
            for limit in (1, 7, 500):
                request = request_for(text, dense_limit=limit, sparse_limit=limit, exact=True)
                await self.agree(store, exact, request)

    @contract
    async def test_a_complete_answer_knows_both_scores_of_the_whole_union(
        self, store: Store
    ) -> None:
        exact = await self.filled(store)
        everything = request_for("fox owl", dense_limit=999, sparse_limit=999, exact=True)
        answer = await exact.search("main", everything)
        full = {ranking.signal: {h.id: h.score for h in ranking.hits} for ranking in answer}
        for limits in ((5, 20), (20, 5), (1, 1)):
            request = request_for("fox owl", dense_limit=limits[0], sparse_limit=limits[1])
            rankings = await store.search("main", request)
            union = {hit.id for ranking in rankings for hit in ranking.hits[: ranking.depth]}
            for ranking in rankings:
                assert_ordered(ranking)
                wanted = {
                    key: full[ranking.signal][key] for key in union & full[ranking.signal].keys()
                }
                known = {hit.id: hit.score for hit in ranking.hits}
                assert known == pytest.approx(wanted, rel=TOLERANCE, abs=TOLERANCE)

    @contract
    async def test_an_answer_that_need_not_be_complete_has_no_tail(self, store: Store) -> None:
        await self.filled(store)
        request = request_for("fox owl", dense_limit=5, sparse_limit=9, complete=False)
        rankings = await store.search("main", request)
        assert [(r.depth, len(r.hits)) for r in rankings] == [(5, 5), (9, 9)]

    @contract
    async def test_a_collection_without_idf_has_plain_products(self, store: Store) -> None:
        await store.create(replace(DENSE_SPEC, idf=False))
        points = [point_of("fox fox cow"), point_of("fox"), point_of("cow hen")]
        await store.stage("main", {"r1": points})
        await store.publish("main", {"r1": None})
        request = request_for("fox fox owl", dense=None)
        (ranking,) = await store.search("main", request)
        assert request.sparse is not None
        asked = dict(zip(request.sparse.indices, request.sparse.values, strict=True))
        expected = {
            p.chunk.id: sum(
                value * asked.get(index, 0.0)
                for index, value in zip(p.sparse.indices, p.sparse.values, strict=True)
            )
            for p in points[:2]
        }
        assert ranking.kind == "dot"
        assert {hit.id: hit.score for hit in ranking.hits} == pytest.approx(expected, rel=TOLERANCE)

    @contract
    async def test_the_idf_may_be_left_to_the_query_and_given_back(self, store: Store) -> None:
        exact = await self.filled(store)
        for counted in (True, False, True):
            for each in (store, exact):
                await each.create(replace(DENSE_SPEC, counted=counted))
            (ranking,) = await store.search("main", request_for("fox owl", dense=None))
            assert (ranking.kind, len(ranking.hits) > 0) == ("bm25", True)
            await self.agree(store, exact, request_for("fox owl bee", exact=True))
            assert await store.revisions("main") == await exact.revisions("main")

    @contract
    async def test_filters_agree_with_exact_ones(self, store: Store) -> None:
        exact = await self.filled(store)
        for filter_ in FILTERS:
            request = request_for("fox owl", filter=filter_, exact=True)
            await self.agree(store, exact, request)

    @contract
    async def test_empty_values_match_nothing(self, store: Store) -> None:
        await self.filled(store)
        nothing = Filter(must=(AnyOf("repo", ()),))
        for ranking in await store.search("main", request_for("fox", filter=nothing)):
            assert ranking.hits == ()

    @contract
    async def test_ties_are_ordered_by_id(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        points = [point_of("the same words", f"copy {number}") for number in range(20)]
        await store.stage("main", {"r1": points})
        await store.publish("main", {"r1": None})
        for ranking in await store.search("main", request_for("same words")):
            assert [hit.id for hit in ranking.hits] == sorted(p.chunk.id for p in points)

    @contract
    async def test_a_branch_without_a_vector_is_not_run(self, store: Store) -> None:
        await self.filled(store)
        (dense,) = await store.search("main", request_for("fox", sparse=None))
        (sparse,) = await store.search("main", request_for("fox", dense=None))
        assert (dense.signal, dense.kind, sparse.signal, sparse.kind) == (
            *("dense", "cosine"),
            *("sparse", "bm25"),
        )
        assert await store.search("main", SearchRequest()) == ()

    @contract
    async def test_an_empty_collection_gives_empty_hits(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        rankings = await store.search("main", request_for("fox"))
        assert [(r.signal, r.hits, r.depth) for r in rankings] == [
            ("dense", (), 0),
            ("sparse", (), 0),
        ]

    @contract
    async def test_points_and_queries_without_terms_are_found_by_meaning_alone(
        self, store: Store
    ) -> None:
        await store.create(DENSE_SPEC)
        point = point_of("🎉", "party")
        assert point.sparse.indices == ()
        await store.stage("main", {"r1": [point, point_of("fox")]})
        await store.publish("main", {"r1": None})
        dense, sparse = await store.search("main", request_for("🎉"))
        assert dense.hits[0].id == point.chunk.id
        assert sparse.hits == ()
        dense, sparse = await store.search("main", request_for("fox"))
        assert {hit.id for hit in dense.hits} == {point.chunk.id, point_of("fox").chunk.id}
        assert [hit.id for hit in sparse.hits] == [point_of("fox").chunk.id]

    @contract
    async def test_idf_forgets_what_was_removed_once_it_is_optimised(self, store: Store) -> None:
        exact = await self.filled(store)
        for each in (store, exact):
            await each.remove("main", ["r1", "r2"])
        await store.optimise("main")
        await self.agree(store, exact, request_for("fox owl bee", exact=True))

    @contract
    async def test_a_request_that_cannot_be_is_refused(self, store: Store) -> None:
        await self.filled(store)
        for values in (
            {"dense_limit": 0},
            {"sparse_limit": -1},
            {"hnsw_ef": 0},
            {"filter": Filter(must=(AnyOf("text", ("x",)),))},
        ):
            with pytest.raises(UsageError):
                await store.search("main", request_for("fox", **values))
        short = DENSE.vector("fox")[:3]
        for vectors in ({"dense": short}, {"sparse": SparseVector((1,), (float("nan"),))}):
            with pytest.raises(InvalidPoint):
                await store.search("main", request_for("fox", **vectors))
        await self.agree(store, await self._copy(), request_for("fox", exact=True))

    async def _copy(self) -> MemoryStore:
        return await self.filled(self.exact())
