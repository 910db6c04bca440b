"""The calls of one user about spaces and their members, for every database."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Final, Literal

from pincite.errors import Forbidden, UsageError
from pincite.support.arguments import require_choice
from pincite.support.fields import replace
from pincite.workspace import checks
from pincite.workspace.checks import missing, require_id
from pincite.workspace.database.rows import DOCUMENT, USER, documents_of, user_of
from pincite.workspace.database.transaction import Row, Transaction, new_id, time_of, time_text
from pincite.workspace.model import Document, Membership, Role, Space, User

_SPACE: Final = (
    "SELECT s.id, s.name, s.personal_of IS NOT NULL, s.created, m.role FROM my_spaces s"
    " JOIN my_members m ON m.space_id = s.id AND m.user_id = :user"
)


class UsersSpaces:
    """The part of `Session` that handles spaces. The parts for feeds and documents build on it,
    because every change of a feed or document begins with the role of the user in its space."""

    _user_id: str
    _transaction: Transaction
    _clock: Callable[[], datetime]

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

    async def delete_space(self, space_id: str, *, alone: bool = False) -> tuple[Document, ...]:
        """See `Session.delete_space`."""
        if (await self._changing(space_id, "owner")).personal:
            raise Forbidden("the personal space of a user cannot be deleted")
        if alone:
            await self._require_alone(space_id)
        rows = await self._transaction.rows(
            f"SELECT {DOCUMENT} FROM my_documents WHERE space_id = :space ORDER BY id",
            space=space_id,
        )
        going = await documents_of(self._transaction, rows, "my_")
        await self._transaction.run("DELETE FROM my_spaces WHERE id = :space", space=space_id)
        return tuple(leaving(one) for one in going)

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
            if role != "owner" and roles[user_id] == "owner":
                await self._require_another_owner(space_id, user_id)
            change = (
                "UPDATE my_members SET role = :role WHERE space_id = :space AND user_id = :user"
            )
        else:
            change = (
                "INSERT INTO my_members (space_id, user_id, role) VALUES (:space, :user, :role)"
            )
        if not await self._transaction.attempt(  # of an unknown or disabled user
            change,
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
        if roles[user_id] == "owner":
            await self._require_another_owner(space_id, user_id)
        await self._transaction.run(
            "DELETE FROM my_members WHERE space_id = :space AND user_id = :user",
            space=space_id,
            user=user_id,
        )

    async def _require_alone(self, space_id: str) -> None:
        if len(await self.members(space_id)) > 1:
            raise UsageError(f"the space {space_id} has other members", hint="try again")

    async def _require_another_owner(self, space_id: str, user_id: str) -> None:
        """Raise Forbidden if no other owner is enabled. Disabled owners cannot make others
        owners."""
        if not await self._transaction.rows(
            "SELECT 1 FROM my_enabled_owners WHERE space_id = :space AND user_id <> :user LIMIT 1",
            space=space_id,
            user=user_id,
        ):
            raise Forbidden(
                "the last owner of a space who is not disabled cannot be removed",
                hint="make another user an owner",
            )

    async def _sharing(self, space_id: str, *, leaving: bool = False) -> None:
        await self._transaction.lock(require_id("space", space_id))
        found = await self.space(space_id)
        if not leaving:
            found = await self._changing(space_id, "owner")
        if found.personal:
            raise Forbidden("the personal space of a user has one member, who cannot be changed")

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
            raise checks.IdInUse

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


def leaving(document: Document) -> Document:
    """Return a document as its worker sees it once it is deleted."""
    return replace(document, status="deleting", version=document.version + 1, feed_ids=())
