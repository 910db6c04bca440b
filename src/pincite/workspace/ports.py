"""The interfaces of the database of workspaces: users, spaces, feeds, documents, jobs and keys.

`Workspaces.of(user)` is the only way to the data of a user. A `Session` is one transaction on
behalf of one user, and shows and changes only what that user may see and change, even if a caller
forgets to check. Objects that the user may not see are reported as missing (NotFound).
`Workspaces.administration()` is for the operator: users, keys and jobs, never the texts of
documents.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Protocol, TypeVar

from pincite.model import Turn
from pincite.ports import ConversationState
from pincite.providers.memory.rows import FactRow
from pincite.workspace.access.rates import Rate, Taken
from pincite.workspace.model import (
    Access,
    ApiKey,
    Conversation,
    Counts,
    Document,
    DocumentStatus,
    Feed,
    FoundKey,
    Job,
    KeyScope,
    Membership,
    Readable,
    Role,
    Space,
    User,
)

T = TypeVar("T")


class Session(Protocol):
    """One transaction of one user. Methods raise NotFound for objects that the user cannot see, and
    Forbidden for visible objects that the user may not change. A user who is disabled or removed
    can still read and delete; calls that add or change something raise NotFound."""

    @property
    def user_id(self) -> str: ...

    async def user(self) -> User:
        """Return the user."""

    async def spaces(self) -> tuple[Space, ...]:
        """Return the spaces that the user is a member of, by name then id."""

    async def space(self, space_id: str) -> Space:
        """Return one of the user's spaces."""

    async def require_editor(self, space_id: str) -> None:
        """Raise NotFound or Forbidden unless the user may write to the space."""

    async def add_space(self, name: str, *, id_: str | None = None) -> Space:
        """Add a space that the user owns. If the user has already made a space with this `id_`,
        return it unchanged; `id_` of feeds and documents works the same way."""

    async def rename_space(self, space_id: str, name: str) -> Space: ...

    async def delete_space(self, space_id: str, *, alone: bool = False) -> tuple[Document, ...]:
        """Delete a space at once for all members, with its feeds and the keys that open only this
        space. Return its documents: they are `deleting`, and a job for each removes it from the
        index. A personal space cannot be deleted. If `alone`, raise UsageError for a space that
        has another member."""

    async def members(self, space_id: str) -> tuple[Membership, ...]: ...

    async def set_member(self, space_id: str, user_id: str, role: Role) -> Membership:
        """Add a member or change a role. The last enabled owner must remain one. Raise NotFound for
        a new member or owner who is disabled or removed."""

    async def remove_member(self, space_id: str, user_id: str) -> None:
        """Remove a member. Takes effect with the next request of that user. The last enabled owner
        cannot be removed."""

    async def feeds(self, space_id: str | None = None) -> tuple[Feed, ...]: ...

    async def feed(self, feed_id: str) -> Feed: ...

    async def add_feed(self, space_id: str, name: str, *, id_: str | None = None) -> Feed: ...

    async def delete_feed(self, feed_id: str) -> None: ...

    async def add_to_feed(self, feed_id: str, document_ids: Collection[str]) -> None:
        """Add documents of the feed's space to the feed, all or none."""

    async def remove_from_feed(self, feed_id: str, document_ids: Collection[str]) -> None: ...

    async def add_document(
        self,
        space_id: str,
        filename: str,
        content_hash: str,
        size: int,
        *,
        source_ids: Sequence[str] = (),
        given: dict[str, str] | None = None,
        id_: str | None = None,
    ) -> Document:
        """Add a document, which is `pending`, and in the same transaction the job that indexes
        it."""

    async def document(self, document_id: str) -> Document: ...

    async def documents(
        self,
        space_id: str | None = None,
        after: str = "",
        limit: int = 50,
        *,
        status: DocumentStatus | None = None,
        filename: str | None = None,
    ) -> tuple[Document, ...]:
        """Return the documents with an id after `after`, by id, only those with this status or
        exact file name; `limit` is 1 to 1,001: a page of 1,000 and one that shows whether another
        page follows."""

    async def change_document(
        self,
        document_id: str,
        *,
        content_hash: str | None = None,
        size: int | None = None,
        filename: str | None = None,
        space_id: str | None = None,
        given: dict[str, str] | None = None,
        source_ids: Sequence[str] | None = None,
        version: int | None = None,
    ) -> Document:
        """Replace, move or describe a document: a new version, with the job for it. Raise
        VersionChanged, and change nothing, if its version is not the given one."""

    async def delete_document(self, document_id: str, *, version: int | None = None) -> Document:
        """Delete a document: it is hidden from all users at once, and a job removes it from the
        index. Raise VersionChanged for a document with another version than the given one."""

    async def delete_documents(self, space_id: str, most: int, *, alone: bool = False) -> int:
        """Delete the first documents of a space, 1 to 1,000, as `delete_document` does. Return
        their number, 0 if the space has none. If `alone`, raise UsageError for a space that has
        another member."""

    async def document_count(self, space_id: str) -> int:
        """Return the number of documents in a space."""

    async def readable(self, access: Access, most: int | None = None) -> Readable:
        """Resolve an access to its current spaces and documents. Memberships and feeds are read as
        of one moment. Documents and feeds that the user cannot see are left out, as missing ones
        are. If the feeds have more than `most` documents, the result is `wide` and lists none of
        them, unless the access names some."""

    async def visible(self, document_ids: Collection[str]) -> frozenset[str]:
        """Return the documents that the user may read, without those whose content was replaced by
        one that could not be indexed: the index may still have their earlier text. This is the
        second check, made before a text is returned."""

    async def replaced(self, document_ids: Collection[str]) -> frozenset[str]:
        """Return those of the documents whose content or type was replaced and is not indexed yet:
        the text in the index is an earlier one."""

    async def keys(self) -> tuple[ApiKey, ...]:
        """Return the user's own keys."""

    async def begin_conversation(
        self, title: str = "", space_id: str | None = None, *, id_: str | None = None
    ) -> Conversation:
        """Begin a conversation; `id_` as in `add_space`. Conversations of a space, and those
        without one, are kept apart; this holds for all of the following methods. Raise
        ConversationNotFound for conversations that the user cannot see."""

    async def conversations(
        self, space_id: str | None = None, after: str = "", limit: int = 50
    ) -> tuple[Conversation, ...]:
        """Return conversations by the time of their last turn, latest first, after the one with the
        id `after`; `limit` is 1 to 1,001, as in `documents`."""

    async def conversation(self, id_: str, space_id: str | None = None) -> Conversation: ...

    async def conversation_state(
        self, id_: str, recent: int, space_id: str | None = None
    ) -> ConversationState:
        """See `pincite.ports.Conversations.state`. The result has no owner."""

    async def turns(
        self, id_: str, space_id: str | None = None, after: int = 0, limit: int | None = None
    ) -> tuple[Turn, ...]:
        """Return at most `limit` turns after turn number `after`, oldest first."""

    async def add_turns(self, id_: str, turns: Sequence[Turn], space_id: str | None = None) -> int:
        """See `pincite.ports.Conversations.append`."""

    async def summarise_conversation(
        self, id_: str, summary: str, summarised: int, space_id: str | None = None
    ) -> bool:
        """See `pincite.ports.Conversations.summarise`."""

    async def delete_conversation(self, id_: str, space_id: str | None = None) -> None: ...

    async def add_fact(self, row: FactRow, most: int, space_id: str | None = None) -> FactRow:
        """Add a fact if there is none with the id of the row, and return the stored one. Facts of a
        space, and those without one, are kept apart; this holds for all of the following methods.
        Raise UsageError if there are `most` facts already, and NotFound for a space that the user
        is not a member of."""

    async def fact_rows(
        self,
        space_id: str | None = None,
        *,
        vectors: bool = False,
        without: str | None = None,
        after: str = "",
        limit: int | None = None,
    ) -> tuple[FactRow, ...]:
        """Return facts, oldest first: all, or only those `without` a vector of that encoder, or at
        most `limit` after the one with the id `after`. Raise NotFound if that one is missing."""

    async def set_fact_vectors(
        self, encoder: str, vectors: Mapping[str, bytes], space_id: str | None = None
    ) -> None:
        """Store vectors of facts by their ids. Ids of deleted facts are ignored."""

    async def forget_facts(self, fact: str = "", space_id: str | None = None) -> int:
        """Delete the fact with this id, or all facts if it is empty. Return the number of deleted
        facts."""

    async def revoke_key(self, key_id: str) -> None: ...


class Administration(Protocol):
    """The calls of the operator. They cannot reach texts of documents."""

    async def add_user(self, name: str, email: str = "") -> User: ...

    async def users(self) -> tuple[User, ...]:
        """Return all users by name, without removed ones."""

    async def disable_user(self, user_id: str) -> None:
        """Refuse all requests of a user from now on. Until the end, other owners cannot leave the
        user's spaces, so that `orphaned` is complete. Raise NotFound, like the next two methods."""

    async def enable_user(self, user_id: str) -> None: ...

    async def begin_removal(self, user_id: str, heir: str | None = None) -> tuple[str, ...]:
        """Disable a user, and make `heir` an owner of each space that others use and that has no
        other enabled owner. Return the ids of these spaces. If there are some and no heir, change
        nothing. Removals wait for each other, and owners cannot leave these spaces meanwhile. Raise
        NotFound for an unknown user or heir, UsageError for a disabled heir."""

    async def orphaned(self, user_id: str) -> tuple[str, ...]:
        """Return the ids of the spaces that the user owns, that others use, and that have no other
        enabled owner."""

    async def give_space(self, space_id: str, heir: str) -> None:
        """Make `heir` an owner of a space whose owners are all disabled. Raise NotFound for an heir
        who is disabled or unknown, and UsageError for a space that is personal or unknown, and for
        one with an enabled owner."""

    async def forget_user(self, user_id: str) -> None:
        """Delete a user who is in no other space, with an empty personal space, conversations,
        facts and keys. The id stays, without a name, and so do links to subjects of an issuer, as
        revoked ones. Raise UsageError if the personal space has documents. See `remove_user`."""

    async def drop_sign_in(self, key_id: str) -> None:
        """Delete the link of a removed user to a subject of an issuer, so that another user can
        have it."""

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
    ) -> ApiKey: ...

    async def keys(self, user_id: str | None = None) -> tuple[ApiKey, ...]:
        """Return the keys of one user or of all, oldest first."""

    async def key_by_prefix(self, prefix: str) -> FoundKey | None:
        """Return a key, also a revoked or expired one, and one of a disabled or removed user: the
        caller reports which of these applies."""

    async def used(self, key_id: str) -> None:
        """Record that a key was used (at most once a minute for each key)."""

    async def take_requests(self, key_id: str, wanted: int, rate: Rate) -> Taken:
        """Take up to `wanted` requests of a key for this process, at most `rate.block`, to be sent
        within `LIFE_S`. Fewer are returned if fewer are left."""

    async def revoke_key(self, key_id: str) -> None: ...

    async def restore_sign_in(self, key_id: str) -> None:
        """Undo the revocation of a link to a subject of an issuer. A key stays revoked."""

    async def claim(self, worker: str, lease_s: float) -> tuple[Job, Document] | None:
        """Lease a job that is due to a worker and return it; None if there is none. Users take
        turns: the job belongs to the user who was served longest ago, and is the one of that user
        that has been due longest. A job whose lease has expired is claimed again, and becomes dead
        if that happens too often in a row. A document never has two claimed jobs. The name `worker`
        must be unique and never reused."""

    async def claim_feeds(
        self, worker: str, lease_s: float, limit: int
    ) -> tuple[tuple[Job, Document], ...]:
        """Lease jobs of `ready` documents whose feeds have changed since they were indexed, oldest
        change first, 1 to 1,000. Call it when no other job is due. Dead jobs are included. `claim`
        takes up expired leases."""

    async def renew(self, job_id: str, worker: str, lease_s: float) -> bool:
        """Renew a lease. Return False if it is lost: the worker must stop."""

    async def finish(
        self,
        job_id: str,
        worker: str,
        version: int,
        metadata: dict[str, str] | None,
        error: str = "",
    ) -> bool:
        """Record that the index has this version, or why it cannot have it (`error`). After an
        error, an earlier content of the document is not shown again. Return False if the lease is
        lost. The job waits again if another change was requested in the meantime."""

    async def fail(self, job_id: str, worker: str, reason: str, retry_s: float | None) -> None:
        """Retry the job after `retry_s` seconds; with None it becomes dead, and an earlier content
        of the document is not shown again. Only the operator sees the reason."""

    async def database_id(self) -> str:
        """Return the id of this database. A copy or a restored dump has the same id, a new database
        another one."""

    async def needed(self, files: Collection[tuple[str, str]]) -> frozenset[tuple[str, str]]:
        """Return those of these files, (space, content hash), that at least one document needs."""

    async def leaving(
        self, document_ids: Collection[str], space_ids: Collection[str]
    ) -> frozenset[str]:
        """Return those of the documents that were deleted from one of these spaces and are not yet
        removed from the index."""

    async def replaced(self, document_ids: Collection[str]) -> frozenset[str]:
        """See `Session.replaced`; for the documents of all users."""

    async def retry_failed_before(self, limit: int) -> int:
        """Queue documents again that failed before the database knew which texts were replaced: the
        index has their earlier texts, which a worker then removes. Return their number, at most
        `limit`, 1 to 1,000."""

    async def dead(self) -> tuple[Job, ...]: ...

    async def open_jobs(self) -> tuple[Job, ...]:
        """Return jobs that wait or run, at most 1,000: those that have failed before come first,
        then by `due`. A job that waits for a retry has the reason of its last failure."""

    async def failed(self) -> tuple[Document, ...]:
        """Return documents that cannot be indexed, the first 1,000 by the time of the failure."""

    async def counts(self) -> Counts:
        """Return the counts of open work."""

    async def retry(self, job_id: str) -> None: ...


class Workspaces(Protocol):
    """An open database of workspaces."""

    def of(self, user_id: str) -> AbstractAsyncContextManager[Session]:
        """Open a transaction on behalf of a user. It is committed at the end and rolled back after
        an error."""

    def administration(self) -> AbstractAsyncContextManager[Administration]:
        """Open a transaction of the operator."""

    async def change(self, user_id: str, work: Callable[[Session], Awaitable[T]]) -> T:
        """Run `work` in a transaction of the user and return its result. Use it for frequent calls,
        because such transactions block each other only briefly. `work` may await only the
        session."""

    async def administer(self, work: Callable[[Administration], Awaitable[T]]) -> T:
        """Run `work` in a transaction of the operator and return its result; see `change`. If the
        database ends the transaction in favour of another one, `work` runs again in a new one."""

    async def migrate(self) -> tuple[str, ...]:
        """Bring the schema up to date, each step in a transaction. Return the names of the steps
        taken."""

    async def pending(self) -> tuple[str, ...]:
        """Return the names of the steps that `migrate` would take."""

    async def require_roles(self) -> None:
        """Raise ConfigError if an address is missing, if it connects with a role to which the rules
        of the database do not apply or that lacks rights, or if the addresses name two databases.
        Raise ReadOnlyDatabase if the database accepts no changes. The schema must be up to
        date."""

    async def require_room(self) -> None:
        """Raise DiskFull if the disk of the database, on this machine, is full."""

    async def close(self) -> None: ...
