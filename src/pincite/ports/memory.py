"""What is remembered of users, over all conversations."""

from __future__ import annotations

from typing import Protocol

from pincite.model import Fact


class Memory(Protocol):
    """Facts of users. Every call names one user, and nothing of another is ever read, changed or
    counted. Raises UsageError for an empty user, text or id, MemoryUnavailable where the store is
    out of reach."""

    @property
    def fingerprint(self) -> str:
        """Names the adapter and its options: one printable line."""

    async def remember(self, user: str, text: str) -> tuple[Fact, ...]:
        """Keep what can be learned from this text, and return it. A text that is known already is
        not kept twice."""

    async def recall(self, user: str, query: str, limit: int) -> tuple[Fact, ...]:
        """The facts that fit best, best first, `limit` at most; ties by id."""

    async def facts(self, user: str) -> tuple[Fact, ...]:
        """All of them, in the order in which they were learned."""

    async def forget(self, user: str, fact: str = "") -> int:
        """Delete the fact of this id, or all of the user's where it is empty. Returns how many."""

    async def close(self) -> None:
        """Let go of what is open."""
