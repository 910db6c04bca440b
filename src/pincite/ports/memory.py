"""Facts about users, across all conversations."""

from __future__ import annotations

from typing import Protocol

from pincite.model import Fact


class Memory(Protocol):
    """Facts about users. Every call names one user, and never reads, changes or counts the facts of
    another. Raises UsageError for an empty user, text or id, MemoryUnavailable if the store is
    unavailable."""

    @property
    def fingerprint(self) -> str:
        """Names the adapter and its options: one printable line."""

    async def remember(self, user: str, text: str) -> tuple[Fact, ...]:
        """Store the facts of this text and return them. A known text is not stored twice."""

    async def recall(self, user: str, query: str, limit: int) -> tuple[Fact, ...]:
        """The facts that fit best, best first, `limit` at most; ties by id."""

    async def facts(self, user: str, after: str = "", limit: int | None = None) -> tuple[Fact, ...]:
        """Facts, oldest first: those after the fact with the id `after`, `limit` at most. All by
        default. Raises NotFound if the user has no fact with this id."""

    async def forget(self, user: str, fact: str = "") -> int:
        """Delete the fact with this id, all if it is empty; returns the number of deletions."""

    async def close(self) -> None:
        """Release all resources."""
