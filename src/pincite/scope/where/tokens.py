"""Split a filter's text into tokens, and describe errors in it."""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from pincite.errors import UsageError
from pincite.support.late_patterns import late_pattern

TokenKind = Literal["word", "string", "sign", "end"]
KEYWORDS = ("and", "or", "not", "in", "exists", "all")
MOST_CHARS = 20_000  # of a filter; the endless output of a model is refused before it is parsed
_SHOWN = 24

BARE = late_pattern(r"[^\s()\"',=!<>~^]+")
_TOKEN = late_pattern(
    r"""\s*(?:
        (?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
      | (?P<sign>!=|==|\^=|<=|>=|[=<>~(),])
      | (?P<word>[^\s()"',=!<>~^]+)
    )""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPED = late_pattern(r"\\([\\\"'])")


class Token(msgspec.Struct, frozen=True):
    """A token of a filter. `text` is the value of a string without its quotes; `at` is the position
    of its first character, from 0."""

    kind: TokenKind
    text: str
    at: int

    @property
    def keyword(self) -> str:
        """The keyword in lower case, "" if the token is none."""
        low = self.text.lower()
        return low if self.kind == "word" and low in KEYWORDS else ""

    def is_sign(self, *signs: str) -> bool:
        """Return whether the token is one of these signs."""
        return self.kind == "sign" and self.text in signs


def tokens(text: str) -> list[Token]:
    """Return all tokens; the last one has the kind `end`. Raises UsageError."""
    if len(text) > MOST_CHARS:
        raise UsageError(f"where: {len(text):,} characters exceed the limit of {MOST_CHARS:,}")
    found: list[Token] = []
    at = 0
    while text[at:].strip():
        match = _TOKEN.match(text, at)
        if match is None:
            at += len(text[at:]) - len(text[at:].lstrip())
            quote = text[at] in "\"'"
            raise wrong(text, at, "this quote is not closed" if quote else "unknown character")
        kind: TokenKind = match.lastgroup  # type: ignore[assignment]
        value = match[match.lastgroup or 0]
        start = match.start(match.lastgroup or 0)
        found.append(Token(kind, _plain(value) if kind == "string" else value, start))
        at = match.end()
    return [*found, Token("end", "", len(text))]


def wrong(text: str, at: int, said: str, expected: str = "", *, hint: str = "") -> UsageError:
    """Return the error with the fault, its position (counted from 1), and what is expected
    there."""
    rest = text[at:].strip()
    shown = f"{rest[:_SHOWN]}..." if len(rest) > _SHOWN else rest
    place = f"at character {at + 1} ({shown!r})" if rest else "at the end"
    wanted = f"; expected {expected}" if expected else ""
    return UsageError(f"where: {said}, {place}{wanted}", hint=hint)


def quoted(value: str) -> str:
    """Return the value as a string that `tokens` reads."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def written(value: str) -> str:
    """Return the shortest text for a value: without quotes if it then reads as the same value."""
    bare = BARE.fullmatch(value) and value.lower() not in KEYWORDS and not is_glob(value)
    return value if bare and "\\" not in value else quoted(value)


def is_glob(value: str) -> bool:
    """Return whether a value looks like a pattern."""
    return "*" in value or "?" in value


def begins(glob: str) -> str:
    """Return the part of a pattern before its first star or question mark."""
    return glob.partition("*")[0].partition("?")[0]


def _plain(string: str) -> str:
    return _ESCAPED.sub(r"\1", string[1:-1])
