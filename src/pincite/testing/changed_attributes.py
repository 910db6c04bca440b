"""Tests of what `Store` promises for changed attributes. Part of `StoreContract`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from pincite.errors import InvalidPoint, UsageError
from pincite.model import AttributeValue, Point, Ranking
from pincite.model.attributes import reserved_names
from pincite.ports import AnyOf, Exists, Filter, Is, Range, Store
from pincite.support.fields import replace
from pincite.testing.points import point_of, request_for
from pincite.testing.random_attributes import DATES, SPEC, WORDS, found, typed
from pincite.testing.running import contract


class ChangedAttributesContract:
    """Changed attributes are found, and nothing else changes."""

    @contract
    async def test_changed_attributes_are_found_and_nothing_else_changes(
        self, store: Store
    ) -> None:
        await store.create(SPEC)
        held: dict[str, AttributeValue] = {"course": "ml", "year": 1, "labels": ("a",)}
        points = [point_of(f"fox {n}", f"c/{n}", attributes=held) for n in range(300)]
        other = point_of("fox alone", "c/other", attributes=held)
        await store.stage("main", {"r1": points})
        await store.publish("main", {"r1": None})
        await store.stage("main", {"r2": [other]})
        await store.publish("main", {"r2": None})
        asked = request_for("fox 7", dense_limit=400, sparse_limit=400, exact=True)
        before = _scores(await store.search("main", asked))
        vectors = {p.chunk.id: p for _, p in await store.export("main", None, 400)}
        changes: Mapping[str, Mapping[str, AttributeValue | None]] = {
            "r1": {"course": "stats", "year": None, "visible": True, "labels": ("b", "c")},
            "unknown": {"course": "stats"},
            "r2": {},
        }
        for _ in range(2):
            await store.set_attributes("main", changes)
        after = _scores(await store.search("main", asked))
        assert after.keys() == before.keys()
        assert all(abs(after[key] - before[key]) < 1e-6 for key in before)
        stats = Filter(must=(AnyOf("course", ("stats",)), Is("visible", True)))
        everyone = {point.chunk.id for point in points}
        assert await found(store, stats, limit=400) == everyone
        assert await found(store, Filter(must=(Exists("year"),)), limit=400) == {other.chunk.id}
        assert await found(store, Filter(must=(AnyOf("labels", ("a",)),))) == {other.chunk.id}
        for _, point in await store.export("main", None, 400):
            old = vectors[point.chunk.id]
            assert point.sparse == old.sparse
            assert point.dense is not None
            assert old.dense is not None
            assert float(abs(point.dense - old.dense).max()) < 1e-6
            if point.chunk.id in everyone:
                now: dict[str, AttributeValue] = {
                    "course": "stats",
                    "visible": True,
                    "labels": ("b", "c"),
                }
                assert typed(point.chunk.attributes) == typed(now)
                assert _without(point) == _without(old)
        assert await store.revisions("main") == {"r1": 300, "r2": 1}

    @contract
    async def test_a_staged_revision_changes_too_and_stays_unseen(self, store: Store) -> None:
        await store.create(SPEC)
        first = point_of("fox", attributes={"course": "ml"})
        await store.stage("main", {"r1": [first]})
        await store.publish("main", {"r1": None})
        await store.stage("main", {"r2": [first]})  # of the same id, so under another name
        await store.set_attributes("main", {"r2": {"course": "stats", "year": 7}})
        assert await found(store, Filter(must=(AnyOf("course", ("stats",)),))) == set()
        assert await found(store, Filter(must=(AnyOf("course", ("ml",)),))) == {first.chunk.id}
        await store.publish("main", {"r2": "r1"})
        assert await found(store, Filter(must=(AnyOf("course", ("ml",)),))) == set()
        year = Filter(must=(Range("year", gte=7, lte=7),))
        assert await found(store, year) == {first.chunk.id}
        (loaded,) = await store.load("main", [first.chunk.id])
        assert loaded.chunk.attributes == {"course": "stats", "year": 7}

    @contract
    async def test_many_revisions_change_each_in_its_own_way(self, store: Store) -> None:
        await store.create(SPEC)
        points = [point_of("fox", f"m/{n}", attributes={"year": n}) for n in range(40)]
        for number, point in enumerate(points):
            await store.stage("main", {f"r{number}": [point]})
            await store.publish("main", {f"r{number}": None})
        changes = {f"r{n}": {"course": WORDS[n % 3], "due": DATES[n % 4]} for n in range(40)}
        await store.set_attributes("main", changes)
        for place in range(3):
            fitting = {p.chunk.id for n, p in enumerate(points) if n % 3 == place}
            assert await found(store, Filter(must=(AnyOf("course", (WORDS[place],)),))) == fitting
        await store.set_attributes("main", {f"r{n}": {"course": None} for n in range(40)})
        assert await found(store, Filter(must=(Exists("course"),))) == set()
        assert len(await found(store, Filter(must=(Exists("due"), Exists("year"))))) == 40

    @contract
    async def test_a_change_that_cannot_be_changes_nothing(self, store: Store) -> None:
        await store.create(SPEC)
        point = point_of("fox", attributes={"year": 1})
        await store.stage("main", {"r1": [point]})
        await store.publish("main", {"r1": None})
        for name in ("path", "revision", "a b", "", sorted(reserved_names())[0]):
            with pytest.raises(UsageError):
                await store.set_attributes("main", {"r1": {"year": 2, name: None}})
        for name, value in (("unknown", 1), ("year", "2"), ("visible", 1)):
            with pytest.raises(InvalidPoint, match=name):
                await store.set_attributes("main", {"r1": {"weight": 2.0, name: value}})
        with pytest.raises(UsageError):
            await store.set_attributes("nowhere", {})
        (loaded,) = await store.load("main", [point.chunk.id])
        assert loaded.chunk.attributes == {"year": 1}


def _without(point: Point) -> Any:
    """Return the chunk without attributes."""
    return replace(point.chunk, attributes={})


def _scores(rankings: Sequence[Ranking]) -> dict[tuple[str, str], float]:
    return {(one.signal, hit.id): hit.score for one in rankings for hit in one.hits}
