"""Check a model's arguments strictly. Errors name the valid arguments."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from difflib import get_close_matches
from functools import cache
from typing import Any, Final, TypeVar

import msgspec
from msgspec import inspect, structs

from pincite.errors import UsageError
from pincite.support.decodable import ready
from pincite.support.unknown_fields import alternatives, unknown_field

#: What a model is told about filters; `pincite.scope.where` describes them completely.
WHERE = (
    'A filter: kind = code and path ^= "src/" and not language in (go, c). Also source, symbols,'
    " text ~ word."
)

#: What a model is told about tags.
TAGS = 'As {"course": "ml"}.'
#: The value of a tag, or several alternatives.
TagValue = str | int | float | bool | tuple[str | int | float | bool, ...]

#: Limits of one call. 2,000 names of 1,000 characters took 10 to 60 s, mostly for the search for
#: secrets before the question was logged. Arguments within these limits take less than a second.
_MOST_TEXTS: Final = 2_000
_MOST_CHARS: Final = 200_000

S = TypeVar("S", bound=msgspec.Struct)


def take_arguments(
    tool: str,
    given: Mapping[str, Any],
    into: type[S],
    *,
    lax: bool = False,
    text_as_list: bool = False,
    omit: Collection[str] = (),
) -> S:
    """Convert `given` to the struct `into`, which forbids unknown fields. None for an optional
    field counts as left out, because some clients send all arguments. `lax` accepts "3" for 3.
    `text_as_list` accepts one text for a list of texts, as Python's functions do.
    `omit` names optional fields that the tool does not offer: with an empty value they are ignored,
    with any other they are refused as unknown.

    Raises UsageError. It names the wrong argument, its expected value and all arguments of the
    tool, or the limits of a call if the arguments are too many or too long.
    """
    _require_small(tool, given)
    for name in omit:
        if not _is_empty(given.get(name)):
            raise _refused(tool, _unknown(name, _known(into, omit)), into, omit)
    optional = {one.encode_name for one in structs.fields(into) if not one.required}
    kept = {
        name: one
        for name, one in given.items()
        if name not in omit and (one is not None or name not in optional)
    }
    for name in _lists(into).intersection(kept) if text_as_list else ():
        if isinstance(kept[name], str):
            kept[name] = [kept[name]]
    try:
        return msgspec.convert(kept, ready(into), strict=not lax)
    except msgspec.ValidationError as error:
        known = _known(into, omit)
        raise _refused(tool, _said(error, known, into), into, omit) from error


@cache
def _lists(into: type[msgspec.Struct]) -> frozenset[str]:
    """Return the names of the fields that take a list and no text."""
    found = []
    for field in inspect.type_info(ready(into)).fields:  # type: ignore[attr-defined]
        kinds = alternatives(field.type)
        takes_list = any(isinstance(one, inspect.CollectionType) for one in kinds)
        if takes_list and not any(isinstance(one, inspect.StrType) for one in kinds):
            found.append(field.encode_name)
    return frozenset(found)


def _is_empty(value: Any) -> bool:
    return value is None or (isinstance(value, str | list | tuple | Mapping) and not value)


def _require_small(tool: str, given: Mapping[str, Any]) -> None:
    waiting: list[Any] = [given]
    texts = chars = 0
    while waiting:
        one = waiting.pop()
        if isinstance(one, Mapping):
            waiting += (*one, *one.values())
        elif isinstance(one, list | tuple):
            waiting += one
        else:
            texts, chars = texts + 1, chars + (len(one) if isinstance(one, str) else 1)
    if texts > _MOST_TEXTS or chars > _MOST_CHARS:
        raise UsageError(
            f"{tool}: the arguments have {texts:,} values with {chars:,} characters",
            hint=f"pass at most {_MOST_TEXTS:,} values with {_MOST_CHARS:,} characters in all",
        )


def input_schema(of: type[msgspec.Struct]) -> dict[str, Any]:
    """Return the JSON Schema of a struct. Its root is an object, not a reference."""
    definitions = dict(msgspec.json.schema(of)["$defs"])
    schema: dict[str, Any] = definitions.pop(of.__name__)
    return schema | ({"$defs": definitions} if definitions else {})


def listed_schema(of: type[msgspec.Struct]) -> dict[str, Any]:
    """Return a short form of `input_schema`, because a model is sent it with every question. It
    lacks the docstrings of our classes and everything that `take_arguments` checks and reports
    anyway: lengths, ranges, null, and values of tags."""
    schema = input_schema(of)
    properties = {name: _listed(one) for name, one in schema["properties"].items()}
    required = {"required": schema["required"]} if schema.get("required") else {}
    return {
        "type": "object",
        "properties": properties,
        **required,
        "additionalProperties": False,
    }


def _listed(argument: Mapping[str, Any]) -> dict[str, Any]:
    held = {**argument}
    choices = [_listed(one) for one in held.pop("anyOf", ()) if one.get("type") != "null"]
    kept: dict[str, Any] = {}
    if len(choices) == 1:
        held |= choices[0]
    elif choices:
        kept["anyOf"] = choices
    kept |= {name: held[name] for name in ("type", "enum", "items", "description") if name in held}
    if "$ref" in held:
        kept["type"] = "object"
    if isinstance(kept.get("items"), dict):
        kept["items"] = _listed(kept["items"])
    if "enum" in kept:  # some clients reject an enumeration without a type
        kept |= {"type": "string", "enum": [one for one in kept["enum"] if one is not None]}
    return kept


def _refused(tool: str, said: str, into: type[msgspec.Struct], omit: Collection[str]) -> UsageError:
    return UsageError(f"{tool}: {said}", hint=f"{tool}({_signature(into, omit)})")


def _known(into: type[msgspec.Struct], omit: Collection[str]) -> list[str]:
    return [one.encode_name for one in structs.fields(into) if one.encode_name not in omit]


def _said(error: msgspec.ValidationError, known: list[str], into: type[msgspec.Struct]) -> str:
    unknown = unknown_field(error, into)
    if unknown is not None:
        if unknown.place:
            fields = ", ".join(unknown.known)
            known_there = f"; its fields are {fields}" if fields else ""
            return f"{unknown.place}: there is no field {unknown.name!r}{known_there}"
        return _unknown(unknown.name, known)
    text, _, place = str(error).partition(" - at `$.")
    name = place.rstrip("`")
    if not name:
        return text
    return f"{name}: {text}{_choices(name, into)}"


def _unknown(name: str, known: list[str]) -> str:
    close = get_close_matches(name, known, n=1)
    meant = f"; did you mean {close[0]!r}?" if close else ""
    return f"no argument is named {name!r}{meant}"


def _choices(name: str, into: type[msgspec.Struct]) -> str:
    """Return the allowed values of an argument as the end of a message, "" if it has no
    enumeration."""
    values = _enumerated(input_schema(into)["properties"].get(name.partition("[")[0], {}))
    return f"; use one of {', '.join(map(repr, values))}" if values else ""


def _enumerated(schema: Mapping[str, Any]) -> list[str]:
    found = [*schema.get("enum", ())]
    for one in (*filter(None, [schema.get("items")]), *schema.get("anyOf", ())):
        found += _enumerated(one)
    return [one for one in found if one is not None]


def _signature(into: type[msgspec.Struct], omit: Collection[str]) -> str:
    """Return all arguments with their defaults: `query, limit=12, ...`."""
    schema = input_schema(into)
    return ", ".join(
        name if name in schema.get("required", ()) else f"{name}={json.dumps(one.get('default'))}"
        for name, one in schema["properties"].items()
        if name not in omit
    )
