"""Attributes and conditions on them, checked against the names and types of a collection."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from pincite.errors import InvalidPoint, UsageError
from pincite.model import Attributes, AttributeType, AttributeValue, Chunk, CollectionSpec, Point
from pincite.model.attributes import attribute_of, check_attribute_name
from pincite.ports import (
    FILTER_FIELDS,
    NUMBER_FIELDS,
    TEXT_FIELDS,
    AnyOf,
    Condition,
    DateRange,
    Exists,
    Ids,
    Is,
    Phrase,
    Prefix,
    Range,
    Text,
)

_FIELDS: dict[type[Condition], tuple[str, ...]] = {
    AnyOf: FILTER_FIELDS,
    Prefix: FILTER_FIELDS,
    Range: NUMBER_FIELDS,
    DateRange: (),
    Is: (),
    Text: TEXT_FIELDS,
    Phrase: TEXT_FIELDS,
    Exists: (*FILTER_FIELDS, *NUMBER_FIELDS, *TEXT_FIELDS),
}
_TYPES: dict[type[Condition], tuple[AttributeType, ...]] = {
    AnyOf: ("keyword", "keywords"),
    Prefix: ("keyword", "keywords"),
    Range: ("integer", "float"),
    DateRange: ("date",),
    Is: ("boolean",),
    Exists: ("keyword", "keywords", "integer", "float", "boolean", "date"),
}
ROUNDED = 2**53  # from here on, floats cannot represent every integer


def check_attributes(spec: CollectionSpec, points: Sequence[Point]) -> None:
    """Raise InvalidPoint for the first attribute that is unknown to the collection, has a reserved
    name, or has a value that is not in the normal form of its type."""
    checked: Attributes = {}
    for point in points:
        held = point.chunk.attributes
        if held is checked or not held:
            continue  # most chunks share those of their document
        for name, value in held.items():
            if wrong := _wrong(spec, name, value):
                chunk = point.chunk
                raise InvalidPoint(f"{chunk.path!r}, {_where(chunk)}: {wrong}")
        checked = held


def _where(chunk: Chunk) -> str:
    if chunk.page:
        return f"{chunk.cited_in} {chunk.page}"
    return f"lines {chunk.start_line}-{chunk.end_line}"


def check_changes(
    spec: CollectionSpec, changes: Mapping[str, Mapping[str, AttributeValue | None]]
) -> None:
    """Raise UsageError for an invalid attribute name, InvalidPoint for another unknown name or a
    value that is not in the normal form of its type. None is valid for every type."""
    for revision, held in changes.items():
        for name, value in held.items():
            try:
                check_attribute_name(name)
            except ValueError as error:
                raise UsageError(str(error)) from error
            if value is not None and (wrong := _wrong(spec, name, value)):
                raise InvalidPoint(f"revision {revision!r}: {wrong}")


def _wrong(spec: CollectionSpec, name: str, value: object) -> str:
    """Return the fault of an attribute, "" if it has none."""
    kind = spec.attributes.get(name)
    try:
        check_attribute_name(name)
        if kind is None:
            return f"the collection {spec.name!r} has no attribute {name!r}"
        normal = attribute_of(kind, value)
    except ValueError as error:
        return f"attribute {name!r}: {error}"
    if normal is None:
        return f"attribute {name!r}: {value!r} is an empty value; omit the attribute"
    if normal != value or type(normal) is not type(value):
        return f"attribute {name!r}: {value!r} is not in the normal form of {kind}, {normal!r}"
    return ""


def check_field(spec: CollectionSpec, condition: Condition) -> None:
    """Raise UsageError for a condition on an unknown field or one of another type, or with invalid
    bounds."""
    if isinstance(condition, Ids):
        return
    known, kinds = _FIELDS[type(condition)], _TYPES.get(type(condition), ())
    held = spec.attributes.get(condition.field)
    if condition.field not in known and (held is None or held not in kinds):
        name = type(condition).__name__
        is_one = f" of the type {held}" if held else ""
        fitting = sorted(name for name, kind in spec.attributes.items() if kind in kinds)
        raise UsageError(
            f"the filter {name} does not support {condition.field!r}{is_one}; it supports"
            f" {', '.join((*known, *fitting)) or 'nothing'}"
        )
    if isinstance(condition, Range):
        _check_range(condition, held)
    elif isinstance(condition, DateRange):
        _check_dates(condition)


def around(number: int) -> tuple[float, float]:
    """Return the neighbouring floats of an integer, for stores that search integers by ranges of
    floats and then compare exactly."""
    return math.nextafter(number, -math.inf), math.nextafter(number, math.inf)


def _check_range(condition: Range, held: AttributeType | None) -> None:
    bounds = (condition.gte, condition.gt, condition.lte, condition.lt)
    given = [bound for bound in bounds if bound is not None]
    whole = [bound for bound in given if isinstance(bound, int)]
    if any(not -(2**63) <= bound < 2**63 for bound in whole):
        raise UsageError(f"a bound of {condition.field!r} is outside of 64 bits")
    if not given or not all(map(math.isfinite, given)):
        raise UsageError(f"a range of {condition.field!r} needs at least one finite bound")
    if held == "float" and any(abs(bound) >= ROUNDED for bound in whole):
        raise UsageError(f"{condition.field!r} is a float: write {whole[0]} as {whole[0]}.0")


def _check_dates(condition: DateRange) -> None:
    bounds = (condition.gte, condition.gt, condition.lte, condition.lt)
    given = [bound for bound in bounds if bound is not None]
    if not given:
        raise UsageError(f"a range of {condition.field!r} needs at least one bound")
    for bound in given:
        try:
            normal = attribute_of("date", bound)
        except ValueError as error:
            raise UsageError(f"{condition.field!r}: {error}") from error
        if normal != bound:
            raise UsageError(f"{condition.field!r}: write {bound!r} as {normal!r}")
