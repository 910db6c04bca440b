"""The calls of one user, in one transaction, for every database."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from typing import Final, Literal

import msgspec

from pincite.errors import Forbidden, UsageError
from pincite.support.arguments import require_choice, require_count
from pincite.workspace import checks
from pincite.workspace.checks import missing, require_id
from pincite.workspace.conversations import UsersConversations
from pincite.workspace.database import Row, Transaction, json_text, new_id, time_of, time_text
from pincite.workspace.facts import UsersFacts
from pincite.workspace.filenames import checked_filename
from pincite.workspace.model import (
    Access,
    ApiKey,
    Document,
    Feed,
    Membership,
    Readable,
    Role,
    Space,
    User,
)
from pincite.workspace.reading import readable_of
from pincite.workspace.rows import DOCUMENT, KEY, USER, documents_of, key_of, user_of

_FEED: Final = (
    "SELECT f.id, f.space_id, f.name, f.created, (SELECT count(*) FROM my_feed_documents d"
    " WHERE d.space_id = f.space_id AND d.feed_id = f.id) FROM my_feeds f"
)
_SPACE: Final = (
    "SELECT s.id, s.name, s.personal_of IS NOT NULL, s.created, m.role FROM my_spaces s"
    " JOIN my_members m ON m.space_id = s.id AND m.user_id = :user"
)


def _changed(before: dict[str, str], given: dict[str, str] | None) -> dict[str, str]:
    """Return the fields that a person has set, after a change of some of them. An empty value
    removes a field."""
    asked = checks.metadata("given", given or {})
    return {name: value for name, value in {**before, **asked}.items() if value}


class DatabaseSession(UsersConversations, UsersFacts):
    """Implements `Session`. The tables `my_...` alone decide what a user sees. Rights to change are
    checked here, for precise errors, and again by the database."""

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

    async def user(self) -> User:
        """See `Session.user`."""
        rows = await self._transaction.rows(f"SELECT {USER} FROM my_users")
        if not rows:
            raise missing("user", self._user_id)
        return user_of(rows[0])

    async def spaces(self) -> tuple[Space, ...]:
        """See `Session.spaces`."""
        rows = await self._transaction.rows(_SPACE, user=self._user_id)
        return tuple(sorted(map(_space, rows), key=lambda one: (one.name, one.id)))

    async def space(self, space_id: str) -> Space:
        """See `Session.space`."""
        rows = await self._transaction.rows(
            f"{_SPACE} WHERE s.id = :space",
            user=self._user_id,
            space=require_id("space", space_id),
        )
        if not rows:
            raise missing("space", space_id)
        return _space(rows[0])

    async def require_editor(self, space_id: str) -> None:
        """See `Session.require_editor`."""
        _require_role(await self.space(space_id), "editor")

    async def add_space(self, name: str, *, id_: str | None = None) -> Space:
        """See `Session.add_space`."""
        checks.line("name", name, checks.NAME_CHARS)
        await self._transaction.lock((await self.user()).id)
        made, there = await self._id_for("spaces", id_)
        if not there:
            await self._make(
                "INSERT INTO my_spaces (id, name, created) VALUES (:id, :name, :now)",
                id=made,
                name=name,
                now=self._now(),
            )
        return await self.space(made)

    async def rename_space(self, space_id: str, name: str) -> Space:
        """See `Session.rename_space`."""
        checks.line("name", name, checks.NAME_CHARS)
        await self._changing(space_id, "owner")
        await self._transaction.run(
            "UPDATE my_spaces SET name = :name WHERE id = :space", name=name, space=space_id
        )
        return await self.space(space_id)

    async def delete_space(self, space_id: str) -> tuple[Document, ...]:
        """See `Session.delete_space`."""
        if (await self._changing(space_id, "owner")).personal:
            raise Forbidden("the personal space of a user cannot be deleted")
        rows = await self._transaction.rows(
            f"SELECT {DOCUMENT} FROM my_documents WHERE space_id = :space ORDER BY id",
            space=space_id,
        )
        going = await documents_of(self._transaction, rows, "my_")
        await self._transaction.run("DELETE FROM my_spaces WHERE id = :space", space=space_id)
        return tuple(_leaving(one) for one in going)

    async def members(self, space_id: str) -> tuple[Membership, ...]:
        """See `Session.members`."""
        await self.space(space_id)
        rows = await self._transaction.rows(
            "SELECT user_id, role FROM my_members WHERE space_id = :space ORDER BY user_id",
            space=space_id,
        )
        return tuple(Membership(space_id, str(user), role) for user, role in rows)

    async def set_member(self, space_id: str, user_id: str, role: Role) -> Membership:
        """See `Session.set_member`."""
        require_choice("role", role, checks.ROLES)
        await self._sharing(space_id)
        require_id("user", user_id)
        roles = {one.user_id: one.role for one in await self.members(space_id)}
        if user_id in roles:
            if role != "owner":
                _require_another_owner(roles, user_id)
            await self._transaction.run(
                "UPDATE my_members SET role = :role WHERE space_id = :space AND user_id = :user",
                role=role,
                space=space_id,
                user=user_id,
            )
        elif not await self._transaction.attempt(
            "INSERT INTO my_members (space_id, user_id, role) VALUES (:space, :user, :role)",
            role=role,
            space=space_id,
            user=user_id,
        ):
            raise missing("user", user_id)
        return Membership(space_id, user_id, role)

    async def remove_member(self, space_id: str, user_id: str) -> None:
        """See `Session.remove_member`."""
        await self._sharing(space_id, leaving=user_id == self._user_id)
        roles = {one.user_id: one.role for one in await self.members(space_id)}
        if user_id not in roles:
            raise missing("member", user_id)
        _require_another_owner(roles, user_id)
        await self._transaction.run(
            "DELETE FROM my_members WHERE space_id = :space AND user_id = :user",
            space=space_id,
            user=user_id,
        )

    async def feeds(self, space_id: str | None = None) -> tuple[Feed, ...]:
        """See `Session.feeds`."""
        if space_id is None:
            rows = await self._transaction.rows(_FEED)
        else:
            await self.space(space_id)
            rows = await self._transaction.rows(
                f"{_FEED} WHERE f.space_id = :space", space=space_id
            )
        return tuple(sorted(map(_feed, rows), key=lambda one: (one.name, one.id)))

    async def feed(self, feed_id: str) -> Feed:
        """See `Session.feed`."""
        rows = await self._transaction.rows(
            f"{_FEED} WHERE f.id = :feed", feed=require_id("feed", feed_id)
        )
        if not rows:
            raise missing("feed", feed_id)
        return _feed(rows[0])

    async def add_feed(self, space_id: str, name: str, *, id_: str | None = None) -> Feed:
        """See `Session.add_feed`."""
        checks.line("name", name, checks.NAME_CHARS)
        await self._changing(space_id)
        made, there = await self._id_for("feeds", id_)
        if not there:
            await self._make(
                "INSERT INTO my_feeds (id, space_id, name, created)"
                " VALUES (:id, :space, :name, :now)",
                id=made,
                space=space_id,
                name=name,
                now=self._now(),
            )
        return await self.feed(made)

    async def delete_feed(self, feed_id: str) -> None:
        """See `Session.delete_feed`."""
        await self._changing((await self.feed(feed_id)).space_id)
        await self._transaction.run("DELETE FROM my_feeds WHERE id = :feed", feed=feed_id)

    async def add_to_feed(self, feed_id: str, document_ids: Collection[str]) -> None:
        """See `Session.add_to_feed`."""
        space_id = (await self._changing((await self.feed(feed_id)).space_id)).id
        ids = checks.ids_among(document_ids)
        rows = await self._transaction.rows(
            "SELECT id FROM my_documents WHERE space_id = :space"
            " AND id IN (SELECT value FROM id_list(:ids))",
            space=space_id,
            ids=json_text(ids),
        )
        there = {str(id_) for (id_,) in rows}
        for one in document_ids:
            if one not in there:
                raise missing("document", one)
        await self._transaction.run(
            "INSERT INTO my_feed_documents (space_id, feed_id, document_id)"
            " SELECT :space, :feed, value FROM id_list(:ids) WHERE NOT EXISTS (SELECT 1"
            " FROM my_feed_documents WHERE feed_id = :feed AND document_id = value)",
            space=space_id,
            feed=feed_id,
            ids=json_text(ids),
        )

    async def remove_from_feed(self, feed_id: str, document_ids: Collection[str]) -> None:
        """See `Session.remove_from_feed`."""
        await self._changing((await self.feed(feed_id)).space_id)
        await self._transaction.run(
            "DELETE FROM my_feed_documents WHERE feed_id = :feed"
            " AND document_id IN (SELECT value FROM id_list(:ids))",
            feed=feed_id,
            ids=json_text(checks.ids_among(document_ids)),
        )

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
        """See `Session.add_document`."""
        sources = checks.sources(source_ids)
        values = {
            "filename": checked_filename(filename),
            "hash": checks.content_hash(content_hash),
            "size": checks.size(size),
            "given": json_text(checks.metadata("given", given or {})),
        }
        await self._changing(space_id)
        made, there = await self._id_for("documents", id_)
        if there:
            return await self.document(made)
        await self._make(
            "INSERT INTO my_documents (id, space_id, user_id, filename, content_hash, bytes,"
            " status, version, given, created, updated) VALUES (:id, :space, :user, :filename,"
            " :hash, :size, 'pending', 1, :given, :now, :now)",
            id=made,
            space=space_id,
            user=self._user_id,
            now=self._now(),
            **values,
        )
        await self._set_sources(space_id, made, sources)
        return await self.document(made)

    async def document(self, document_id: str) -> Document:
        """See `Session.document`."""
        rows = await self._transaction.rows(
            f"SELECT {DOCUMENT} FROM my_documents WHERE id = :document",
            document=require_id("document", document_id),
        )
        if not rows:
            raise missing("document", document_id)
        return (await documents_of(self._transaction, rows, "my_"))[0]

    async def documents(
        self, space_id: str | None = None, after: str = "", limit: int = 50
    ) -> tuple[Document, ...]:
        """See `Session.documents`."""
        require_count("limit", limit, most=checks.PAGE)
        if after and not checks.is_id(after):
            raise UsageError(
                "after is not the id of a document; it takes the last id of the previous page"
            )
        wanted = ["id > :after"] if after else []
        values: dict[str, object] = {"after": after} if after else {}
        if space_id is not None:
            await self.space(space_id)
            wanted.append("space_id = :space")
            values["space"] = space_id
        where = f" WHERE {' AND '.join(wanted)}" if wanted else ""
        rows = await self._transaction.rows(
            f"SELECT {DOCUMENT} FROM my_documents{where} ORDER BY id LIMIT {limit}", **values
        )
        return await documents_of(self._transaction, rows, "my_")

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
        """See `Session.change_document`."""
        if (content_hash is None) != (size is None):
            raise UsageError("content_hash and size go together; give both")
        before = await self.document(document_id)
        to = before.space_id if space_id is None else require_id("space", space_id)
        for one in sorted({before.space_id, to}):
            await self._changing(one)
        await self._transaction.rows(  # before its job, in the order of workers: see `jobs`
            "SELECT 1 FROM my_documents WHERE id = :document FOR UPDATE", document=document_id
        )
        before = await self.document(document_id)  # read again: nobody else can change it now
        sources = checks.sources(before.source_ids if source_ids is None else source_ids)
        values = {
            "filename": before.filename if filename is None else checked_filename(filename),
            "hash": checks.content_hash(
                before.content_hash if content_hash is None else content_hash
            ),
            "size": before.bytes if size is None else checks.size(size),
            "given": json_text(_changed(before.given, given)),
        }
        if to != before.space_id:  # its feeds belong to the space that it leaves
            await self._transaction.run(
                "DELETE FROM my_feed_documents WHERE document_id = :document", document=document_id
            )
        await self._transaction.run(
            "DELETE FROM my_document_sources WHERE document_id = :document", document=document_id
        )
        await self._transaction.run(
            "UPDATE my_documents SET space_id = :space, filename = :filename,"
            " content_hash = :hash, bytes = :size, given = :given, status = 'pending',"
            " error = '', version = version + 1, updated = :now WHERE id = :document",
            document=document_id,
            space=to,
            now=self._now(),
            **values,
        )
        await self._set_sources(to, document_id, sources)
        return await self.document(document_id)

    async def delete_document(self, document_id: str) -> Document:
        """See `Session.delete_document`."""
        await self._changing((await self.document(document_id)).space_id)
        before = await self.document(document_id)
        await self._transaction.run(
            "DELETE FROM my_documents WHERE id = :document", document=document_id
        )
        return _leaving(before)

    async def readable(self, access: Access, most: int | None = None) -> Readable:
        """See `Session.readable`."""
        if access.user_id != self._user_id:
            raise UsageError("an access of one user cannot act for another user")
        return await readable_of(self._transaction, self._user_id, access, most)

    async def visible(self, document_ids: Collection[str]) -> frozenset[str]:
        """See `Session.visible`."""
        rows = await self._transaction.rows(
            "SELECT id FROM my_documents WHERE id IN (SELECT value FROM id_list(:ids))",
            ids=json_text(checks.ids_among(document_ids)),
        )
        return frozenset(str(id_) for (id_,) in rows)

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

    async def _changing(self, space_id: str, least: Role = "editor") -> Space:
        """Return the space and lock it against other changes until the end. Raise NotFound,
        Forbidden."""
        await self._transaction.lock(require_id("space", space_id))
        space = await self.space(space_id)
        _require_role(space, least)
        return space

    async def _id_for(
        self, table: Literal["spaces", "feeds", "documents"], id_: str | None
    ) -> tuple[str, bool]:
        """Return the id for a new row, and whether the user already has a row with it."""
        if id_ is None:
            return new_id(), False
        if not checks.is_id(id_):
            raise UsageError("id_ is not a UUID in lower case")
        rows = await self._transaction.rows(f"SELECT id FROM my_{table} WHERE id = :id", id=id_)
        return id_, bool(rows)

    async def _make(self, sql: str, **values: object) -> None:
        if not await self._transaction.attempt(sql, **values):
            raise UsageError("the id is already in use", hint="use another id")

    async def _sharing(self, space_id: str, *, leaving: bool = False) -> None:
        await self._transaction.lock(require_id("space", space_id))
        found = await self.space(space_id)
        if not leaving:
            found = await self._changing(space_id, "owner")
        if found.personal:
            raise Forbidden("the personal space of a user has one member, who cannot be changed")

    async def _set_sources(self, space_id: str, document_id: str, ids: list[str]) -> None:
        """Set the sources of a document that has none."""
        if not ids:
            return
        await self._transaction.run(
            "INSERT INTO my_sources (space_id, id, created) SELECT :space, value, :now"
            " FROM text_list(:ids) WHERE value NOT IN"
            " (SELECT id FROM my_sources WHERE space_id = :space)",
            space=space_id,
            ids=json_text(ids),
            now=self._now(),
        )
        await self._transaction.run(
            "INSERT INTO my_document_sources (space_id, document_id, source_id)"
            " SELECT :space, :document, value FROM text_list(:ids)",
            space=space_id,
            document=document_id,
            ids=json_text(ids),
        )

    def _now(self) -> str:
        return time_text(self._clock())


def _require_role(space: Space, least: Role) -> None:
    if space.role != "owner" and (least == "owner" or space.role != least):
        raise Forbidden(
            f"your role in this space is {space.role}; this needs at least {least}",
            hint="ask an owner of the space",
        )


def _space(row: Row) -> Space:
    id_, name, personal, created, role = row
    return Space(str(id_), name, bool(personal), time_of(created), role)


def _feed(row: Row) -> Feed:
    id_, space_id, name, created, documents = row
    return Feed(str(id_), str(space_id), name, time_of(created), documents)


def _leaving(document: Document) -> Document:

    return msgspec.structs.replace(
        document, status="deleting", version=document.version + 1, feed_ids=()
    )


def _require_another_owner(roles: dict[str, Role], user_id: str) -> None:
    if [user for user, role in roles.items() if role == "owner"] == [user_id]:
        raise Forbidden(
            "the last owner of a space cannot be removed", hint="make another user an owner"
        )
