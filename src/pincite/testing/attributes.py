"""Attributes in a store, as tests: what filters find, and what changing them leaves alone."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from pincite.errors import InvalidPoint, UsageError
from pincite.model import AttributeType, AttributeValue, Point, Ranking
from pincite.model.attributes import attribute_of, reserved_names
from pincite.ports import AnyOf, Condition, DateRange, Exists, Filter, Is, Prefix, Range, Store
from pincite.stores.memory import MemoryStore
from pincite.support.fields import replace
from pincite.testing.points import DENSE_SPEC, point_of, request_for
from pincite.testing.running import contract

TYPES: dict[str, AttributeType] = {
    "course": "keyword",
    "student": "keyword",
    "labels": "keywords",
    "year": "integer",
    "weight": "float",
    "visible": "boolean",
    "due": "date",
}
SPEC = replace(DENSE_SPEC, attributes=TYPES)
WORDS = (
    "ml",
    "ML",
    "straße",
    "文書",
    "a,b",
    "émeu",
    "x" * 300,
    " ",
    "null",
    "ml/2026",
    '"',
    "true",
)
INTEGERS = (0, 1, -1, 2026, 2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63), 10**15)
FLOATS = (0.0, 1.0, -2.5, 1e-300, 1e300, -1e300, 9007199254740993.0, 3.14)
ZONES = (UTC, timezone(timedelta(hours=5, minutes=30)), timezone(timedelta(hours=-11)))
DATES = tuple(
    value
    for given in (
        *("0001-01-01", "9999-12-31", "9999-12-31T23:59:59.999999Z", "1970-01-01", "2026-11-22"),
        *("2026-11-22T00:00:00Z", "2026-11-22T10:00:00+01:00", "2026-11-22T09:00:00.5Z"),
        *("2026-11-22T09:00:00.000001Z", "1969-12-31T23:59:59.999Z"),
        *(datetime(2026, 11, 22, 23, 30, tzinfo=zone) for zone in ZONES),
    )
    if isinstance(value := attribute_of("date", given), str)
)
_MANY = 10_000


def random_attributes(dice: random.Random, number: int) -> dict[str, AttributeValue]:
    """Some of all attributes; `student` is of this number alone."""
    held: dict[str, AttributeValue] = {
        "student": f"s{number:05d}",
        "course": dice.choice(WORDS),
        "labels": tuple(dict.fromkeys(dice.choices(WORDS, k=dice.randint(1, 4)))),
        "year": dice.choice((*INTEGERS, dice.randint(-50, 50), dice.randint(-(2**63), 2**63 - 1))),
        "weight": dice.choice((*FLOATS, dice.uniform(-50, 50))),
        "visible": dice.random() < 0.5,
        "due": dice.choice(DATES),
    }
    return {name: value for name, value in held.items() if dice.random() < 0.8}


def random_condition(dice: random.Random) -> Condition:
    """Any condition on any attribute that it knows."""
    name = dice.choice(tuple(TYPES))
    if dice.random() < 0.1:
        return Exists(name)
    match TYPES[name]:
        case "keyword" | "keywords":
            known = [*WORDS, "", *(f"s{dice.randrange(_MANY):05d}" for _ in range(5))]
            if dice.random() < 0.3:
                return Prefix(name, dice.choice((*known, "s00", "m")))
            return AnyOf(name, tuple(dice.sample(known, dice.randint(0, 6))))
        case "integer":
            bounds = (*INTEGERS, 2.5, 1e300, float(dice.randint(-9, 9)))
            return Range(name, **_bounds(dice, bounds))
        case "float":
            return Range(name, **_bounds(dice, (*FLOATS, 3, dice.uniform(-50, 50))))
        case "boolean":
            return Is(name, dice.random() < 0.5)
        case "date":
            return DateRange(name, **_bounds(dice, DATES))


def _bounds(dice: random.Random, values: tuple[Any, ...]) -> dict[str, Any]:
    if dice.random() < 0.4:
        value = dice.choice(values)
        return {"gte": value, "lte": value}
    names = dice.sample(("gte", "gt", "lte", "lt"), dice.randint(1, 2))
    return {name: dice.choice(values) for name in names}


def random_filter(dice: random.Random) -> Filter:
    """Up to two conditions of each sort."""

    def some() -> tuple[Condition, ...]:
        return tuple(random_condition(dice) for _ in range(dice.choice((0, 0, 1, 2))))

    return Filter(must=some(), should=some(), must_not=some())


def points_with(
    number_of: int, dice: random.Random, *, first: int = 0, text: str = "fox"
) -> list[Point]:
    """Points of the same text with random attributes."""
    return [
        point_of(text, f"attributes/{number}", attributes=random_attributes(dice, number))
        for number in range(first, first + number_of)
    ]


async def found(store: Store, filter_: Filter, *, limit: int = 200) -> set[str]:
    """The ids that the filter lets pass."""
    request = request_for("fox", filter=filter_, sparse=None, dense_limit=limit, exact=True)
    (ranking,) = await store.search("main", request)
    return {hit.id for hit in ranking.hits}


class AttributeContract:
    """Kept, found. `attribute_filters` random ones are tried, and an attribute has
    `attribute_values`; a store that is slow may take fewer, but more than its pages have."""

    attribute_filters = 1_000
    attribute_values = _MANY
    #: Does the engine compare integers as floats? The one in Qdrant's client does not.
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
        assert passed > self.attribute_filters / 3  # or they say little

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
            assert _typed(chunk.attributes) == _typed(held)
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


class ChangedAttributesContract:
    """`set_attributes`."""

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
                assert _typed(point.chunk.attributes) == _typed(now)
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
    """The chunk without attributes."""
    return replace(point.chunk, attributes={})


def _rounds(condition: Condition) -> bool:
    """Is it a range with a bound that a float may not have?"""
    if not isinstance(condition, Range) or condition.exactly is not None:
        return False
    bounds = (condition.gte, condition.gt, condition.lte, condition.lt)
    return any(bound is not None and 2**53 <= abs(bound) < 2**64 for bound in bounds)


def _typed(held: Mapping[str, AttributeValue]) -> dict[str, tuple[str, AttributeValue]]:
    return {name: (type(value).__name__, value) for name, value in held.items()}


def _scores(rankings: Sequence[Ranking]) -> dict[tuple[str, str], float]:
    return {(one.signal, hit.id): hit.score for one in rankings for hit in one.hits}
