"""Tests of what `Store` promises for filters. Part of `StoreContract`.

Random filters are applied to random points: every store must return the same ids as `MemoryStore`,
which evaluates filters with `ports.predicate`.
"""

from __future__ import annotations

import random

import pytest

from pincite.errors import UsageError
from pincite.model import Point
from pincite.ports import (
    FILTER_FIELDS,
    NUMBER_FIELDS,
    TEXT_FIELDS,
    AnyOf,
    Condition,
    Exists,
    Filter,
    Ids,
    Phrase,
    Prefix,
    Range,
    Store,
    Text,
    equals,
)
from pincite.stores.memory import MemoryStore
from pincite.testing.points import DENSE_SPEC, id_of, point_of, request_for
from pincite.testing.running import contract

WORDS = ("Fox", "cow_hen", "owl's", "42", "straße", "文書", "a-b", "émeu")
VALUES: dict[str, tuple[str, ...]] = {
    "revision": ("r0", "r1", "r2", "r"),
    "repo": ("acme/docs", "acme/code", "acme", "", "nowhere"),
    "path": ("d/0.md", "d/1.md", "d/", "D/0.md", "d/ü.md"),
    "source_type": ("docs", "code", "data", "d"),
    "language": ("python", "markdown", "py"),
    "symbols": ("Fox", "fox", "Fox.run", "straße", "str"),
    "url": ("https://example.org/a", "https://example.org/b", "https://", "x"),
}
_FILTERS = 120


def filterable_points(count: int, seed: int) -> list[Point]:
    """Return points of which some have every field of filters, and some have few."""
    dice = random.Random(seed)
    return [
        point_of(
            " ".join(dice.choices(WORDS, k=dice.randint(1, 5))),
            f"{seed}/{number}",
            repo=dice.choice(("acme/docs", "acme/code")),
            path=dice.choice(("d/0.md", "d/1.md", "d/ü.md")),
            source_type=dice.choice(("docs", "code", "data")),
            language=dice.choice(("markdown", "python")),
            symbols=tuple(dice.sample(VALUES["symbols"], dice.randint(0, 3))),
            url=dice.choice((None, *VALUES["url"][:2])),
            title=" ".join(dice.choices(WORDS, k=dice.randint(0, 3))),
            start_line=dice.randint(1, 9),
            end_line=dice.randint(9, 19),
        )
        for number in range(count)
    ]


def random_condition(dice: random.Random, ids: list[str]) -> Condition:
    """Return any condition on any of its fields."""
    kind = dice.choice((AnyOf, AnyOf, Range, Text, Phrase, Prefix, Exists, Ids))
    if kind is Ids:
        return Ids(tuple(dice.sample([*ids, id_of("missing"), "no id"], dice.randint(0, 20))))
    if kind is Range:
        bounds = {
            name: dice.choice((float(dice.randint(0, 20)), dice.uniform(0, 20)))
            for name in dice.sample(("gte", "gt", "lte", "lt"), dice.randint(1, 2))
        }
        return Range(dice.choice(NUMBER_FIELDS), **bounds)
    if kind is Text or kind is Phrase:
        asked = dice.choices((*WORDS, "fox", "COW hen", "s", "!"), k=dice.randint(1, 2))
        return kind(dice.choice(TEXT_FIELDS), " ".join(asked))
    if kind is Exists:
        return Exists(dice.choice((*FILTER_FIELDS, *NUMBER_FIELDS, *TEXT_FIELDS)))
    field = dice.choice(FILTER_FIELDS)
    if kind is Prefix:
        return Prefix(field, dice.choice((*VALUES[field], "")))
    return AnyOf(field, tuple(dice.sample(VALUES[field], dice.randint(0, 3))))


def random_filter(dice: random.Random, ids: list[str]) -> Filter:
    """Return a filter with up to two conditions of each sort."""

    def some() -> tuple[Condition, ...]:
        return tuple(random_condition(dice, ids) for _ in range(dice.choice((0, 0, 1, 2))))

    return Filter(must=some(), should=some(), must_not=some())


class FilterContract:
    """The same filters return the same ids."""

    @contract
    async def test_random_filters_let_the_same_points_pass_everywhere(self, store: Store) -> None:
        exact = MemoryStore()
        for each in (store, exact):
            await each.create(DENSE_SPEC)
            for number in range(3):
                await each.stage("main", {f"r{number}": filterable_points(30, number)})
                await each.publish("main", {f"r{number}": None})
            await each.stage("main", {"unseen": filterable_points(10, 9)})
        ids = [chunk.id for chunk in await exact.page("main", None, 99)]
        dice = random.Random(5)
        passed = 0
        for _ in range(_FILTERS):
            filter_ = random_filter(dice, ids)
            request = request_for("fox", filter=filter_, dense_limit=200, exact=True, sparse=None)
            (ours,), (theirs,) = (
                await store.search("main", request),
                await exact.search("main", request),
            )
            assert {hit.id for hit in ours.hits} == {hit.id for hit in theirs.hits}, filter_
            passed += bool(theirs.hits)
        assert passed > _FILTERS / 4  # otherwise the test shows little

    @contract
    async def test_a_filter_that_cannot_be_is_refused(self, store: Store) -> None:
        await store.create(DENSE_SPEC)
        wrong: tuple[Condition, ...] = (
            equals("text", "x"),
            Prefix("start_line", "x"),
            Text("path", "x"),
            Phrase("symbols", "x"),
            Range("path", gte=1.0),
            Range("start_line"),
            Range("start_line", gt=float("nan")),
            Exists("colour"),
            equals("path", "half a surrogate pair \ud83c"),
        )
        for condition in wrong:
            for filter_ in (Filter(must=(condition,)), Filter(should=(condition,))):
                with pytest.raises(UsageError):
                    await store.search("main", request_for("fox", filter=filter_))
