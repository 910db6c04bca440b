"""Single conditions: a field, an operator that it knows, and values of its type."""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import get_close_matches
from typing import TypeVar, get_args

from pincite.errors import UsageError
from pincite.model import SourceType
from pincite.ports import (
    FILTER_FIELDS,
    NUMBER_FIELDS,
    TEXT_FIELDS,
    AnyOf,
    Condition,
    Exists,
    Ids,
    Phrase,
    Prefix,
    Range,
    Text,
)
from pincite.scope.where import attributes
from pincite.scope.where.attributes import RANGES, Schema
from pincite.scope.where.tokens import Token, begins, is_glob, quoted, tokens, wrong
from pincite.support.fields import replace

T = TypeVar("T")

ID = "id"
#: What fields are called in texts, where that is not their name in the store. Both can be read.
READABLE = {"repo": "source", "source_type": "kind"}
FIELDS = tuple(
    READABLE.get(name, name) for name in (*FILTER_FIELDS, ID, *NUMBER_FIELDS, *TEXT_FIELDS)
)
_STORED = {name: name for name in (*FIELDS, *READABLE)} | {
    called: stored for stored, called in READABLE.items()
}
NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d+)?")
_CHUNK_ID = re.compile(r"[0-9a-f]{32}")
_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_BOUNDS = {"<": "lt", "<=": "lte", ">": "gt", ">=": "gte"}
#: What others call these fields.
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


def readable(field: str) -> str:
    """What a field is called in a text."""
    return READABLE.get(field, field)


def is_chunk_id(text: str) -> bool:
    """Is this a whole id?"""
    return _CHUNK_ID.fullmatch(text) is not None


class Reading:
    """Tokens, one after the other."""

    def __init__(self, text: str, schema: Schema = None, *, ours: bool = False) -> None:
        """Raises UsageError for what cannot be cut into tokens. Without a `schema` of attributes
        other names may be those of some, and what is asked of them is not looked at. With `ours`,
        a name of a language must be one of those that files are read in."""
        self._text = text
        self._ours = ours
        self.schema = None if schema is None else dict(schema)
        self._tokens = tokens(text)
        self._place = 0

    def peek(self, ahead: int = 0) -> Token:
        """The token that comes next, or so many behind it; at the end, the end."""
        return self._tokens[min(self._place + ahead, len(self._tokens) - 1)]

    def take(self) -> Token:
        """The next token, left behind."""
        token = self.peek()
        self._place += token.kind != "end"
        return token

    def wrong(self, said: str, expected: str = "", *, hint: str = "") -> UsageError:
        """The error that this is wrong with the next token."""
        return wrong(self._text, self.peek().at, said, expected, hint=hint)

    def condition(self) -> tuple[Condition, bool]:
        """One condition, and whether it must not hold. Raises UsageError."""
        if attribute := attributes.condition(self):
            return attribute
        if self.peek().kind == "word" and NUMBER.fullmatch(self.peek().text):
            return self._between(), False
        field = self._field()
        if self.peek().keyword == "exists" and field != ID:
            self.take()
            return Exists(field), False
        if field in NUMBER_FIELDS:
            return self._number_condition(field)
        if field in TEXT_FIELDS:
            return self._text_condition(field), False
        return self.value_condition(field)

    def _field(self) -> str:
        token = self.peek()
        names = (*FIELDS, *sorted(self.schema or ()))
        known = ", ".join(names)
        if token.kind != "word" or token.keyword:
            missing = (
                "the condition is incomplete" if token.kind == "end" else "expected a condition"
            )
            raise self.wrong(missing, f"not, ( or a field: {known}")
        name = token.text.lower()
        if name not in _STORED:
            close = get_close_matches(token.text, names, n=1) or get_close_matches(name, names, n=1)
            meant = _MEANT.get(name) or (close[0] if close else "")
            raise self.wrong(
                f"no field is named {token.text!r}",
                f"one of {known}",
                hint=f"use {meant} instead of {token.text}" if meant else "",
            )
        self.take()
        return _STORED[name]

    def value_condition(self, field: str) -> tuple[Condition, bool]:
        """What stands behind a field that has values."""
        token = self.peek()
        negated = token.is_sign("!=")
        if token.is_sign("^=") and field != ID:
            self.take()
            return Prefix(field, self._value()), False
        if token.is_sign("=", "==", "!="):
            self.take()
            return self._among(field), negated
        if token.keyword in ("in", "not"):
            self.take()
            if token.keyword == "not":
                if self.peek().keyword != "in":
                    raise self.wrong(f"{readable(field)} not", "in")
                self.take()
            if not self.peek().is_sign("("):
                raise self.wrong(f"{readable(field)} in", "a list such as (a, b)")
            return self._among(field), token.keyword == "not"
        rest = "=, !=, in, not in" + ("" if field == ID else ", ^=, exists")
        raise self.wrong(f"{readable(field)} takes values", rest)

    def _among(self, field: str) -> Condition:
        take = self._id if field == ID else lambda: self._whole(field)
        values = self.list_of(take) if self.peek().is_sign("(") else (take(),)
        return Ids(values) if field == ID else AnyOf(field, values)

    def _whole(self, field: str) -> str:
        """A value that is compared as a whole."""
        token = self.peek()
        if token.kind == "word" and is_glob(token.text):
            prefix = f"{readable(field)} ^= {quoted(begins(token.text))}"
            raise self.wrong(
                f"{token.text} looks like a pattern, but values are compared literally",
                hint=f"{prefix}, or {quoted(token.text)} for the literal text",
            )
        is_value = token.kind in ("word", "string")
        if field == "source_type" and is_value and token.text not in get_args(SourceType):
            raise self.wrong(f"no kind is named {token.text!r}", ", ".join(get_args(SourceType)))
        if self._ours and field == "language" and is_value:
            from pincite.scope.where.languages import is_language, near_languages  # late: 20 ms

            if not is_language(token.text):
                raise self.wrong(f"no language is named {token.text!r}", near_languages(token.text))
        return self._value()

    def _id(self) -> str:
        token = replace(self.peek(), text=self.peek().text.removeprefix("#").replace("-", ""))
        if not is_chunk_id(token.text):
            raise self.wrong("an id is expected", "32 digits of 0-9 and a-f (chunk_id in JSON)")
        self.take()
        return token.text

    def _value(self) -> str:
        token = self.peek()
        if token.kind not in ("word", "string") or token.keyword:
            why = f"{token.text} is a keyword" if token.keyword else "a value is missing"
            raise self.wrong(why, "a word or a text in quotes")
        return self.take().text

    def list_of(self, take: Callable[[], T]) -> tuple[T, ...]:
        """What stands in parentheses, separated by commas."""
        self.take()
        found: list[T] = []
        while not self.peek().is_sign(")"):
            found.append(take())
            if self.peek().is_sign(","):
                self.take()
            elif not self.peek().is_sign(")"):
                raise self.wrong("the list is not closed", ", or )")
        self.take()
        return tuple(found)

    def _text_condition(self, field: str) -> Condition:
        if not self.peek().is_sign("~"):
            raise self.wrong(f"{field} is searched by keywords", "~, exists")
        self.take()
        if self.peek().keyword == "all":
            self.take()
            if not self.peek().is_sign("("):
                raise self.wrong("all", "a list such as (some, words)")
            return Text(field, " ".join(self.list_of(self._value)))
        phrase = self.peek().kind == "string"
        return Phrase(field, self._value()) if phrase else Text(field, self._value())

    def _number_condition(self, field: str) -> tuple[Condition, bool]:
        token = self.peek()
        if token.is_sign("=", "==", "!="):
            self.take()
            number = self._number()
            return Range(field, gte=number, lte=number), token.is_sign("!=")
        if token.is_sign(*_BOUNDS):
            self.take()
            return Range(field, **{_BOUNDS[token.text]: self._number()}), False
        raise self.wrong(f"{field} is a number", "=, !=, <, <=, >, >=, exists")

    def _between(self) -> Condition:
        """`3 <= start_line < 9`, or half of it."""
        first = self._number()
        sign = self.peek()
        if not sign.is_sign(*_BOUNDS):
            raise self.wrong("a number begins a range", "<, <=, >, >=")
        self.take()
        if self.peek().text.lower() not in NUMBER_FIELDS:
            known = [name for name, kind in (self.schema or {}).items() if kind in RANGES]
            raise self.wrong("a range is of a number", ", ".join((*NUMBER_FIELDS, *known)))
        field = self.take().text.lower()
        bounds = {_BOUNDS[_FLIPPED[sign.text]]: first}
        if self.peek().is_sign(*_BOUNDS):
            if self.peek().text[0] != sign.text[0]:
                raise self.wrong("the two sides of a range point the same way", sign.text)
            second = _BOUNDS[self.take().text]
            bounds[second] = self._number()
        return Range(field, **bounds)

    def _number(self) -> float:
        if self.peek().kind != "word" or not NUMBER.fullmatch(self.peek().text):
            raise self.wrong("a number is missing", "a number")
        number = float(self.peek().text)
        if number in (float("inf"), float("-inf")):
            raise self.wrong("this number is too large")
        self.take()
        return number
