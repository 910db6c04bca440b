"""The calls of the operator, each in one transaction, for every database."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import datetime, timedelta
from typing import Final

from pincite.errors import UsageError
from pincite.support.arguments import require_choice
from pincite.workspace import checks
from pincite.workspace.access.keys import SECRETLESS
from pincite.workspace.access.rates import Rate, Taken, take_requests
from pincite.workspace.checks import missing, require_id
from pincite.workspace.database import jobs
from pincite.workspace.database.rows import KEY, key_of, user_of
from pincite.workspace.database.transaction import (
    Transaction,
    damaged,
    json_text,
    maybe_time,
    new_id,
    time_text,
)
from pincite.workspace.model import (
    ApiKey,
    Counts,
    Document,
    FoundKey,
    Job,
    KeyScope,
    User,
    UserState,
)

_USER: Final = (
    "SELECT u.id, u.name, s.id, u.created, u.email, u.disabled FROM users u JOIN spaces s"
    " ON s.personal_of = u.id"
)
#: Spaces that others use and whose only enabled owner is the user.
_ORPHANED: Final = """
    SELECT m.space_id FROM space_members m WHERE m.user_id = :user AND m.role = 'owner'
        AND EXISTS (SELECT 1 FROM space_members o
            WHERE o.space_id = m.space_id AND o.user_id <> :user)
        AND NOT EXISTS (SELECT 1 FROM space_members o JOIN users u ON u.id = o.user_id
            WHERE o.space_id = m.space_id AND o.user_id <> :user AND o.role = 'owner'
                AND u.disabled IS NULL)
"""
_STATES: Final[tuple[UserState, ...]] = ("enabled", "disabled", "removed")
_USED_EVERY: Final = timedelta(minutes=1)


class DatabaseAdministration:
    """Implements `Administration`."""

    def __init__(
        self, transaction: Transaction, clock: Callable[[], datetime], losses: int = jobs.LOSSES
    ) -> None:
        self._transaction = transaction
        self._clock = clock
        self._losses = losses

    async def add_user(self, name: str, email: str = "") -> User:
        """See `Administration.add_user`."""
        id_ = new_id()
        await self._transaction.run(
            "INSERT INTO users (id, name, email, created) VALUES (:id, :name, :email, :now)",
            id=id_,
            name=checks.line("name", name, checks.NAME_CHARS),
            email=checks.line("email", email, checks.EMAIL_CHARS, empty=True),
            now=time_text(self._clock()),
        )
        await self._transaction.run(
            "INSERT INTO spaces (id, name, personal_of, created) VALUES (:space, :name, :id, :now)",
            id=id_,
            space=new_id(),
            name=name,
            now=time_text(self._clock()),
        )
        rows = await self._transaction.rows(f"{_USER} WHERE u.id = :id", id=id_)
        return user_of(rows[0])

    async def users(self) -> tuple[User, ...]:
        """See `Administration.users`."""
        rows = await self._transaction.rows(_USER)
        return tuple(sorted(map(user_of, rows), key=lambda one: (one.name, one.id)))

    async def disable_user(self, user_id: str) -> None:
        """See `Administration.disable_user`."""
        await self._require_user(user_id)
        await self._lock_owned(user_id)
        await self._disable(user_id)

    async def _disable(self, user_id: str) -> None:
        await self._transaction.run(
            "UPDATE users SET disabled = coalesce(disabled, :now) WHERE id = :user",
            user=user_id,
            now=time_text(self._clock()),
        )

    async def enable_user(self, user_id: str) -> None:
        """See `Administration.enable_user`."""
        await self._require_user(user_id)
        await self._transaction.run(
            "UPDATE users SET disabled = NULL WHERE id = :user", user=user_id
        )

    async def begin_removal(self, user_id: str, heir: str | None = None) -> tuple[str, ...]:
        """See `Administration.begin_removal`."""
        await self._require_user(user_id)
        await self._transaction.lock("removals")  # of two users who would be each other's heirs
        await self._lock_owned(user_id)
        await self._require_user(user_id)  # again: others wrote until these locks
        if heir is not None:
            await self._require_heir(heir, user_id)
        orphaned = await self.orphaned(user_id)
        if orphaned and heir is None:
            return orphaned
        await self._disable(user_id)  # no new space or member from here on
        for space_id in orphaned:
            await self._make_owner(space_id, str(heir))
        return orphaned

    async def _lock_owned(self, user_id: str) -> None:
        """Lock the spaces of an owner against another owner who leaves meanwhile."""
        rows = await self._transaction.rows(
            "SELECT space_id FROM space_members WHERE user_id = :user AND role = 'owner'",
            user=user_id,
        )
        for space_id in sorted(str(id_) for (id_,) in rows):
            await self._transaction.lock(space_id)

    async def orphaned(self, user_id: str) -> tuple[str, ...]:
        """See `Administration.orphaned`."""
        rows = await self._transaction.rows(_ORPHANED, user=require_id("user", user_id))
        return tuple(sorted(str(id_) for (id_,) in rows))

    async def give_space(self, space_id: str, heir: str) -> None:
        """See `Administration.give_space`."""
        await self._transaction.lock(require_id("space", space_id))
        rows = await self._transaction.rows(
            "SELECT m.user_id, u.disabled IS NULL FROM space_members m JOIN users u"
            " ON u.id = m.user_id WHERE m.space_id = :space AND m.role = 'owner'"
            " AND m.space_id NOT IN (SELECT id FROM spaces WHERE personal_of IS NOT NULL)",
            space=space_id,
        )
        enabled = [str(user) for user, is_enabled in rows if is_enabled]
        if enabled:
            raise UsageError(
                f"the space {space_id} has an owner who is not disabled: {enabled[0]}",
                hint="that user can make others owners",
            )
        if not rows:
            raise UsageError("the space is unknown or personal, or has no disabled owner")
        await self._require_user(heir, enabled=True)
        await self._make_owner(space_id, heir)

    async def _make_owner(self, space_id: str, user_id: str) -> None:
        there = await self._transaction.rows(
            "SELECT 1 FROM space_members WHERE space_id = :space AND user_id = :user",
            space=space_id,
            user=user_id,
        )
        if not await self._transaction.attempt(
            "UPDATE space_members SET role = 'owner' WHERE space_id = :space AND user_id = :user"
            if there
            else "INSERT INTO space_members (space_id, user_id, role)"
            " VALUES (:space, :user, 'owner')",
            space=space_id,
            user=user_id,
        ):
            raise missing("user", user_id)

    async def _require_heir(self, heir: str, user_id: str) -> None:
        rows = await self._transaction.rows(
            "SELECT disabled IS NULL FROM users WHERE id = :user AND removed IS NULL",
            user=require_id("user", heir),
        )
        if not rows or heir == user_id:
            raise missing("user", heir)
        if not rows[0][0]:
            raise UsageError(f"the user {heir} is disabled", hint="pincite workspace user enable")

    async def forget_user(self, user_id: str) -> None:
        """See `Administration.forget_user`."""
        await self._require_user(user_id)
        now = time_text(self._clock())
        if await self._transaction.rows(
            "SELECT 1 FROM documents d JOIN spaces s ON s.id = d.space_id"
            " WHERE s.personal_of = :user LIMIT 1",
            user=user_id,
        ):
            raise UsageError("the personal space of the user has documents", hint="run it again")
        for one in (
            "UPDATE users SET name = '', email = '', disabled = :now, removed = :now"
            " WHERE id = :user",
            "DELETE FROM conversations WHERE user_id = :user",
            "DELETE FROM facts WHERE user_id = :user",
            "UPDATE api_keys SET name = 'removed', revoked = coalesce(revoked, :now)"
            " WHERE user_id = :user",
            f"DELETE FROM api_keys WHERE user_id = :user AND secret_hash <> '{SECRETLESS}'",
            "DELETE FROM spaces WHERE personal_of = :user",
        ):
            values = {"user": user_id} | ({"now": now} if ":now" in one else {})
            await self._transaction.run(one, **values)

    async def _require_user(self, user_id: str, *, enabled: bool = False) -> None:
        if not await self._transaction.rows(
            "SELECT 1 FROM users WHERE id = :user AND removed IS NULL"
            + (" AND disabled IS NULL" if enabled else ""),
            user=require_id("user", user_id),
        ):
            raise missing("user", user_id)

    async def add_key(
        self,
        user_id: str,
        name: str,
        secret_hash: str,
        prefix: str,
        scopes: Sequence[KeyScope],
        *,
        space_id: str | None = None,
        expires: datetime | None = None,
    ) -> ApiKey:
        """See `Administration.add_key`."""
        for scope in scopes:
            require_choice("scopes", scope, checks.SCOPES)
        if isinstance(scopes, str) or not scopes:
            raise UsageError("a key has no scopes; it takes search, write or admin")
        await self._require_user(user_id)
        if space_id is not None and not await self._transaction.rows(
            "SELECT 1 FROM space_members WHERE user_id = :user AND space_id = :space",
            user=user_id,
            space=require_id("space", space_id),
        ):
            raise missing("space", space_id)
        id_ = new_id()
        if not await self._transaction.attempt(
            "INSERT INTO api_keys (id, user_id, name, prefix, secret_hash, scopes, space_id,"
            " created, expires) VALUES (:id, :user, :name, :prefix, :hash, :scopes, :space,"
            " :now, :expires)",
            id=id_,
            user=user_id,
            name=checks.line("name", name, checks.NAME_CHARS),
            prefix=checks.line("prefix", prefix, checks.NAME_CHARS),
            hash=checks.line("secret_hash", secret_hash, checks.NAME_CHARS),
            scopes=json_text(sorted(set(scopes), key=checks.SCOPES.index)),
            space=space_id,
            now=time_text(self._clock()),
            expires=None if expires is None else time_text(checks.time("expires", expires)),
        ):
            raise UsageError("another key has this prefix", hint="create another key")
        rows = await self._transaction.rows(f"SELECT {KEY} FROM api_keys WHERE id = :id", id=id_)
        return key_of(rows[0])

    async def keys(self, user_id: str | None = None) -> tuple[ApiKey, ...]:
        """See `Administration.keys`."""
        where = "" if user_id is None else " WHERE user_id = :user"
        values = {} if user_id is None else {"user": require_id("user", user_id)}
        rows = await self._transaction.rows(
            f"SELECT {KEY} FROM api_keys{where} ORDER BY created, id", **values
        )
        return tuple(map(key_of, rows))

    async def key_by_prefix(self, prefix: str) -> FoundKey | None:
        """See `Administration.key_by_prefix`."""
        if not prefix.isprintable() or len(prefix) > checks.NAME_CHARS:
            return None
        rows = await self._transaction.rows(
            f"SELECT {KEY}, secret_hash, (SELECT CASE WHEN removed IS NOT NULL THEN 2"
            " WHEN disabled IS NOT NULL THEN 1 ELSE 0 END FROM users u WHERE u.id = user_id)"
            " FROM api_keys WHERE prefix = :prefix",
            prefix=prefix,
        )
        if not rows:
            return None
        *fields, secret_hash, state = rows[0]
        return FoundKey(key_of(tuple(fields)), str(secret_hash), _STATES[int(state)])

    async def drop_sign_in(self, key_id: str) -> None:
        """See `Administration.drop_sign_in`."""
        await self._transaction.run(
            "DELETE FROM api_keys WHERE id = :key AND user_id IN"
            " (SELECT id FROM users WHERE removed IS NOT NULL)",
            key=require_id("key", key_id),
        )

    async def used(self, key_id: str) -> None:
        """See `Administration.used`."""
        now = self._clock()
        rows = await self._transaction.rows(
            "SELECT last_used FROM api_keys WHERE id = :key", key=require_id("key", key_id)
        )
        last = maybe_time(rows[0][0]) if rows else None
        if rows and (last is None or abs(now - last) >= _USED_EVERY):
            await self._transaction.run(
                "UPDATE api_keys SET last_used = :now WHERE id = :key",
                key=key_id,
                now=time_text(now),
            )

    async def take_requests(self, key_id: str, wanted: int, rate: Rate) -> Taken:
        """See `Administration.take_requests`."""
        return await take_requests(self._transaction, key_id, wanted, rate)

    async def revoke_key(self, key_id: str) -> None:
        """See `Administration.revoke_key`."""
        rows = await self._transaction.rows(
            "SELECT id FROM api_keys WHERE id = :key", key=require_id("key", key_id)
        )
        if not rows:
            raise missing("key", key_id)
        await self._transaction.run(
            "UPDATE api_keys SET revoked = :now WHERE id = :key AND revoked IS NULL",
            key=key_id,
            now=time_text(self._clock()),
        )

    async def restore_sign_in(self, key_id: str) -> None:
        """See `Administration.restore_sign_in`."""
        await self._transaction.run(
            "UPDATE api_keys SET revoked = NULL WHERE id = :key AND secret_hash = :secretless",
            key=require_id("key", key_id),
            secretless=SECRETLESS,
        )

    async def claim(self, worker: str, lease_s: float) -> tuple[Job, Document] | None:
        """See `Administration.claim`."""
        return await jobs.claim_job(self._transaction, worker, lease_s, self._losses)

    async def claim_feeds(
        self, worker: str, lease_s: float, limit: int
    ) -> tuple[tuple[Job, Document], ...]:
        """See `Administration.claim_feeds`."""
        return await jobs.claim_feeds(self._transaction, worker, lease_s, limit)

    async def renew(self, job_id: str, worker: str, lease_s: float) -> bool:
        """See `Administration.renew`."""
        return await jobs.renew_lease(self._transaction, job_id, worker, lease_s)

    async def finish(
        self,
        job_id: str,
        worker: str,
        version: int,
        metadata: dict[str, str] | None,
        error: str = "",
    ) -> bool:
        """See `Administration.finish`."""
        return await jobs.finish_job(self._transaction, job_id, worker, version, metadata, error)

    async def fail(self, job_id: str, worker: str, reason: str, retry_s: float | None) -> None:
        """See `Administration.fail`."""
        await jobs.fail_job(self._transaction, job_id, worker, reason, retry_s)

    async def database_id(self) -> str:
        """See `Administration.database_id`."""
        rows = await self._transaction.rows("SELECT id FROM database_identity")
        if len(rows) != 1:
            raise damaged("its id")
        return str(rows[0][0])

    async def needed(self, files: Collection[tuple[str, str]]) -> frozenset[tuple[str, str]]:
        """See `Administration.needed`."""
        asked = frozenset(one for one in files if checks.is_id(one[0]) and checks.is_hash(one[1]))
        rows = await self._transaction.rows(
            "SELECT DISTINCT space_id, content_hash FROM documents"
            " WHERE space_id IN (SELECT value FROM id_list(:spaces))"
            " AND content_hash IN (SELECT value FROM text_list(:hashes))",
            spaces=json_text(sorted({space_id for space_id, _ in asked})),
            hashes=json_text(sorted({content_hash for _, content_hash in asked})),
        )
        return asked & {(str(space_id), str(content_hash)) for space_id, content_hash in rows}

    async def leaving(
        self, document_ids: Collection[str], space_ids: Collection[str]
    ) -> frozenset[str]:
        """See `Administration.leaving`."""
        rows = await self._transaction.rows(
            "SELECT id FROM removed_documents WHERE id IN (SELECT value FROM id_list(:ids))"
            " AND space_id IN (SELECT value FROM id_list(:spaces))",
            ids=json_text(checks.ids_among(document_ids)),
            spaces=json_text(checks.ids_among(space_ids)),
        )
        return frozenset(str(id_) for (id_,) in rows)

    async def replaced(self, document_ids: Collection[str]) -> frozenset[str]:
        """See `Administration.replaced`."""
        rows = await self._transaction.rows(
            "SELECT id FROM documents WHERE id IN (SELECT value FROM id_list(:ids))"
            " AND (text_version > indexed_version OR (status = 'failed' AND text_version = 0"
            " AND indexed_version > 0 AND indexed_version < version))",
            ids=json_text(checks.ids_among(document_ids)),
        )
        return frozenset(str(id_) for (id_,) in rows)

    async def retry_failed_before(self, limit: int) -> int:
        """See `Administration.retry_failed_before`."""
        return await jobs.retry_failed_before(self._transaction, limit)

    async def dead(self) -> tuple[Job, ...]:
        """See `Administration.dead`."""
        return await jobs.dead_jobs(self._transaction)

    async def open_jobs(self) -> tuple[Job, ...]:
        """See `Administration.open_jobs`."""
        return await jobs.open_jobs(self._transaction)

    async def failed(self) -> tuple[Document, ...]:
        """See `Administration.failed`."""
        return await jobs.failed_documents(self._transaction)

    async def counts(self) -> Counts:
        """See `Administration.counts`."""
        return await jobs.count_all(self._transaction)

    async def retry(self, job_id: str) -> None:
        """See `Administration.retry`."""
        await jobs.retry_job(self._transaction, job_id)
