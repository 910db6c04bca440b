"""Attributes of sources: for each name the value from the options, else `[[source]]`, else the
catalog."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pincite.errors import InvalidAttribute, UsageError
from pincite.ingestion.attributes.normalise import normalise
from pincite.ingestion.options import IndexOptions
from pincite.model import Attributes, AttributeType, AttributeValue, Source, SourceRecord
from pincite.model.attributes import (
    MOST_ATTRIBUTES,
    attribute_from_text,
    attribute_of,
    check_attribute_name,
    type_of,
    type_of_text,
)
from pincite.sources import OpenSource


def attributes_of_source(
    name: str,
    remembered: Attributes,
    configured: Mapping[str, object],
    options: IndexOptions,
    known: Mapping[str, AttributeType],
) -> Attributes:
    """Return the attributes that a source gives to all of its documents. `remembered` are those of
    the catalog; an empty value removes one. Raises InvalidAttribute for an invalid name or value,
    UsageError for a malformed text, or too many attributes."""
    where = f"source {name!r}"
    held: dict[str, object] = {}
    for each, value in remembered.items():
        held[each] = _of_type_now(each, value, known, where)
    held |= configured
    held |= options.attributes
    held |= values_of_texts(options.attribute_texts, {**known, **_types(held)})
    values = normalise(held, known, where).values
    if len(values) > MOST_ATTRIBUTES:
        raise UsageError(f"{where} has {len(values)} attributes; the maximum is {MOST_ATTRIBUTES}")
    return values


def values_of_texts(
    texts: Sequence[str], known: Mapping[str, AttributeType]
) -> dict[str, AttributeValue | None]:
    """Parse `NAME=VALUE` texts. A repeated name has a list of keywords, a name with an empty value
    has None. Raises UsageError."""
    given: dict[str, list[str]] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"{text!r} has no value", hint="--set NAME=VALUE, such as course=ml")
        given.setdefault(name.strip(), []).append(value)
    found: dict[str, AttributeValue | None] = {}
    for name, values in given.items():
        try:
            check_attribute_name(name)
            found[name] = _value(values, known.get(name))
        except ValueError as error:
            kind = known.get(name)
            hint = f"{name} is of type {kind} in this collection" if kind else ""
            raise UsageError(f"--set {name}: {error}", hint=hint) from error
    return found


def _value(values: Sequence[str], kind: AttributeType | None) -> AttributeValue | None:
    if len(values) == 1:
        (text,) = values
        return attribute_from_text(kind or type_of_text(text), text) if text else None
    if kind not in (None, "keywords"):
        raise ValueError(f"it is given {len(values)} times, but its type is {kind}")
    return attribute_of("keywords", values)


def require_whole(opened: Sequence[OpenSource], records: Sequence[SourceRecord]) -> None:
    """Raise UsageError if a part of a source would get other attributes than its other parts: all
    documents of a source have the same attributes of the source."""
    given: dict[str, Attributes] = {}
    for one in opened:
        source = one.source
        if given.setdefault(source.name, source.attributes) != source.attributes:
            raise _several(source, given[source.name])
    for record in records:
        before = record.source
        parts = [one for one in opened if one.source.name == before.name]
        if not parts or parts[0].source.attributes == before.attributes:
            continue
        if not all(any(w.startswith(one.within) for one in parts) for w in record.within):
            raise _several(parts[0].source, before.attributes)


def _several(source: Source, others: Attributes) -> UsageError:
    shown = ", ".join(f"{name}={value!r}" for name, value in others.items()) or "none"
    return UsageError(
        f"parts of the source {source.name!r} at {source.location} would have different"
        f" attributes: the other parts have {shown[:200]}",
        hint=(
            "give each part its own name (--name, or name in [[source]]), or index the whole source"
        ),
    )


def _types(values: Mapping[str, object]) -> dict[str, AttributeType]:
    """Return the types of these values by name, for texts with the same names."""
    shown = {name: type_of(value) for name, value in values.items() if value not in (None, "")}
    return {name: kind for name, kind in shown.items() if kind is not None}


def _of_type_now(
    name: str, value: AttributeValue, known: Mapping[str, AttributeType], where: str
) -> AttributeValue | None:
    """Convert a remembered value to the current type of the name."""
    kind = known.get(name)
    if kind is None:
        return value
    try:
        return attribute_of(kind, value)
    except ValueError:
        text = ",".join(value) if isinstance(value, tuple) else str(value)
    try:
        return attribute_from_text(kind, text.lower() if isinstance(value, bool) else text)
    except ValueError as error:
        raise InvalidAttribute(
            f"{where} has an attribute {name!r} from an earlier run: {error}",
            code="attribute_invalid",
            name=name,
            hint=f"give it another value: pincite index --set {name}=...",
        ) from error
