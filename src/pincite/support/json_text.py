"""Format values as JSON for people."""

from __future__ import annotations

from typing import Any

import msgspec

from pincite.support.arguments import require_count
from pincite.support.terminal import visible_json

_MOST_INDENT = 1_000


def json_values(value: object) -> dict[str, Any]:
    """Return a struct as values of JSON: dicts, lists, texts, numbers, booleans and None."""
    found: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(value))
    return found


def json_text(value: object, indent: int | None = 2) -> str:
    """Return any of our values as JSON, with keys in the order of their declaration. Characters
    that a terminal would execute or hide are escaped. `indent`: spaces for each level; None, or 0
    or less, for one line. Raises UsageError for another indent."""
    if indent is None or (isinstance(indent, int) and indent < 0):
        indent = 0
    require_count("indent", indent, least=0, most=_MOST_INDENT)
    return visible_json(msgspec.json.format(msgspec.json.encode(value), indent=indent).decode())
