"""Describe requests and answers without their texts and vectors, for debugging."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

#: Strings under these names are protocol words and are shown; all others are counted.
_WORDS = frozenset(
    ("model", "object", "input_type", "encoding_format", "id", "truncate", "task", "finish_reason")
)
_CHARS, _KEYS, _DEPTH = 100, 50, 6
_MOST = 2**63 - 1


def shape(value: object, name: str = "", depth: int = _DEPTH) -> Any:
    """Return the value with numbers, booleans and protocol words unchanged. A string becomes
    `{"chars": 12}`, a list of strings `{"texts": 2, "chars": 34}`, a list of numbers `{"numbers":
    1024}`; nested lists are counted likewise, with their whole content."""
    match value:
        case int() if abs(value) > _MOST:  # JSON is written with 64 bits
            return {"bits": value.bit_length()}
        case None | bool() | int():
            return value
        case float():
            return round(value, 6)
        case str():
            return value[:_CHARS] if name in _WORDS else {"chars": len(value)}
        case Mapping():
            some = list(value.items())[:_KEYS] if depth else []
            return {str(key)[:_CHARS]: shape(one, str(key), depth - 1) for key, one in some}
        case list() | tuple():
            if not any(isinstance(one, Mapping) for one in value):
                return _counted(value)
            return (
                [shape(one, name, depth - 1) for one in value] if depth else {"items": len(value)}
            )
    return {"type": type(value).__name__}


def _counted(values: list[Any] | tuple[Any, ...]) -> dict[str, int]:
    """Return the counts of lists, texts, characters and numbers that are not zero."""
    counts: dict[str, int] = {}
    waiting = list(values)
    while waiting:
        one = waiting.pop()
        if isinstance(one, list | tuple):
            found = {"lists": 1}
            waiting += one
        elif isinstance(one, str):
            found = {"texts": 1, "chars": len(one)}
        else:
            found = {"numbers": 1}
        for kind, number in found.items():
            counts[kind] = counts.get(kind, 0) + number
    return dict(sorted(counts.items()))
