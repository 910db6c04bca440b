"""Read the tokens of a filter from left to right, and the values of fields."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias, TypeVar, get_args

from pincite.errors import UsageError
from pincite.model import AttributeType, SourceType
from pincite.ports import AnyOf, Condition, Ids, Prefix
from pincite.scope.where.fields import ID, is_chunk_id, readable
from pincite.scope.where.tokens import Token, begins, is_glob, quoted, tokens, wrong
from pincite.support.fields import replace

T = TypeVar("T")

#: Names and types of attributes, sorted; None if they are not known yet.
Schema: TypeAlias = tuple[tuple[str, AttributeType], ...] | None

NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d+)?")


class Reading:
    """The tokens of a filter with a position, and methods that read values."""

    def __init__(self, text: str, schema: Schema = None, *, ours: bool = False) -> None:
        """Raises UsageError for a text that cannot be split into tokens. Without a `schema`, any
        other name than that of a field may be an attribute, and its values are not checked. With
        `ours`, a language must be one that Pincite knows."""
        self._text = text
        self._ours = ours
        self.schema = None if schema is None else dict(schema)
        self._tokens = tokens(text)
        self._place = 0

    def peek(self, ahead: int = 0) -> Token:
        """Return the next token, or the one `ahead` tokens after it; the end token at the end."""
        return self._tokens[min(self._place + ahead, len(self._tokens) - 1)]

    def take(self) -> Token:
        """Return the next token and move past it."""
        token = self.peek()
        self._place += token.kind != "end"
        return token

    def wrong(self, said: str, expected: str = "", *, hint: str = "") -> UsageError:
        """Return the error that something is wrong at the next token."""
        return wrong(self._text, self.peek().at, said, expected, hint=hint)

    def value_condition(self, field: str) -> tuple[Condition, bool]:
        """Read the operator and values that follow a field of values."""
        token = self.peek()
        negated = token.is_sign("!=")
        if token.is_sign("^=") and field != ID:
            self.take()
            return Prefix(field, self.value()), False
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

    def value(self) -> str:
        """Read the word or quoted text that comes next."""
        token = self.peek()
        if token.kind not in ("word", "string") or token.keyword:
            why = f"{token.text} is a keyword" if token.keyword else "a value is missing"
            raise self.wrong(why, "a word or a text in quotes")
        return self.take().text

    def list_of(self, take: Callable[[], T]) -> tuple[T, ...]:
        """Read a list in parentheses, separated by commas."""
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

    def _among(self, field: str) -> Condition:
        take = self._id if field == ID else lambda: self._whole(field)
        values = self.list_of(take) if self.peek().is_sign("(") else (take(),)
        return Ids(values) if field == ID else AnyOf(field, values)

    def _whole(self, field: str) -> str:
        """Read a value that is compared as a whole."""
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
        return self.value()

    def _id(self) -> str:
        token = replace(self.peek(), text=self.peek().text.removeprefix("#").replace("-", ""))
        if not is_chunk_id(token.text):
            raise self.wrong("an id is expected", "32 digits of 0-9 and a-f (chunk_id in JSON)")
        self.take()
        return token.text
