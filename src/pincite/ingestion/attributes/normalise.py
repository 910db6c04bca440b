"""Convert attribute values to the types that a collection has for their names."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import msgspec

from pincite.errors import InvalidAttribute
from pincite.model import Attributes, AttributeType, AttributeValue
from pincite.model.attributes import (
    MOST_ATTRIBUTES,
    attribute_from_text,
    attribute_of,
    check_attribute_name,
    is_padded,
    reserved_names,
    type_of,
    type_of_text,
)
from pincite.support.plain import plain

_NUMBERS: Mapping[str, str] = {"integer": "an integer", "float": "a float"}


class TableText(str):
    """A text from a table or a command line, which may represent a value of another type."""

    __slots__ = ()


class Normalised(msgspec.Struct, frozen=True):
    """Values in their normal form, without empty ones. `new` are the inferred types of unknown
    names."""

    values: Attributes
    new: Mapping[str, AttributeType]


def normalise(
    attributes: Mapping[str, object],
    known: Mapping[str, AttributeType],
    where: str,
    declared: Collection[str] | None = None,
) -> Normalised:
    """Normalise the attributes of one document or chunk; `where` begins messages (`record 'a17'`).
    None, an empty text and an empty list count as no value. If `declared` is given, a text such as
    007 from a table becomes a number only for these names, and is invalid for other names of a
    numeric type. Raises InvalidAttribute for the first invalid attribute; the caller must then
    index nothing of the document."""
    if not isinstance(attributes, Mapping):
        raise InvalidAttribute(
            f"{where}: attributes must be a table of names and values", code="attribute_invalid"
        )
    if len(attributes) > MOST_ATTRIBUTES:
        raise InvalidAttribute(
            f"{where}: {len(attributes):,} attributes are too many; the maximum is"
            f" {MOST_ATTRIBUTES}",
            code="too_many_attributes",
        )
    values: dict[str, AttributeValue] = {}
    new: dict[str, AttributeType] = {}
    for name, value in attributes.items():
        try:
            check_attribute_name(name)
        except ValueError as error:
            reserved = isinstance(name, str) and name.lower() in reserved_names()
            code = "attribute_reserved" if reserved else "attribute_name"
            raise InvalidAttribute(f"{where}: {error}", code=code, name=str(name)) from error
        kind = known.get(name)
        is_new = kind is None
        if not isinstance(value, TableText):
            value = plain(value)
        if value is None or value == "":
            continue
        if kind is None:
            kind = type_of_text(value) if isinstance(value, TableText) else type_of(value)
        if kind is None:
            raise InvalidAttribute(
                f"{where}: attribute {name!r}: a value cannot be a {type(value).__name__}",
                code="attribute_invalid",
                name=name,
                hint="give a text, a list of texts, a number, true or false, or a date",
            )
        try:
            if isinstance(value, TableText):
                held = attribute_from_text(kind, str(value))
                if declared is not None and name not in declared:
                    _require_kept(kind, value)
            else:
                held = attribute_of(kind, value)
        except ValueError as error:
            raise InvalidAttribute(
                f"{where}: attribute {name!r}: {error}",
                code="attribute_invalid",
                name=name,
                hint=_hint(name, kind, value, is_new),
            ) from error
        if held is None:
            continue
        values[name] = held
        if is_new:
            new[name] = kind
    return Normalised(values, new)


def _hint(name: str, kind: AttributeType, value: object, is_new: bool) -> str:
    if isinstance(value, float) and value != value:
        return "for an unknown value, give None or omit the name"
    if is_new:
        return ""
    of_type = f"{name} is of type {kind} in this collection"
    if kind in _NUMBERS and isinstance(value, TableText) and is_padded(value):
        return (
            f'{of_type}; declare {name} = "{kind}" in [attributes] to read it as a number, or'
            f' "keyword" to keep such texts and run `pincite collections rebuild`'
        )
    return of_type


def _require_kept(kind: AttributeType, text: str) -> None:
    if kind in _NUMBERS and is_padded(text):
        raise ValueError(f"{text[:60]!r} would lose its beginning as {_NUMBERS[kind]}")


def lacking(require: tuple[str, ...], attributes: Attributes) -> tuple[str, ...]:
    """Return the required names without a value, in their order."""
    return tuple(name for name in require if attributes.get(name) in (None, "", ()))
