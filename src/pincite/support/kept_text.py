"""Texts of users that are kept: checked before, and as bytes that give the same text again."""

from __future__ import annotations

from typing import Final

from pincite.errors import UsageError
from pincite.support.arguments import require_kind, shown

#: Characters of a user's name or an id, of a fact and of a query, facts of a user: guesses. All
#: facts of a user are read to find one: among 10,000 of twelve words that took 2 s, at a load of 20
#: on two cores.
USER_CHARS: Final = 512
FACT_CHARS: Final = 4_000
QUERY_CHARS: Final = 20_000
FACTS: Final = 2_000


def require_text(name: str, value: str, most: int, hint: str = "") -> None:
    """Raises UsageError for anything but a text that says something, of at most so many
    characters."""
    require_kind(name, value, str, "a text")
    if not value.strip():
        raise UsageError(f"{name} is {shown(value)}; it takes a text that is not empty", hint=hint)
    require_length(name, value, most)


def require_length(name: str, value: str, most: int) -> None:
    """Raises UsageError for anything but a text of at most so many characters."""
    require_kind(name, value, str, "a text")
    if len(value) > most:
        raise UsageError(f"{name} has {len(value):,} characters; it takes {most:,} at most")


def raw(text: str) -> bytes:
    """The bytes that are kept: they are equal where the texts are, character for character, with
    what sorts or folds alike kept apart, and lone surrogates and NUL among them."""
    return text.encode("utf-8", "surrogatepass")


def read(kept: bytes) -> str:
    """The text again."""
    return bytes(kept).decode("utf-8", "surrogatepass")
