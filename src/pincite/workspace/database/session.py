"""The calls of one user, in one transaction, for every database."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from pincite.errors import UsageError
from pincite.workspace.access.readable import readable_of
from pincite.workspace.checks import missing, require_id
from pincite.workspace.conversations import UsersConversations
from pincite.workspace.database.documents import UsersDocuments
from pincite.workspace.database.feeds import UsersFeeds
from pincite.workspace.database.rows import KEY, key_of
from pincite.workspace.database.transaction import Transaction
from pincite.workspace.facts import UsersFacts
from pincite.workspace.model import Access, ApiKey, Readable


class DatabaseSession(UsersFeeds, UsersDocuments, UsersConversations, UsersFacts):
    """Implements `Session`. The tables `my_...` alone decide what a user sees. Rights to change are
    checked in the parts, for precise errors, and again by the database."""

    def __init__(
        self, user_id: str, transaction: Transaction, clock: Callable[[], datetime]
    ) -> None:
        self._user_id = user_id
        self._transaction = transaction
        self._clock = clock

    @property
    def user_id(self) -> str:
        """See `Session.user_id`."""
        return self._user_id

    async def readable(self, access: Access, most: int | None = None) -> Readable:
        """See `Session.readable`."""
        if access.user_id != self._user_id:
            raise UsageError("an access of one user cannot act for another user")
        return await readable_of(self._transaction, self._user_id, access, most)

    async def keys(self) -> tuple[ApiKey, ...]:
        """See `Session.keys`."""
        rows = await self._transaction.rows(f"SELECT {KEY} FROM my_keys ORDER BY created, id")
        return tuple(map(key_of, rows))

    async def revoke_key(self, key_id: str) -> None:
        """See `Session.revoke_key`."""
        rows = await self._transaction.rows(
            "SELECT id FROM my_keys WHERE id = :key", key=require_id("key", key_id)
        )
        if not rows:
            raise missing("key", key_id)
        await self._transaction.run(
            "UPDATE my_keys SET revoked = :now WHERE id = :key AND revoked IS NULL",
            key=key_id,
            now=self._now(),
        )
