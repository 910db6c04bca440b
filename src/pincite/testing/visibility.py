"""Tests of what `Store` promises for the visibility of points. Part of `StoreContract`."""

from __future__ import annotations

from pincite.model import Point
from pincite.ports import Store
from pincite.support.fields import replace
from pincite.testing.points import (
    DENSE_SPEC,
    LEXICAL_SPEC,
    id_of,
    point_of,
    request_for,
)
from pincite.testing.running import contract

FOX = point_of("the quick brown fox")
COW = point_of("the slow brown cow")


async def found(store: Store, text: str) -> set[str]:
    """Return the ids that a search for a text finds in either branch."""
    rankings = await store.search("main", request_for(text))
    return {hit.id for ranking in rankings for hit in ranking.hits}


async def show(store: Store, revision: str, *points: Point, replaces: str | None = None) -> None:
    """Stage and publish points."""
    await store.stage("main", {revision: points})
    await store.publish("main", {revision: replaces})


class VisibilityContract:
    """Points are staged, published, replaced and removed. A slow store may take fewer
    `revisions_at_once`, but more than it sends in one request."""

    revisions_at_once = 1_000

    @contract
    async def test_staged_points_are_out_of_sight(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        await store.stage("main", {"r1": [FOX]})
        assert await found(store, "fox") == set()
        assert await store.load("main", [FOX.chunk.id]) == ()
        assert await store.page("main", None, 10) == ()
        assert await store.revisions("main") == {"r1": 1}
        assert await store.staged("main") == {"r1"}
        await store.publish("main", {"r1": None})
        assert "r1" not in await store.staged("main")

    @contract
    async def test_published_points_are_found_at_once(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        await show(store, "r1", FOX)
        assert await found(store, "fox") == {FOX.chunk.id}
        (stored,) = await store.load("main", [FOX.chunk.id])
        assert stored.chunk == FOX.chunk

    @contract
    async def test_a_revision_is_read_in_the_order_of_its_file(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        later = replace(FOX.chunk, start=500, end=519)
        await show(store, "r1", COW, replace(FOX, chunk=later))
        assert await store.of_revision("main", "r1") == (COW.chunk, later)
        await store.stage("main", {"r2": [point_of("a fox of another revision")]})
        for unseen in ("r2", "r3"):
            assert await store.of_revision("main", unseen) == ()

    @contract
    async def test_what_is_replaced_is_gone(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        await show(store, "r1", FOX)
        await show(store, "r2", COW, replaces="r1")
        assert await found(store, "fox cow") == {COW.chunk.id}
        assert await store.revisions("main") == {"r2": 1}

    @contract
    async def test_a_revision_is_staged_in_several_calls(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        await store.stage("main", {"r1": [FOX]})
        await store.stage("main", {"r1": [COW]})
        assert await found(store, "fox cow") == set()
        await store.publish("main", {"r1": None})
        assert await found(store, "fox cow") == {FOX.chunk.id, COW.chunk.id}

    @contract
    async def test_staging_and_publishing_again_changes_nothing(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        for _ in range(2):
            await show(store, "r2", FOX, COW, replaces="r1")
            await store.stage("main", {"r2": [FOX, COW]})
            assert await found(store, "fox cow") == {FOX.chunk.id, COW.chunk.id}
            await store.publish("main", {"r2": "r2"})
            assert await store.revisions("main") == {"r2": 2}

    @contract
    async def test_the_last_point_of_an_id_counts(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        other = point_of("other words", "x")
        await show(store, "r1", point_of("first words", "x"), other)
        (stored,) = await store.load("main", [other.chunk.id])
        assert stored.chunk.text == "other words"
        assert await store.revisions("main") == {"r1": 1}

    @contract
    async def test_a_staged_revision_with_the_same_ids_leaves_the_visible_one_alone(
        self, store: Store
    ) -> None:
        await store.create(DENSE_SPEC)
        old = [point_of("old text of a", "a", title="old"), point_of("old text of b", "b")]
        new = [point_of("new text of a", "a", title="new"), point_of("new text of c", "c")]
        await show(store, "r1", *old)
        for _ in range(2):
            await store.stage("main", {"r2": new})
            assert {c.text for c in await store.page("main", None, 9)} == {
                "old text of a",
                "old text of b",
            }
            assert await found(store, "new") == await found(store, "old")
            assert await store.revisions("main") == {"r1": 2, "r2": 2}
        await store.publish("main", {"r2": "r1"})
        chunks = await store.page("main", None, 9)
        assert {c.text for c in chunks} == {"new text of a", "new text of c"}
        assert {s.chunk for s in await store.load("main", [id_of("a"), id_of("c")])} == set(chunks)
        assert await store.revisions("main") == {"r2": 2}

    @contract
    async def test_a_staged_revision_with_the_same_ids_can_be_given_up(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        await show(store, "r1", point_of("old text", "a"))
        await store.stage("main", {"r2": [point_of("new text", "a")]})
        await store.remove("main", ["r2"])
        assert await store.revisions("main") == {"r1": 1}
        assert [c.text for c in await store.page("main", None, 9)] == ["old text"]

    @contract
    async def test_ids_belong_to_the_revision_that_was_published_last(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        await show(store, "r1", point_of("one", "a"), FOX)
        await show(store, "r2", point_of("two", "a"))
        assert {c.text for c in await store.page("main", None, 9)} == {"two", FOX.chunk.text}
        assert await store.revisions("main") == {"r1": 1, "r2": 1}

    @contract
    async def test_revisions_are_staged_and_published_together(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        hen, owl, yak = (point_of(text) for text in ("white hen", "grey owl", "old yak"))
        await show(store, "r1", FOX)
        await show(store, "r2", COW, hen)
        await store.stage("main", {"r3": [owl], "r4": [yak], "r5": []})
        await store.stage("main", {"r4": [point_of("young yak")], "r1": [FOX]})
        assert await found(store, "fox cow hen owl yak") == {p.chunk.id for p in (FOX, COW, hen)}
        assert await store.revisions("main") == {"r1": 1, "r2": 2, "r3": 1, "r4": 2}
        assert {"r3", "r4"} <= await store.staged("main")
        for _ in range(2):
            await store.publish("main", {"r3": "r1", "r4": None, "r2": "r2", "r5": None})
            assert len(await store.page("main", None, 9)) == 5
            assert FOX.chunk.id not in await found(store, "fox cow hen owl yak")
            assert await store.revisions("main") == {"r2": 2, "r3": 1, "r4": 2}
        assert not await store.staged("main") & {"r3", "r4"}
        await store.stage("main", {})
        await store.publish("main", {})
        assert await store.revisions("main") == {"r2": 2, "r3": 1, "r4": 2}

    @contract
    async def test_some_of_what_was_staged_together_is_published(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        await show(store, "r1", FOX)
        await store.stage("main", {"r2": [COW], "r3": [point_of("white hen")]})
        await store.publish("main", {"r2": "r1"})
        assert {c.text for c in await store.page("main", None, 9)} == {COW.chunk.text}
        await store.remove("main", ["r3"])
        assert await store.revisions("main") == {"r2": 1}

    @contract
    async def test_what_is_shown_stays_though_another_replaces_it(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        await show(store, "r1", FOX)
        await store.stage("main", {"r2": [COW], "r3": [point_of("white hen")]})
        await store.publish("main", {"r2": "r1", "r3": "r2"})
        assert await store.revisions("main") == {"r2": 1, "r3": 1}
        assert len(await store.page("main", None, 9)) == 2

    @contract
    async def test_several_revisions_take_over_ids_together(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        old = {f"old{n}": [point_of(f"old {n} {m}", f"{n}/{m}") for m in range(3)] for n in "abc"}
        await store.stage("main", old)
        await store.publish("main", dict.fromkeys(old))
        new = {f"new{n}": [point_of(f"new {n} {m}", f"{n}/{m}") for m in range(1, 5)] for n in "ab"}
        new["newd"] = [point_of("new d", "d")]
        for _ in range(2):
            await store.stage("main", new)
            texts = {chunk.text for chunk in await store.page("main", None, 99)}
            assert texts == {p.chunk.text for points in old.values() for p in points}
            assert await store.revisions("main") == dict.fromkeys(old, 3) | {
                "newa": 4,
                "newb": 4,
                "newd": 1,
            }
        await store.publish("main", {"newa": "olda", "newb": None, "newd": "oldc"})
        assert await store.revisions("main") == {"newa": 4, "newb": 4, "newd": 1, "oldb": 1}
        shown = {chunk.text for chunk in await store.page("main", None, 99)}
        assert shown == {p.chunk.text for points in new.values() for p in points} | {"old b 0"}

    @contract
    async def test_a_thousand_revisions_appear_and_go_in_one_call(self, store: Store) -> None:
        await store.create(LEXICAL_SPEC)
        request = request_for("common", dense=None, sparse_limit=5_000)
        former: str | None = None
        count = self.revisions_at_once
        for version in ("a", "b"):
            revisions = {
                f"{version}{n}": [point_of(f"{version}{n} common", dense=False)]
                for n in range(count)
            }
            await store.stage("main", revisions)
            (sparse,) = await store.search("main", request)
            assert len(sparse.hits) == (count if former else 0)
            replaced = {f"{version}{n}": former and f"{former}{n}" for n in range(count)}
            await store.publish("main", replaced)
            (sparse,) = await store.search("main", request)
            assert len(sparse.hits) == count
            assert (await store.revisions("main")).keys() == revisions.keys()
            former = version

    @contract
    async def test_removing_takes_points_away_staged_or_not(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        await show(store, "r1", FOX)
        await store.stage("main", {"r2": [COW]})
        await store.remove("main", ["r1", "r2", "never there"])
        await store.remove("main", [])
        assert await found(store, "fox cow") == set()
        assert await store.revisions("main") == {}
        await show(store, "r1", FOX)
        assert await found(store, "fox cow") == {FOX.chunk.id}

    @contract
    async def test_many_revisions_are_removed_together(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        for number in range(150):
            await show(store, f"r{number}", point_of(f"text {number}"))
        await store.remove("main", [f"r{number}" for number in range(149)])
        assert await store.revisions("main") == {"r149": 1}

    @contract
    async def test_a_document_of_3000_chunks_appears_and_goes_as_a_whole(
        self, store: Store
    ) -> None:
        await store.create(LEXICAL_SPEC)
        points = [point_of(f"word{n} common", dense=False) for n in range(3_000)]
        await show(store, "r1", *points)
        assert await store.revisions("main") == {"r1": 3_000}
        request = request_for("common", dense=None, sparse_limit=5_000)
        (sparse,) = await store.search("main", request)
        assert len(sparse.hits) == 3_000
        await show(store, "r2", *points[:10], replaces="r1")
        assert await store.revisions("main") == {"r2": 10}
