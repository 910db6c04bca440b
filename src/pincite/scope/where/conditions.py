"""Parse single conditions: a field, an operator that it supports, and values of its type."""

from __future__ import annotations

from difflib import get_close_matches

from pincite.ports import (
    NUMBER_FIELDS,
    TEXT_FIELDS,
    Condition,
    Exists,
    Phrase,
    Range,
    Text,
)
from pincite.scope.where import attributes
from pincite.scope.where.attributes import RANGES
from pincite.scope.where.fields import FIELDS, ID, STORED
from pincite.scope.where.reading import NUMBER, Reading

_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_BOUNDS = {"<": "lt", "<=": "lte", ">": "gt", ">=": "gte"}
#: Other names that people use for the fields.
_MEANT = {
    "type": "kind",
    "kinds": "kind",
    "sources": "source",
    "repository": "source",
    "paths": "path",
    "file": "path",
    "filename": "path",
    "lang": "language",
    "symbol": "symbols",
    "line": "start_line",
    "content": "text",
}


def condition(reading: Reading) -> tuple[Condition, bool]:
    """Return the next condition, and whether it is negated. Raises UsageError."""
    if attribute := attributes.condition(reading):
        return attribute
    if reading.peek().kind == "word" and NUMBER.fullmatch(reading.peek().text):
        return _between(reading), False
    field = _field(reading)
    if reading.peek().keyword == "exists" and field != ID:
        reading.take()
        return Exists(field), False
    if field in NUMBER_FIELDS:
        return _number_condition(reading, field)
    if field in TEXT_FIELDS:
        return _text_condition(reading, field), False
    return reading.value_condition(field)


def _field(reading: Reading) -> str:
    token = reading.peek()
    names = (*FIELDS, *sorted(reading.schema or ()))
    known = ", ".join(names)
    if token.kind != "word" or token.keyword:
        missing = "the condition is incomplete" if token.kind == "end" else "expected a condition"
        raise reading.wrong(missing, f"not, ( or a field: {known}")
    name = token.text.lower()
    if name not in STORED:
        close = get_close_matches(token.text, names, n=1) or get_close_matches(name, names, n=1)
        meant = _MEANT.get(name) or (close[0] if close else "")
        raise reading.wrong(
            f"no field is named {token.text!r}",
            f"one of {known}",
            hint=f"use {meant} instead of {token.text}" if meant else "",
        )
    reading.take()
    return STORED[name]


def _text_condition(reading: Reading, field: str) -> Condition:
    if not reading.peek().is_sign("~"):
        raise reading.wrong(f"{field} is searched by keywords", "~, exists")
    reading.take()
    if reading.peek().keyword == "all":
        reading.take()
        if not reading.peek().is_sign("("):
            raise reading.wrong("all", "a list such as (some, words)")
        return Text(field, " ".join(reading.list_of(reading.value)))
    phrase = reading.peek().kind == "string"
    return Phrase(field, reading.value()) if phrase else Text(field, reading.value())


def _number_condition(reading: Reading, field: str) -> tuple[Condition, bool]:
    token = reading.peek()
    if token.is_sign("=", "==", "!="):
        reading.take()
        number = _number(reading)
        return Range(field, gte=number, lte=number), token.is_sign("!=")
    if token.is_sign(*_BOUNDS):
        reading.take()
        return Range(field, **{_BOUNDS[token.text]: _number(reading)}), False
    raise reading.wrong(f"{field} is a number", "=, !=, <, <=, >, >=, exists")


def _between(reading: Reading) -> Condition:
    """Parse `3 <= start_line < 9`, or only its first half."""
    first = _number(reading)
    sign = reading.peek()
    if not sign.is_sign(*_BOUNDS):
        raise reading.wrong("a number begins a range", "<, <=, >, >=")
    reading.take()
    if reading.peek().text.lower() not in NUMBER_FIELDS:
        known = [name for name, kind in (reading.schema or {}).items() if kind in RANGES]
        raise reading.wrong("a range is of a number", ", ".join((*NUMBER_FIELDS, *known)))
    field = reading.take().text.lower()
    bounds = {_BOUNDS[_FLIPPED[sign.text]]: first}
    if reading.peek().is_sign(*_BOUNDS):
        if reading.peek().text[0] != sign.text[0]:
            raise reading.wrong("the two sides of a range point the same way", sign.text)
        second = _BOUNDS[reading.take().text]
        bounds[second] = _number(reading)
    return Range(field, **bounds)


def _number(reading: Reading) -> float:
    if reading.peek().kind != "word" or not NUMBER.fullmatch(reading.peek().text):
        raise reading.wrong("a number is missing", "a number")
    number = float(reading.peek().text)
    if number in (float("inf"), float("-inf")):
        raise reading.wrong("this number is too large")
    reading.take()
    return number
