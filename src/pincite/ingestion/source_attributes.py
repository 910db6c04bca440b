"""The attributes of sources: options, else `[[source]]`, else what is remembered, name by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pincite.errors import InvalidAttribute, UsageError
from pincite.ingestion.attributes import normalise
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
    """What the source of that name gives to all of its documents; an empty value takes away what
    is remembered. Raises InvalidAttribute for a name or a value that cannot be, UsageError for a
    text that says neither."""
    where = f"source {name!r}"
    held: dict[str, object] = {}
    for each, value in remembered.items():
        held[each] = _of_type_now(each, value, known, where)
    held |= configured
    held |= options.attributes
    held |= values_of_texts(options.attribute_texts, {**known, **_types(held)})
    values = normalise(held, known, where).values
    if len(values) > MOST_ATTRIBUTES:
        raise UsageError(f"{where} has {len(values)} attributes; at most {MOST_ATTRIBUTES}")
    return values


def values_of_texts(
    texts: Sequence[str], known: Mapping[str, AttributeType]
) -> dict[str, AttributeValue | None]:
    """What `NAME=VALUE` says, None for a name without a value. Raises UsageError."""
    given: dict[str, list[str]] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise UsageError(
                f"{text!r} gives no attribute a value", hint="--set NAME=VALUE, such as course=ml"
            )
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
        raise ValueError(f"it is there {len(values)} times, and is of type {kind}")
    return attribute_of("keywords", values)


def require_whole(opened: Sequence[OpenSource], records: Sequence[SourceRecord]) -> None:
    """Raise UsageError where one part of a source gets other attributes than the rest has: all
    documents of a source have the same."""
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
        f" attributes: others have {shown[:200]}",
        hint="give each part a name of its own (--name, or name in [[source]]), or index all of it",
    )


def _types(values: Mapping[str, object]) -> dict[str, AttributeType]:
    """The types that values of a source show, for words that are given beside them."""
    shown = {name: type_of(value) for name, value in values.items() if value not in (None, "")}
    return {name: kind for name, kind in shown.items() if kind is not None}


def _of_type_now(
    name: str, value: AttributeValue, known: Mapping[str, AttributeType], where: str
) -> AttributeValue | None:
    """A remembered value as one of the type that the name has by now."""
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
            f"{where} has an attribute {name!r} from before: {error}",
            code="attribute_invalid",
            name=name,
            hint=f"give it another value: pincite index --set {name}=...",
        ) from error
