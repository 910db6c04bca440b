"""Points with attributes of all types, random filters on them, and the ids that these find."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

from pincite.model import AttributeType, AttributeValue, Point
from pincite.model.attributes import attribute_of
from pincite.ports import AnyOf, Condition, DateRange, Exists, Filter, Is, Prefix, Range, Store
from pincite.support.fields import replace
from pincite.testing.points import DENSE_SPEC, point_of, request_for

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
MANY = 10_000


def random_attributes(dice: random.Random, number: int) -> dict[str, AttributeValue]:
    """Return a random part of all attributes; the value of `student` belongs to this number
    alone."""
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
    """Return any condition on any of its attributes."""
    name = dice.choice(tuple(TYPES))
    if dice.random() < 0.1:
        return Exists(name)
    match TYPES[name]:
        case "keyword" | "keywords":
            known = [*WORDS, "", *(f"s{dice.randrange(MANY):05d}" for _ in range(5))]
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
    """Return a filter with up to two conditions of each sort."""

    def some() -> tuple[Condition, ...]:
        return tuple(random_condition(dice) for _ in range(dice.choice((0, 0, 1, 2))))

    return Filter(must=some(), should=some(), must_not=some())


def points_with(
    number_of: int, dice: random.Random, *, first: int = 0, text: str = "fox"
) -> list[Point]:
    """Return points of the same text with random attributes."""
    return [
        point_of(text, f"attributes/{number}", attributes=random_attributes(dice, number))
        for number in range(first, first + number_of)
    ]


async def found(store: Store, filter_: Filter, *, limit: int = 200) -> set[str]:
    """Return the ids of points that match the filter."""
    request = request_for("fox", filter=filter_, sparse=None, dense_limit=limit, exact=True)
    (ranking,) = await store.search("main", request)
    return {hit.id for hit in ranking.hits}


def typed(held: Mapping[str, AttributeValue]) -> dict[str, tuple[str, AttributeValue]]:
    """Return each value with its type, as `1 == True == 1.0`."""
    return {name: (type(value).__name__, value) for name, value in held.items()}
