"""Where users, spaces, feeds, documents, jobs and keys are kept.

`Workspaces.of(user)` is the only way to what users have: a `Session` is one transaction in the name
of one user, and shows and changes what that user may, also where a caller forgets to ask. What a
user may not see is answered as what there is not (NotFound). `Workspaces.administration()` is for
the operator: users, keys, jobs, never the texts of documents.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import Protocol

from pincite.workspace.model import (
    Access,
    ApiKey,
    Document,
    Feed,
    Job,
    KeyScope,
    Membership,
    Readable,
    Role,
    Space,
    User,
)


class Session(Protocol):
    """One transaction of one user. Raises NotFound for what the user cannot see, Forbidden for what
    the user sees and may not change."""

    @property
    def user_id(self) -> str: ...

    async def user(self) -> User:
        """The user."""

    async def spaces(self) -> tuple[Space, ...]:
        """Those the user is a member of, by name then id."""

    async def space(self, space_id: str) -> Space:
        """One of them."""

    async def require_editor(self, space_id: str) -> None:
        """Raise NotFound or Forbidden unless the user may write to the space."""

    async def add_space(self, name: str, *, id_: str | None = None) -> Space:
        """A new one, of which the user is the owner. With an `id_` that the user has made before
        it is that one, unchanged; so for feeds and documents."""

    async def rename_space(self, space_id: str, name: str) -> Space: ...

    async def delete_space(self, space_id: str) -> tuple[Document, ...]:
        """It goes at once for everybody, with its feeds, and with the keys that open it alone. Its
        documents are `deleting`: a job each takes them out of the index. A personal one stays."""

    async def members(self, space_id: str) -> tuple[Membership, ...]: ...

    async def set_member(self, space_id: str, user_id: str, role: Role) -> Membership:
        """Add a member, or change a role. The last owner stays one."""

    async def remove_member(self, space_id: str, user_id: str) -> None:
        """Holds for the next request of that user. The last owner cannot go."""

    async def feeds(self, space_id: str | None = None) -> tuple[Feed, ...]: ...

    async def feed(self, feed_id: str) -> Feed: ...

    async def add_feed(self, space_id: str, name: str, *, id_: str | None = None) -> Feed: ...

    async def delete_feed(self, feed_id: str) -> None: ...

    async def add_to_feed(self, feed_id: str, document_ids: Collection[str]) -> None:
        """Documents of the feed's space, all or none."""

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
        """A new one, `pending`, with the job that indexes it, in this transaction."""

    async def document(self, document_id: str) -> Document: ...

    async def documents(
        self, space_id: str | None = None, after: str = "", limit: int = 50
    ) -> tuple[Document, ...]:
        """Those with an id behind `after`, by id; 1 to 1,000 of them."""

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
    ) -> Document:
        """A replacement, a move or other metadata: a new version, with the job for it."""

    async def delete_document(self, document_id: str) -> Document:
        """From now on nobody sees it; a job takes it out of the index."""

    async def readable(self, access: Access) -> Readable:
        """What the access comes to now, memberships and feeds as of one moment. Documents and feeds
        that the user cannot see are left out, as those that do not exist."""

    async def visible(self, document_ids: Collection[str]) -> frozenset[str]:
        """Those of them that the user may read: the second lock, asked before a text leaves."""

    async def keys(self) -> tuple[ApiKey, ...]:
        """The user's own."""

    async def revoke_key(self, key_id: str) -> None: ...


class Administration(Protocol):
    """What the operator does. Texts of documents are not reachable from here."""

    async def add_user(self, name: str, email: str = "") -> User: ...

    async def users(self) -> tuple[User, ...]: ...

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
        """Those of a user or of all, the oldest first."""

    async def key_by_prefix(self, prefix: str) -> tuple[ApiKey, str] | None:
        """A key and the salted hash of its secret; also one that is revoked or has expired, as who
        verifies says which."""

    async def used(self, key_id: str) -> None:
        """Note that a key was used (at most once a minute each)."""

    async def revoke_key(self, key_id: str) -> None: ...

    async def claim(self, worker: str, lease_s: float) -> tuple[Job, Document] | None:
        """A job that is due, leased to a worker; None if there is none. Users take turns: it is of
        the user who was served longest ago, and of theirs the one due longest. One whose lease
        ran out is claimed again, and dead where that happens too often in a row. Never two at once
        of one document. `worker` is a name that no other worker has, nor had one before."""

    async def renew(self, job_id: str, worker: str, lease_s: float) -> bool:
        """False where the lease is lost: the worker must stop."""

    async def finish(
        self,
        job_id: str,
        worker: str,
        version: int,
        metadata: dict[str, str] | None,
        error: str = "",
    ) -> bool:
        """The index shows this version now, or cannot (`error`). False where the lease is lost.
        Where more was asked meanwhile, the job waits again."""

    async def fail(self, job_id: str, worker: str, reason: str, retry_s: float | None) -> None:
        """Try again after so many seconds; None: it is dead."""

    async def is_stored(self, space_id: str, content_hash: str) -> bool:
        """Does a document need this file?"""

    async def dead(self) -> tuple[Job, ...]: ...

    async def retry(self, job_id: str) -> None: ...


class Workspaces(Protocol):
    """A database of workspaces, open."""

    def of(self, user_id: str) -> AbstractAsyncContextManager[Session]:
        """A transaction in the name of a user: committed at the end, rolled back by an error."""

    def administration(self) -> AbstractAsyncContextManager[Administration]:
        """A transaction of the operator."""

    async def migrate(self) -> tuple[str, ...]:
        """Bring the schema up to date, each step in a transaction; returns the steps taken."""

    async def pending(self) -> tuple[str, ...]:
        """The steps that `migrate` would take."""

    async def close(self) -> None: ...
