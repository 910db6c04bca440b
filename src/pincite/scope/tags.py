"""Tags: attributes that a chunk must have, as conditions of the right type."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from pincite.errors import UsageError
from pincite.model import Attributes, AttributeType, AttributeValue
from pincite.model.attributes import attribute_from_text, attribute_of, values_of
from pincite.ports import AnyOf, Condition, Is, Range
from pincite.scope.where import Schema
from pincite.scope.where.attributes import whole


def tag_conditions(tags: Attributes, schema: Schema) -> tuple[Condition, ...]:
    """Return a condition for each tag, ordered by name. A text is parsed if the attribute has
    another type. Raises UsageError for a name that is not in the schema and for a value that is not
    of its type."""
    kinds = dict(schema or ())
    return tuple(_condition(name, value, kinds) for name, value in sorted(tags.items()))


def is_empty(value: object) -> bool:
    """Return whether a value is None, an empty text, or a list of only such values."""
    if isinstance(value, list | tuple):
        return all(map(is_empty, value))
    return value is None or value == ""


def _condition(name: str, value: AttributeValue, kinds: dict[str, AttributeType]) -> Condition:
    kind = kinds.get(name)
    if kind is None:
        close = get_close_matches(name, kinds, n=1)
        raise UsageError(
            f"no attribute is named {name!r} in these collections; known attributes:"
            f" {', '.join(kinds) or 'none'}",
            hint=f"use {close[0]} instead of {name}" if close else "",
        )
    raw: Any = value  # programs may pass lists, too
    given = tuple(raw) if isinstance(raw, list) else values_of(value)
    try:
        values = [_normal(kind, one) for one in given]
    except ValueError as error:
        raise UsageError(f"tag {name!r} has the type {kind}: {error}") from error
    held = [one for one in values if one is not None]
    if not held:
        raise UsageError(f"tag {name!r} has no value", hint=f"omit it, or give {name}=...")
    if kind in ("keyword", "keywords"):
        return AnyOf(name, tuple(dict.fromkeys(map(str, held))))
    if len(held) > 1:
        raise UsageError(
            f"tag {name!r} has {len(held)} values, but the type {kind} takes one",
            hint=f"use a filter: {name} = {held[0]} or {name} = {held[1]}",
        )
    (one,) = held
    if isinstance(one, bool):
        return Is(name, one)
    if isinstance(one, int | float):
        return Range(name, gte=one, lte=one)
    return whole(name, str(one))


def _normal(kind: AttributeType, value: str | int | float | bool) -> AttributeValue | None:
    if kind in ("keyword", "keywords"):
        return attribute_of("keyword", value)
    return attribute_from_text(kind, value) if isinstance(value, str) else attribute_of(kind, value)
