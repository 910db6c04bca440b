"""Arguments that a model made up: checked strictly, refused with what would be right."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any, TypeVar

import msgspec

from pincite.errors import UsageError

#: What a model is told of filters; all of it stands in `pincite.scope.where`.
WHERE = (
    'A filter, as: kind = code and path ^= "src/" and not language in (go, c). Fields:'
    " source, path, kind (docs, code, data), language, symbols, url (=, !=, in, ^= for how"
    " it begins, exists); start_line, end_line (=, <, <=, >, >=); text, title (~ word,"
    ' ~ "some words"). Empty for all.'
)

#: What a model is told of tags.
TAGS = (
    'Attributes that a passage must have, as {"course": "ml"}; a list of values means any of them.'
)
#: A tag's value, or several of which any fits.
TagValue = str | int | float | bool | tuple[str | int | float | bool, ...]

S = TypeVar("S", bound=msgspec.Struct)
_UNKNOWN = re.compile(r"unknown field `(?P<name>.*)`")


def take_arguments(tool: str, given: Mapping[str, Any], into: type[S], *, lax: bool = False) -> S:
    """`given` as the struct `into`, which forbids unknown fields. `lax` takes "3" for 3.

    Raises UsageError that names the argument, what it should be, and all that there are.
    """
    try:
        return msgspec.convert(dict(given), into, strict=not lax)
    except msgspec.ValidationError as error:
        known = [one.encode_name for one in msgspec.structs.fields(into)]
        said = _said(str(error), known, into)
        raise UsageError(f"{tool}: {said}", hint=f"{tool}({_signature(into)})") from error


def input_schema(of: type[msgspec.Struct]) -> dict[str, Any]:
    """The JSON Schema of a struct, with an object as its root."""
    definitions = dict(msgspec.json.schema(of)["$defs"])
    schema: dict[str, Any] = definitions.pop(of.__name__)
    return schema | ({"$defs": definitions} if definitions else {})


def _said(message: str, known: list[str], into: type[msgspec.Struct]) -> str:
    unknown = _UNKNOWN.search(message)
    if unknown is not None:
        close = get_close_matches(unknown["name"], known, n=1)
        meant = f"; did you mean {close[0]!r}?" if close else ""
        return f"there is no argument {unknown['name']!r}{meant}"
    text, _, place = message.partition(" - at `$.")
    name = place.rstrip("`")
    if not name:
        return text
    return f"{name}: {text}{_choices(name, into)}"


def _choices(name: str, into: type[msgspec.Struct]) -> str:
    """The values that there are, where they are counted."""
    schema = input_schema(into)["properties"].get(name.partition("[")[0], {})
    values = schema.get("enum") or schema.get("items", {}).get("enum")
    return f"; use one of {', '.join(map(repr, values))}" if values else ""


def _signature(into: type[msgspec.Struct]) -> str:
    """`query, limit=12, ...`"""
    schema = input_schema(into)
    return ", ".join(
        name if name in schema.get("required", ()) else f"{name}={json.dumps(one.get('default'))}"
        for name, one in schema["properties"].items()
    )
