"""Stored texts of users: check them, and convert them to bytes and back without loss."""

from __future__ import annotations

from typing import Final

from pincite.errors import UsageError
from pincite.support.arguments import require_kind, shown

#: Characters of a user's name or an id, of a fact and of a query, and facts of a user: guesses. All
#: facts of a user are read to find one: among 10,000 of twelve words that took 2 s, at a load of 20
#: on two cores.
USER_CHARS: Final = 512
FACT_CHARS: Final = 4_000
QUERY_CHARS: Final = 20_000
FACTS: Final = 2_000


def require_text(name: str, value: str, most: int) -> None:
    """Raise UsageError unless the value is a text that is not blank and has at most `most`
    characters."""
    require_kind(name, value, str, "a text")
    if not value.strip():
        raise UsageError(f"{name} is {shown(value)}; it takes a text that is not empty")
    require_length(name, value, most)


def require_length(name: str, value: str, most: int) -> None:
    """Raise UsageError unless the value is a text of at most `most` characters."""
    require_kind(name, value, str, "a text")
    if len(value) > most:
        raise UsageError(f"{name} has {len(value):,} characters; it takes {most:,} at most")


def raw(text: str) -> bytes:
    """Return the bytes to store. They are equal exactly if the texts are, character for character,
    including lone surrogates and NUL; texts that sort or fold alike stay distinct."""
    return text.encode("utf-8", "surrogatepass")


def read(kept: bytes) -> str:
    """Return the text of stored bytes."""
    return bytes(kept).decode("utf-8", "surrogatepass")
