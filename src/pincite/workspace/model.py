"""The values of workspaces: users, spaces, feeds, documents, jobs, keys, and accesses.

Ids are UUIDs as lower-case text. Times are UTC.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

Role = Literal["owner", "editor", "viewer"]
KeyScope = Literal["search", "write", "admin"]
UserState = Literal["enabled", "disabled", "removed"]
JobState = Literal["waiting", "running", "done", "dead"]
DocumentStatus = Literal["pending", "indexing", "ready", "failed", "deleting"]


class User(msgspec.Struct, frozen=True):
    """A user. `personal` is the id of the space that is made with the user and has no other member.
    `disabled` is the time since which all requests of the user are refused; only the operator sees
    it."""

    id: str
    name: str
    personal: str
    created: datetime
    email: str = ""
    disabled: datetime | None = None


class Space(msgspec.Struct, frozen=True):
    """A set of documents with members. A `personal` space has its owner as the only member. `role`
    is that of the calling user."""

    id: str
    name: str
    personal: bool
    created: datetime
    role: Role = "viewer"


class Membership(msgspec.Struct, frozen=True):
    """The role of a user in a space. A viewer reads, an editor also writes, and an owner also
    manages members."""

    space_id: str
    user_id: str
    role: Role


class Feed(msgspec.Struct, frozen=True):
    """A named set of documents of one space. Each search reads its current documents."""

    id: str
    space_id: str
    name: str
    created: datetime
    documents: int = 0


class Document(msgspec.Struct, frozen=True):
    """An uploaded file, which is in exactly one space. `user_id` is the user who uploaded it and
    grants no rights. `content_hash` is the hash of its bytes (SHA-256, hex). `version` counts the
    requested changes (a replacement, a move, other metadata, a deletion). The index has
    `indexed_version`, and a job brings it to `version`. `metadata` has `title`, `category`,
    `document_type`, `data_structure`, `language` and `dates` as found. `given` has the same fields
    as a person set them; these take precedence. `origins` has the origin of each field: `rules`,
    `model` or `person`."""

    id: str
    space_id: str
    user_id: str
    filename: str
    content_hash: str
    bytes: int
    status: DocumentStatus
    version: int
    created: datetime
    updated: datetime
    indexed_version: int = 0
    error: str = ""
    metadata: dict[str, str] = {}
    given: dict[str, str] = {}
    source_ids: tuple[str, ...] = ()
    feed_ids: tuple[str, ...] = ()
    origins: dict[str, str] = {}


class Job(msgspec.Struct, frozen=True):
    """Work on one document on behalf of one user. A `dead` job has failed too often: `reason` says
    why, and it can be retried."""

    id: str
    document_id: str
    user_id: str
    state: JobState
    attempts: int = 0
    reason: str = ""
    due: datetime | None = None


class ApiKey(msgspec.Struct, frozen=True):
    """A key without its secret, which is shown once, when the key is made. A key with a `space_id`
    opens only that space. The scope `admin` manages users and keys."""

    id: str
    user_id: str
    name: str
    prefix: str
    scopes: tuple[KeyScope, ...]
    created: datetime
    space_id: str | None = None
    expires: datetime | None = None
    last_used: datetime | None = None
    revoked: datetime | None = None


class FoundKey(msgspec.Struct, frozen=True):
    """A key for the operator, with the salted hash of its secret and the state of its user."""

    key: ApiKey
    secret_hash: str
    user: UserState = "enabled"


class Conversation(msgspec.Struct, frozen=True):
    """The questions of one user and their answers. A conversation that was begun with a key of one
    space has its `space_id`: this key sees no other conversations, and other keys of the user do
    not see it. `turns` is the number of turns, `updated` the time of the last one."""

    id: str
    title: str
    created: datetime
    updated: datetime
    space_id: str | None = None
    turns: int = 0


class Counts(msgspec.Struct, frozen=True):
    """Counts of work for all users together: jobs by state, without those that are done, and
    documents by status. Every state and status has an entry. `late_s`: seconds for which the most
    overdue job has been due."""

    jobs: dict[str, int]
    documents: dict[str, int]
    late_s: float


class Access(msgspec.Struct, frozen=True):
    """The limits of a search, read, deletion, answer or tool call: one user, and optional
    restrictions. It is made from a verified key or by a call of the operator, never from input of a
    caller or a model. None restricts nothing; an empty tuple allows nothing.

    A `space_id` of a space that the user is not a member of is treated as one that does not
    exist."""

    user_id: str
    space_id: str | None = None
    document_ids: tuple[str, ...] | None = None
    feed_ids: tuple[str, ...] | None = None
    source_ids: tuple[str, ...] | None = None
    category: str | None = None
    data_structure: str | None = None
    document_type: str | None = None
    scopes: tuple[KeyScope, ...] = ("search",)

    def reaches(self, space_id: str | None) -> bool:
        """Return whether the access may reach this space, that is, is not restricted to another
        one."""
        return self.space_id in (None, space_id)


class Readable(msgspec.Struct, frozen=True):
    """A resolved access at one moment. It has the spaces of the user, or the requested one. It also
    has the documents if the access names documents or feeds. None stands for all documents of the
    spaces, or, if `wide` is set, for more than can be listed."""

    user_id: str
    space_ids: tuple[str, ...]
    document_ids: tuple[str, ...] | None = None
    wide: bool = False
