"""Facts about users, with an access: the facts of its user, or of its user in its one space."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pincite.model import Fact
from pincite.workspace.access.bounds import require_scope
from pincite.workspace.conversations import owner_of
from pincite.workspace.model import Access

if TYPE_CHECKING:
    from pincite.engine import AsyncPincite


class RememberingWorkspace:
    """The part of `Workspace` that handles facts. Answers recall the facts stored here."""

    _engine: AsyncPincite

    async def remember(self, access: Access, text: str) -> tuple[Fact, ...]:
        """Store a fact about the user, for answers in all of their conversations. A key of one
        space has separate facts. Raise UsageError (also if `[memory]` stores nothing), Forbidden,
        NotFound for a space that the user is not a member of, MemoryUnavailable."""
        require_scope(access, "search")
        return await self._engine.remember(owner_of(access), text)

    async def recall(self, access: Access, query: str, limit: int = 5) -> tuple[Fact, ...]:
        """Return at most `limit` facts that fit a question, best first. Raise the errors of
        `remember`."""
        require_scope(access, "search")
        return await self._engine.recall(owner_of(access), query, limit)

    async def facts(
        self, access: Access, after: str = "", limit: int | None = None
    ) -> tuple[Fact, ...]:
        """Return at most `limit` facts after the one with the id `after`, oldest first; all by
        default. Raise the errors of `remember`, and NotFound for an unknown id."""
        require_scope(access, "search")
        return await self._engine.facts(owner_of(access), after, limit)

    async def forget_facts(self, access: Access, fact: str = "") -> int:
        """Delete the fact with this id, or all facts if it is empty. Return the number of deleted
        facts. Raise the errors of `remember`."""
        require_scope(access, "search")
        return await self._engine.forget_facts(owner_of(access), fact)
