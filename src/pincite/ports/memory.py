"""Facts about users, across all conversations."""

from __future__ import annotations

from typing import Protocol

from pincite.model import Fact


class Memory(Protocol):
    """A store for facts about users. Every call names one user, and never reads, changes or counts
    the facts of another user. Raises UsageError for an empty user, text or id, MemoryUnavailable if
    the store is unavailable."""

    @property
    def fingerprint(self) -> str:
        """The adapter and its options, as one printable line."""

    async def remember(self, user: str, text: str) -> tuple[Fact, ...]:
        """Store the facts in this text and return them. A fact that is already stored is not stored
        twice."""

    async def recall(self, user: str, query: str, limit: int) -> tuple[Fact, ...]:
        """Return at most `limit` facts that fit the query best, best first; ties are ordered by
        id."""

    async def facts(self, user: str, after: str = "", limit: int | None = None) -> tuple[Fact, ...]:
        """Return the facts about a user, oldest first: at most `limit` (None for all), starting
        after the fact with the id `after`. Raises NotFound if the user has no fact with this id."""

    async def forget(self, user: str, fact: str = "") -> int:
        """Delete the fact with this id, or all facts of the user if the id is empty. Returns the
        number of deleted facts."""

    async def close(self) -> None:
        """Release all resources."""
