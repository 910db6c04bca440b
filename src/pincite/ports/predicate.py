"""Evaluate filters in plain Python. Stores with their own conditions must agree with these
functions."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from typing import Any

from pincite.model.attribute_types import AttributeValue
from pincite.model.attributes import date_key, values_of
from pincite.model.chunks import Chunk
from pincite.ports.filters import (
    AnyOf,
    Condition,
    DateRange,
    Exists,
    Filter,
    Ids,
    Is,
    Phrase,
    Prefix,
    Range,
    Text,
    words,
)
from pincite.support.memoize import memoize_last

_OWN = frozenset(Chunk.__struct_fields__)
_FEW = 32


def matches(filter_: Filter, revision: str, chunk: Chunk) -> bool:
    """Return whether this chunk of that revision matches the filter."""

    def fits(condition: Condition) -> bool:
        return holds(condition, revision, chunk)

    return (
        all(map(fits, filter_.must))
        and (not filter_.should or any(map(fits, filter_.should)))
        and not any(map(fits, filter_.must_not))
    )


def holds(condition: Condition, revision: str, chunk: Chunk) -> bool:
    """Return whether this chunk matches one condition."""
    if isinstance(condition, Ids):
        return chunk.id in condition.ids
    return holds_of(condition, _value(condition.field, revision, chunk))


def holds_of(condition: Condition, value: AttributeValue | None) -> bool:
    """Return whether a field with this value matches one condition. None stands for a missing
    value."""
    held: list[Any] = [one for one in values_of(value) if one != ""]
    match condition:
        case AnyOf():
            return any(item in _known(condition.values) for item in held)
        case Prefix():
            return any(item.startswith(condition.prefix) for item in held)
        case Range():
            return any(within(condition, item) for item in held)
        case DateRange():
            return any(within_dates(condition, item) for item in held)
        case Is():
            return any(item is condition.value for item in held)
        case Text():
            return any(has_words(item, condition.text) for item in held)
        case Phrase():
            return any(has_phrase(item, condition.text) for item in held)
        case Exists():
            return bool(held)
        case Ids():  # compares chunks, not values
            return False


def _known(values: tuple[str, ...]) -> Container[str]:
    """Return the values as a container that is fast to search."""
    return values if len(values) <= _FEW else _as_set(values)


@memoize_last
def _as_set(values: tuple[str, ...]) -> frozenset[str]:
    return frozenset(values)


def _value(field: str, revision: str, chunk: Chunk) -> AttributeValue | None:
    if field == "revision":
        return revision
    if field in _OWN:
        held: AttributeValue | None = getattr(chunk, field)
        return held
    return chunk.attributes.get(field)


def within(bounds: Range, value: int | float) -> bool:
    """Return whether the value is within all given bounds. Values are compared as floats, except
    for an equality of integers."""
    if bounds.exactly is not None and isinstance(value, int):
        return value == bounds.exactly
    return _between(bounds, float(value), float)


def within_dates(bounds: DateRange, value: str) -> bool:
    """Is the beginning of the date within all given bounds?"""
    return _between(bounds, date_key(value), date_key)


def _between(bounds: Range | DateRange, held: Any, key: Callable[[Any], Any]) -> bool:
    """Is the value within the bounds, compared by their keys?"""
    return (
        (bounds.gte is None or held >= key(bounds.gte))
        and (bounds.gt is None or held > key(bounds.gt))
        and (bounds.lte is None or held <= key(bounds.lte))
        and (bounds.lt is None or held < key(bounds.lt))
    )


def has_words(text: str, asked: str) -> bool:
    """Does the text have every requested word?"""
    wanted = words(asked)
    return bool(wanted) and set(wanted) <= set(words(text))


def has_phrase(text: str, asked: str) -> bool:
    """Does the text contain the requested words in sequence?"""
    wanted, held = words(asked), words(text)
    return bool(wanted) and any(_at(held, start, wanted) for start in range(len(held)))


def _at(held: Sequence[str], start: int, wanted: Sequence[str]) -> bool:
    return held[start : start + len(wanted)] == wanted
