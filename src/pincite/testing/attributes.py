"""Tests of what `Store` promises for attributes and filters on them. Part of `StoreContract`."""

from __future__ import annotations

import random
from typing import Any

import pytest

from pincite.errors import InvalidPoint, UsageError
from pincite.model import AttributeValue
from pincite.ports import AnyOf, Condition, DateRange, Exists, Filter, Is, Prefix, Range, Store
from pincite.stores.memory import MemoryStore
from pincite.support.fields import replace
from pincite.testing.points import point_of, request_for
from pincite.testing.random_attributes import (
    MANY,
    SPEC,
    TYPES,
    found,
    points_with,
    random_filter,
    typed,
)
from pincite.testing.running import contract


class AttributeContract:
    """Attributes are kept and found. `attribute_filters` is the number of random filters to try,
    `attribute_values` the number of values of an attribute; a slow store may take fewer, but more
    than a page has."""

    attribute_filters = 1_000
    attribute_values = MANY
    #: Whether the engine compares integers as floats. The one in Qdrant's client does not.
    compares_floats = True

    @contract
    async def test_a_thousand_filters_on_attributes_find_the_same_points_everywhere(
        self, store: Store
    ) -> None:
        exact = MemoryStore()
        for each in (store, exact):
            dice = random.Random(7)
            await each.create(SPEC)
            for number in range(3):
                points = points_with(50, dice, first=50 * number)
                await each.stage("main", {f"r{number}": points})
                await each.publish("main", {f"r{number}": None})
            await each.stage("main", {"unseen": points_with(20, dice, first=200)})
        dice, passed = random.Random(11), 0
        for _ in range(self.attribute_filters):
            filter_ = random_filter(dice)
            if not self.compares_floats and any(map(_rounds, filter_.conditions)):
                continue
            theirs = await found(exact, filter_)
            assert await found(store, filter_) == theirs, filter_
            passed += bool(theirs)
        assert passed > self.attribute_filters / 3  # otherwise the test shows little

    @contract
    async def test_ten_thousand_values_of_one_attribute(self, store: Store) -> None:
        await store.create(SPEC)
        count = self.attribute_values
        points = [
            point_of("fox", f"many/{n}", attributes={"student": f"s{n:05d}", "year": n})
            for n in range(count)
        ]
        for start in range(0, count, count // 5):
            await store.stage("main", {f"r{start}": points[start : start + count // 5]})
            await store.publish("main", {f"r{start}": None})
        for number in (0, count // 3, count - 1):
            same = Filter(must=(AnyOf("student", (f"s{number:05d}",)),))
            assert await found(store, same) == {points[number].chunk.id}
        tens = Filter(must=(Prefix("student", "s0123"),))
        assert await found(store, tens) == {point.chunk.id for point in points[1230:1240]}
        first, after = Range("year", gte=count - 10), Range("year", gt=count - 5.5)
        last = Filter(must=(first,), must_not=(after,))
        assert await found(store, last) == {point.chunk.id for point in points[-10:-5]}
        some = range(0, 150 * (count // 150), count // 150)
        many = Filter(must=(AnyOf("student", tuple(f"s{n:05d}" for n in some)),))
        assert len(await found(store, many)) == 150

    @contract
    async def test_what_is_kept_comes_back_with_its_type(self, store: Store) -> None:
        await store.create(SPEC)
        held: dict[str, AttributeValue] = {
            "course": "文書",
            "labels": ("b", "a"),
            "year": 2**63 - 1,
            "weight": 3.0,
            "visible": False,
            "due": "2026-11-22T09:00:00.5Z",
        }
        point = point_of("fox", attributes=held)
        bare = point_of("cow")
        await store.stage("main", {"r1": [point, bare]})
        await store.publish("main", {"r1": None})
        loaded = await store.load("main", [point.chunk.id, bare.chunk.id])
        ((_, exported), _) = sorted(
            await store.export("main", None, 9), key=lambda pair: pair[1].chunk != point.chunk
        )
        for chunk in (loaded[0].chunk, exported.chunk):
            assert typed(chunk.attributes) == typed(held)
        assert loaded[1].chunk.attributes == {}

    @contract
    async def test_each_type_is_asked_for_in_its_own_way(self, store: Store) -> None:
        await store.create(SPEC)
        one = point_of(
            "fox",
            "one",
            attributes={
                "course": "ml",
                "labels": ("a", "ab"),
                "year": 2**53 + 1,
                "weight": 2.0,
                "visible": True,
                "due": "2026-11-22",
            },
        )
        two = point_of("fox", "two")
        await store.stage("main", {"r1": [one, two]})
        await store.publish("main", {"r1": None})
        fitting: tuple[Condition, ...] = (
            *(AnyOf("course", ("ml", "x")), AnyOf("labels", ("ab",)), Prefix("labels", "ab")),
            *(Range("year", gte=2**53 + 1, lte=2**53 + 1), Range("year", gt=2**53 - 2)),
            *(Range("weight", gte=2, lte=2), Range("weight", gt=1.5, lt=2.5), Is("visible", True)),
            DateRange("due", gte="2026-11-22T00:00:00Z", lt="2026-11-22T00:00:00.000001Z"),
            DateRange("due", gt="2026-11-21T23:59:59.999999Z"),
            *(Exists(name) for name in ("course", "labels", "year", "weight", "visible", "due")),
        )
        failing: tuple[Condition, ...] = (
            *(AnyOf("course", ("ML", "m", "")), AnyOf("labels", ("b",)), AnyOf("course", ())),
            *(Range("year", gte=2**53, lte=2**53), Range("year", lt=5), Range("weight", gt=2)),
            *(Is("visible", False), DateRange("due", gt="2026-11-22"), Exists("student")),
        )
        for condition in fitting:
            assert await found(store, Filter(must=(condition,))) == {one.chunk.id}, condition
            assert await found(store, Filter(must_not=(condition,))) == {two.chunk.id}, condition
        for condition in failing:
            assert await found(store, Filter(should=(condition,))) == set(), condition
            everyone = {one.chunk.id, two.chunk.id}
            assert await found(store, Filter(must_not=(condition,))) == everyone, condition

    @contract
    async def test_attributes_may_become_more(self, store: Store) -> None:
        await store.create(replace(SPEC, attributes={}))
        old = point_of("fox", "old")
        await store.stage("main", {"r1": [old]})
        await store.publish("main", {"r1": None})
        with pytest.raises(UsageError):
            await found(store, Filter(must=(Exists("year"),)))
        await store.create(SPEC)
        await store.create(SPEC)
        new = point_of("fox", "new", attributes={"year": 1, "due": "2026-11-22"})
        await store.stage("main", {"r2": [new]})
        await store.publish("main", {"r2": None})
        assert await found(store, Filter(must=(Exists("year"),))) == {new.chunk.id}
        assert await found(store, Filter(must_not=(Exists("due"),))) == {old.chunk.id}

    @contract
    async def test_a_wrong_attribute_names_its_place_and_writes_nothing(self, store: Store) -> None:
        await store.create(replace(SPEC, attributes={**TYPES, "path": "keyword"}))
        wrong: tuple[tuple[str, Any], ...] = (
            *(("path", "x"), ("unknown", "x"), ("a b", "x"), ("year", "1"), ("year", True)),
            *(("year", 2**63), ("weight", 1), ("weight", float("nan")), ("visible", 1)),
            *(("due", "2026-11-22T10:00:00+01:00"), ("due", "soon"), ("labels", ["a"])),
            *(("labels", ("a", "a")), ("course", ""), ("course", None), ("course", "\ud83c")),
        )
        for name, value in wrong:
            bad = point_of("fox", path="d/bad.md", attributes={name: value})
            with pytest.raises(InvalidPoint, match=name) as raised:
                await store.stage("main", {"r1": [point_of("cow"), bad]})
            assert "d/bad.md" in str(raised.value)
        assert await store.revisions("main") == {}

    @contract
    async def test_a_condition_of_another_type_is_refused(self, store: Store) -> None:
        await store.create(SPEC)
        wrong: tuple[Condition, ...] = (
            *(AnyOf("year", ("1",)), Prefix("due", "2026"), Range("course", gte=1)),
            *(Is("weight", True), DateRange("visible", gte="2026-11-22"), Exists("Year")),
            *(DateRange("due"), DateRange("due", gte="soon"), Range("year", gte=2**64)),
            *(DateRange("due", gte="2026-11-22T10:00:00+01:00"), Is("path", True), Exists("no")),
        )
        for condition in wrong:
            with pytest.raises(UsageError):
                await store.search("main", request_for("fox", filter=Filter(must_not=(condition,))))


def _rounds(condition: Condition) -> bool:
    """Return whether it is a range with a bound that a float may not represent."""
    if not isinstance(condition, Range) or condition.exactly is not None:
        return False
    bounds = (condition.gte, condition.gt, condition.lte, condition.lt)
    return any(bound is not None and 2**53 <= abs(bound) < 2**64 for bound in bounds)
