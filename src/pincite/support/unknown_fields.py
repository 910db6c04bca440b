"""Find the field that a message of msgspec calls unknown, and the fields that its object has."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final

import msgspec
from msgspec import inspect

from pincite.support.decodable import ready

_UNKNOWN: Final = re.compile(r"unknown field `(?P<name>[^`]*)`(?: - at `\$\.?(?P<place>[^`]*)`)?")
_STEP: Final = re.compile(r"\[[^\]]*\]|[^.\[]+")


@dataclass(frozen=True, slots=True)
class UnknownField:
    """A field that an object does not have. `place` is the object within the value, as in
    `claims[0]`, "" for the value itself. `known` are its fields, empty if the type does not say."""

    name: str
    place: str
    known: tuple[str, ...]

    @property
    def meant(self) -> str:
        """The known field that is spelled most like it, "" if none is."""
        return next(iter(get_close_matches(self.name, self.known, n=1)), "")


def unknown_field(error: msgspec.ValidationError, kind: Any) -> UnknownField | None:
    """Return the unknown field of a value that was converted to this type. None for another
    error."""
    found = _UNKNOWN.search(str(error))
    if found is None:
        return None
    place = found["place"] or ""
    within = alternatives(inspect.type_info(ready(kind)))
    for step in _STEP.findall(place):
        within = [each for one in within for inner in _inner(one, step) for each in inner]
    structs = (one for one in within if isinstance(one, inspect.StructType))
    known = dict.fromkeys(field.encode_name for one in structs for field in one.fields)
    return UnknownField(found["name"], place, tuple(known))


def alternatives(one: inspect.Type) -> list[inspect.Type]:
    """Return the members of a union, or the type itself, without descriptions and limits."""
    if isinstance(one, inspect.Metadata):
        return alternatives(one.type)
    if isinstance(one, inspect.UnionType):
        return [each for part in one.types for each in alternatives(part)]
    return [one]


def _inner(one: inspect.Type, step: str) -> list[list[inspect.Type]]:
    """Return the types of a field, or of the values of a list or mapping (`[0]`, `[...]`)."""
    if isinstance(one, inspect.StructType):
        return [alternatives(field.type) for field in one.fields if field.encode_name == step]
    if isinstance(one, inspect.DictType):
        return [alternatives(one.value_type)]
    if isinstance(one, inspect.CollectionType):
        return [alternatives(one.item_type)]
    return []
