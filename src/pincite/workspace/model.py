"""The nouns of workspaces: users, spaces, feeds, documents, jobs, keys, and what a caller may see.

Ids are UUIDs as lower-case text. Times are UTC.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

Role = Literal["owner", "editor", "viewer"]
KeyScope = Literal["search", "write", "admin"]
DocumentStatus = Literal["pending", "indexing", "ready", "failed", "deleting"]


class User(msgspec.Struct, frozen=True):
    """Somebody with documents. `personal` is the space that only they are a member of; it is made
    with them."""

    id: str
    name: str
    personal: str
    created: datetime
    email: str = ""


class Space(msgspec.Struct, frozen=True):
    """A set of documents with members. A `personal` one has no member but its owner. `role` is the
    caller's."""

    id: str
    name: str
    personal: bool
    created: datetime
    role: Role = "viewer"


class Membership(msgspec.Struct, frozen=True):
    """A viewer reads; an editor writes, too; an owner decides who is a member."""

    space_id: str
    user_id: str
    role: Role


class Feed(msgspec.Struct, frozen=True):
    """Documents of one space under one name: what belongs to it is asked anew by each search."""

    id: str
    space_id: str
    name: str
    created: datetime
    documents: int = 0


class Document(msgspec.Struct, frozen=True):
    """An uploaded file. It is in exactly one space. `user_id` is who uploaded it, which permits
    nothing. `content_hash` names its bytes (SHA-256, hex). `version` counts what was asked for it
    (a replacement, a move, other metadata, a deletion): the index shows `indexed_version`, and a
    job brings it to the last one. `metadata` has `title`, `category`, `document_type`,
    `data_structure`, `language`, `dates` as found; `given` the same fields as a person set them,
    which win."""

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


class Job(msgspec.Struct, frozen=True):
    """Work on one document, in the name of one user. A `dead` one has failed too often: `reason`
    says why, and it may be retried."""

    id: str
    document_id: str
    user_id: str
    state: Literal["waiting", "running", "done", "dead"]
    attempts: int = 0
    reason: str = ""
    due: datetime | None = None


class ApiKey(msgspec.Struct, frozen=True):
    """A key as its owner sees it: the secret is shown once, when it is made. With a `space_id` it
    opens that space alone. `admin` manages users and keys."""

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


class Access(msgspec.Struct, frozen=True):
    """What a search, read, deletion, answer or tool may touch: one user, and what they restrict it
    to. It is made from a verified key, or by an administrator's call, and never from what a caller
    or a model writes. None restricts nothing; an empty tuple allows nothing.

    `space_id` that the user is no member of is answered as one that does not exist."""

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
        """Is it not restricted to another space?"""
        return self.space_id in (None, space_id)


class Readable(msgspec.Struct, frozen=True):
    """What an access comes to at one moment: the spaces of the user, or the one asked for, and the
    documents where the access names some or feeds; None is all documents of the spaces."""

    user_id: str
    space_ids: tuple[str, ...]
    document_ids: tuple[str, ...] | None = None
