"""Conversations in the database of workspaces, so that every host can continue them.

A user sees only their own conversations. A conversation that was begun with a key of one space is
kept apart from the rest: it may quote that space, and the key must not read conversations about
other spaces.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Final

from pincite.errors import NotFound, UsageError
from pincite.model import Turn
from pincite.ports import ConversationState
from pincite.providers.conversations.limits import (
    MOST,
    SUMMARY_CHARS,
    TITLE_CHARS,
    TURNS,
    citations_of,
    citations_text,
    no_conversation,
    require_owner,
    require_room,
    require_said,
    require_turn,
)
from pincite.support.arguments import require_count
from pincite.support.fields import replace
from pincite.support.kept_text import raw, read, require_length
from pincite.workspace import checks
from pincite.workspace.database.transaction import Row, Transaction, new_id, time_of, time_text
from pincite.workspace.model import Access, Conversation

if TYPE_CHECKING:
    from pincite.workspace.ports import Workspaces

#: Conversations of a user: guess, unmeasured.
CONVERSATIONS: Final = 10_000
_FIELDS: Final = (
    "c.id, c.title, c.created, c.updated, c.space_id,"
    " (SELECT coalesce(max(t.number), 0) FROM my_turns t WHERE t.conversation_id = c.id)"
)
#: A number that is higher than those of all conversations that were changed before, independent of
#: the clock.
_NEXT: Final = "(SELECT coalesce(max(touched), 0) + 1 FROM my_conversations)"


class UsersConversations:
    """The part of `Session` that handles conversations."""

    _user_id: str
    _transaction: Transaction
    _clock: Callable[[], datetime]

    async def begin_conversation(
        self, title: str = "", space_id: str | None = None, *, id_: str | None = None
    ) -> Conversation:
        """See `Session.begin_conversation`."""
        require_length("title", title, TITLE_CHARS)
        await require_space(self._transaction, space_id)
        if id_ is not None and not checks.is_id(id_):
            raise UsageError("id_ is not a UUID in lower case")
        made = id_ or new_id()
        await self._transaction.lock(self._user_id)
        ((there, mine),) = await self._transaction.rows(
            "SELECT (SELECT count(*) FROM my_conversations),"
            " (SELECT count(*) FROM my_conversations WHERE id = :id)",
            id=made,
        )
        if not mine:
            if there >= CONVERSATIONS:
                raise UsageError(
                    f"a user has {CONVERSATIONS:,} conversations at most",
                    hint="delete some that are no longer needed",
                )
            added = await self._transaction.attempt(
                "INSERT INTO my_conversations (id, user_id, space_id, title, summary, summarised,"
                f" touched, created, updated) VALUES (:id, :user, :space, :title, :nothing, 0,"
                f" {_NEXT}, :now, :now)",
                id=made,
                user=self._user_id,
                space=space_id,
                title=raw(title),
                nothing=b"",
                now=time_text(self._clock()),
            )
            if not added:
                raise checks.IdInUse
        return await self.conversation(made, space_id)

    async def conversations(
        self, space_id: str | None = None, after: str = "", limit: int = 50
    ) -> tuple[Conversation, ...]:
        """See `Session.conversations`."""
        require_count("limit", limit, most=checks.PAGE + 1)
        await require_space(self._transaction, space_id)
        where, values = _of_space(space_id)
        if after:
            values["last"] = (await self._found(after, space_id))[2]
            where += " AND c.touched < :last"
        rows = await self._transaction.rows(
            f"SELECT {_FIELDS} FROM my_conversations c WHERE {where}"
            f" ORDER BY c.touched DESC LIMIT {limit}",
            **values,
        )
        return tuple(map(_conversation, rows))

    async def conversation(self, id_: str, space_id: str | None = None) -> Conversation:
        """See `Session.conversation`."""
        where, values = _of_space(space_id)
        rows = await self._transaction.rows(
            f"SELECT {_FIELDS} FROM my_conversations c WHERE {where} AND c.id = :id",
            id=_id(id_),
            **values,
        )
        if not rows:
            raise no_conversation(id_)
        return _conversation(rows[0])

    async def conversation_state(
        self, id_: str, recent: int, space_id: str | None = None
    ) -> ConversationState:
        """See `Session.conversation_state`."""
        require_count("recent", recent, least=0, most=MOST)
        title, summary, _, summarised = await self._found(id_, space_id)
        after = min(summarised, max(0, await self._last(id_) - recent))
        turns = await self.turns(id_, space_id, after)
        return ConversationState(id_, "", read(title), read(summary), summarised, turns)

    async def turns(
        self, id_: str, space_id: str | None = None, after: int = 0, limit: int | None = None
    ) -> tuple[Turn, ...]:
        """See `Session.turns`."""
        require_count("after", after, least=0, most=MOST)
        if limit is not None:
            require_count("limit", limit, most=checks.PAGE + 1)
        await self._found(id_, space_id)
        rows = await self._transaction.rows(
            "SELECT number, role, body, at, citations, kind FROM my_turns"
            " WHERE conversation_id = :id AND number > :after"
            f" ORDER BY number LIMIT {TURNS if limit is None else limit}",
            id=id_,
            after=after,
        )
        return tuple(_turn(row) for row in rows)

    async def add_turns(self, id_: str, turns: Sequence[Turn], space_id: str | None = None) -> int:
        """See `Session.add_turns`. The numbers of the given turns are ignored. A turn without a
        time gets the current time."""
        for one in turns:
            require_turn(one)
        await self._found(id_, space_id)
        await self._transaction.lock(self._user_id)
        await self._found(id_, space_id)  # read again: nobody else can change it now
        last, now = await self._last(id_), self._clock()
        require_room(last, len(turns), TURNS)
        for number, one in enumerate(turns, start=last + 1):
            await self._transaction.run(
                "INSERT INTO my_turns (conversation_id, number, role, body, at, citations, kind)"
                " VALUES (:id, :number, :role, :body, :at, :citations, :kind)",
                id=id_,
                number=number,
                role=one.role,
                body=raw(one.text),
                at=one.at or now.isoformat(timespec="seconds"),
                citations=citations_text(one.citations),
                kind=one.kind,
            )
        if turns:
            await self._transaction.run(
                f"UPDATE my_conversations SET touched = {_NEXT}, updated = :now WHERE id = :id",
                id=id_,
                now=time_text(now),
            )
        return last + len(turns)

    async def summarise_conversation(
        self, id_: str, summary: str, summarised: int, space_id: str | None = None
    ) -> bool:
        """See `Session.summarise_conversation`. A summary of as many turns as the previous one
        replaces it. Raise UsageError for unknown turns."""
        require_length("summary", summary, SUMMARY_CHARS)
        require_count("summarised", summarised, least=1, most=MOST)
        await self._found(id_, space_id)
        await self._transaction.lock(self._user_id)
        *_, before = await self._found(id_, space_id)
        require_said(summarised, await self._last(id_))
        if before > summarised:
            return False
        await self._transaction.run(
            "UPDATE my_conversations SET summary = :summary, summarised = :upto WHERE id = :id",
            id=id_,
            summary=raw(summary),
            upto=summarised,
        )
        return True

    async def delete_conversation(self, id_: str, space_id: str | None = None) -> None:
        """See `Session.delete_conversation`."""
        await self._found(id_, space_id)
        await self._transaction.run("DELETE FROM my_conversations WHERE id = :id", id=id_)

    async def _found(self, id_: str, space_id: str | None) -> tuple[bytes, bytes, int, int]:
        """Return the title, the summary, the time of the last change, and the number of turns that
        the summary covers."""
        where, values = _of_space(space_id)
        rows = await self._transaction.rows(
            "SELECT c.title, c.summary, c.touched, c.summarised FROM my_conversations c"
            f" WHERE {where} AND c.id = :id",
            id=_id(id_),
            **values,
        )
        if not rows:
            raise no_conversation(id_)
        title, summary, touched, summarised = rows[0]
        return title, summary, int(touched), int(summarised)

    async def _last(self, id_: str) -> int:
        ((last,),) = await self._transaction.rows(
            "SELECT coalesce(max(number), 0) FROM my_turns WHERE conversation_id = :id", id=id_
        )
        return int(last)


class WorkspaceConversations:
    """Implements `Conversations` for answers. An owner is a value that `owner_of` made from an
    access."""

    def __init__(self, workspaces: Workspaces) -> None:
        """The caller that opened `workspaces` closes it."""
        self._workspaces = workspaces

    async def begin(self, owner: str, title: str = "") -> str:
        """See `Conversations.begin`."""
        user, space = self._person(owner)
        async with self._workspaces.of(user) as session:
            return (await session.begin_conversation(title, space)).id

    async def state(self, owner: str, conversation: str, recent: int) -> ConversationState:
        """See `Conversations.state`."""
        user, space = self._person(owner)
        async with self._workspaces.of(user) as session:
            found = await session.conversation_state(conversation, recent, space)
        return replace(found, owner=owner)

    async def append(self, owner: str, conversation: str, turns: Sequence[Turn]) -> int:
        """See `Conversations.append`."""
        user, space = self._person(owner)
        async with self._workspaces.of(user) as session:
            return await session.add_turns(conversation, turns, space)

    async def summarise(self, owner: str, conversation: str, summary: str, summarised: int) -> bool:
        """See `Conversations.summarise`."""
        user, space = self._person(owner)
        async with self._workspaces.of(user) as session:
            return await session.summarise_conversation(conversation, summary, summarised, space)

    async def list(self, owner: str, limit: int = 50) -> tuple[ConversationState, ...]:
        """See `Conversations.list`. Reads at most 1,000 conversations, and no summaries."""
        user, space = self._person(owner)
        require_count("limit", limit, least=0, most=MOST)
        if not limit:
            return ()
        async with self._workspaces.of(user) as session:
            found = await session.conversations(space, limit=min(limit, checks.PAGE))
        return tuple(
            ConversationState(
                *(one.id, owner, one.title),
                length=one.turns,
                updated=one.updated.isoformat(timespec="seconds") if one.turns else "",
            )
            for one in found
        )

    async def turns(self, owner: str, conversation: str) -> tuple[Turn, ...]:
        """See `Conversations.turns`."""
        user, space = self._person(owner)
        async with self._workspaces.of(user) as session:
            return await session.turns(conversation, space)

    async def delete(self, owner: str, conversation: str) -> None:
        """See `Conversations.delete`."""
        user, space = self._person(owner)
        async with self._workspaces.of(user) as session:
            await session.delete_conversation(conversation, space)

    async def close(self) -> None:
        """See `Conversations.close`. Closes nothing: the caller closes the database."""

    def _person(self, owner: str) -> tuple[str, str | None]:
        require_owner(owner)
        return person_of(owner)


def owner_of(access: Access) -> str:
    """Return the owner of the memory and the conversations of an access."""
    return access.user_id if access.space_id is None else f"{access.user_id}/{access.space_id}"


def person_of(owner: str) -> tuple[str, str | None]:
    """Return the user and the space of an owner. Raise NotFound."""
    user, _, space = owner.partition("/")
    if not checks.is_id(user) or (space and not checks.is_id(space)) or owner.endswith("/"):
        raise NotFound("there is no such user or space")
    return user, space or None


async def require_space(transaction: Transaction, space_id: str | None) -> None:
    """Raise NotFound for a space that the user is not a member of."""
    if space_id is not None and not await transaction.rows(
        "SELECT 1 FROM my_spaces WHERE id = :space", space=checks.require_id("space", space_id)
    ):
        raise checks.missing("space", space_id)


def _id(value: object) -> str:
    if isinstance(value, str) and checks.is_id(value):
        return value
    raise no_conversation(value)


def _of_space(space_id: str | None) -> tuple[str, dict[str, object]]:
    """Return the SQL condition that separates the conversations of spaces, and its values."""
    if space_id is None:
        return "c.space_id IS NULL", {}
    return "c.space_id = :space", {"space": checks.require_id("space", space_id)}


def _conversation(row: Row) -> Conversation:
    id_, title, created, updated, space_id, turns = row
    of_space = None if space_id is None else str(space_id)
    return Conversation(
        *(str(id_), read(title), time_of(created), time_of(updated), of_space, int(turns))
    )


def _turn(row: Row) -> Turn:
    number, role, body, at, citations, kind = row
    return Turn(role, read(body), at, int(number), citations_of(int(number), citations), kind)
