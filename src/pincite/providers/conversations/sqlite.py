"""Store conversations in one SQLite file."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

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
from pincite.support.arguments import require_count, require_kind
from pincite.support.databases.private_sqlite import PrivateFile
from pincite.support.kept_text import USER_CHARS, raw, read, require_length

_MARK: Final = 0x50494E43
MIGRATIONS: Final = (
    f"""
    PRAGMA application_id = {_MARK};
    CREATE TABLE conversations (
        number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, owner BLOB NOT NULL,
        title BLOB NOT NULL, summary BLOB NOT NULL, summarised INTEGER NOT NULL,
        touched INTEGER NOT NULL);
    CREATE INDEX latest ON conversations (owner, touched);
    CREATE TABLE turns (
        conversation INTEGER NOT NULL REFERENCES conversations ON DELETE CASCADE,
        number INTEGER NOT NULL, role TEXT NOT NULL, text BLOB NOT NULL, at TEXT NOT NULL,
        citations TEXT NOT NULL, PRIMARY KEY (conversation, number)) WITHOUT ROWID;
    """,
    "ALTER TABLE turns ADD COLUMN kind TEXT NOT NULL DEFAULT ''",
)


class SqliteConversations:
    """Implements `Conversations`. The file is created with the first conversation. Any number of
    processes may have it open. Turns are numbered consecutively, and the turns of one call stay
    together."""

    def __init__(
        self,
        path: Path,
        clock: Callable[[], float] = time.time,
        new_id: Callable[[], str] = lambda: secrets.token_hex(16),
        place: Callable[[], None] | None = None,
        most: int = TURNS,
    ) -> None:
        """Prepare the storage. `most` is the maximum of turns of a conversation. `place` creates
        the folder of the file if it is missing."""
        self._file = PrivateFile(path, "the conversations", _MARK, MIGRATIONS, place)
        self._clock = clock
        self._new_id = new_id
        self._most = most

    async def begin(self, owner: str, title: str = "") -> str:
        """See `Conversations.begin`. The id is 128 random bits in hexadecimal."""
        require_owner(owner)
        require_length("title", title, TITLE_CHARS)
        return await asyncio.to_thread(self._begin, owner, title)

    async def state(self, owner: str, conversation: str, recent: int) -> ConversationState:
        """See `Conversations.state`."""
        require_owner(owner)
        require_count("recent", recent, least=0, most=MOST)
        return await asyncio.to_thread(self._state, owner, conversation, recent)

    async def append(self, owner: str, conversation: str, turns: Sequence[Turn]) -> int:
        """See `Conversations.append`. Numbers of the given turns are ignored, and a turn without a
        time gets the current one."""
        require_owner(owner)
        for one in turns:
            require_turn(one)
        return await asyncio.to_thread(self._append, owner, conversation, tuple(turns))

    async def summarise(self, owner: str, conversation: str, summary: str, summarised: int) -> bool:
        """See `Conversations.summarise`. A summary that covers as many turns as the previous one
        replaces it. Raises UsageError for unknown turns."""
        require_owner(owner)
        require_length("summary", summary, SUMMARY_CHARS)
        require_count("summarised", summarised, least=1, most=MOST)
        return await asyncio.to_thread(self._summarise, owner, conversation, summary, summarised)

    async def list(self, owner: str, limit: int = 50) -> tuple[ConversationState, ...]:
        """See `Conversations.list`."""
        require_owner(owner)
        require_count("limit", limit, least=0, most=MOST)
        rows = await asyncio.to_thread(
            self._file.rows,
            "SELECT c.id, title, summary, summarised, coalesce(t.number, 0), coalesce(t.at, '')"
            " FROM conversations c LEFT JOIN turns t ON t.conversation = c.number AND t.number ="
            " (SELECT max(number) FROM turns WHERE conversation = c.number)"
            " WHERE owner = ? ORDER BY touched DESC LIMIT ?",
            (raw(owner), limit),
        )
        return tuple(
            ConversationState(id_, owner, read(title), read(summary), upto, (), length, at)
            for id_, title, summary, upto, length, at in rows
        )

    async def turns(self, owner: str, conversation: str) -> tuple[Turn, ...]:
        """See `Conversations.turns`."""
        require_owner(owner)
        return await asyncio.to_thread(self._turns, owner, conversation)

    async def delete(self, owner: str, conversation: str) -> None:
        """See `Conversations.delete`. Deleted text is overwritten in the file."""
        require_owner(owner)
        await asyncio.to_thread(self._delete, owner, conversation)

    async def close(self) -> None:
        """See `Conversations.close`."""
        await asyncio.to_thread(self._file.close)

    def _begin(self, owner: str, title: str) -> str:
        id_ = self._new_id()
        with self._file.writing() as db:
            db.execute(
                f"INSERT INTO conversations (id, owner, title, summary, summarised, touched)"
                f" VALUES (?, ?, ?, ?, 0, {_NEXT})",
                (id_, raw(owner), raw(title), b""),
            )
        return id_

    def _found(self, owner: str, conversation: str) -> Any:
        """Return its row number, title, summary and the last turn summarised. Raises
        ConversationNotFound."""
        require_kind("conversation", conversation, str, "the id of a conversation")
        rows = []
        if conversation.isascii() and len(conversation) <= USER_CHARS:
            rows = self._file.rows(
                "SELECT number, title, summary, summarised FROM conversations"
                " WHERE (id, owner) = (?, ?)",
                (conversation, raw(owner)),
            )
        if not rows:
            raise no_conversation(conversation)
        return rows[0]

    def _state(self, owner: str, conversation: str, recent: int) -> ConversationState:
        number, title, summary, summarised = self._found(owner, conversation)
        rows = self._file.rows(
            f"SELECT {_TURN} FROM turns WHERE conversation = ?1 AND number > min(?2, (SELECT"
            " coalesce(max(number), 0) FROM turns WHERE conversation = ?1) - ?3) ORDER BY number",
            (number, summarised, recent),
        )
        turns = tuple(self._turn(row) for row in rows)
        return ConversationState(conversation, owner, read(title), read(summary), summarised, turns)

    def _turns(self, owner: str, conversation: str) -> tuple[Turn, ...]:
        number = self._found(owner, conversation)[0]
        rows = self._file.rows(
            f"SELECT {_TURN} FROM turns WHERE conversation = ? ORDER BY number", (number,)
        )
        return tuple(self._turn(row) for row in rows)

    def _append(self, owner: str, conversation: str, turns: Sequence[Turn]) -> int:
        number = self._found(owner, conversation)[0]  # before a file is created needlessly
        now = datetime.fromtimestamp(self._clock(), UTC).isoformat(timespec="seconds")
        with self._file.writing() as db:
            number = self._found(owner, conversation)[0]
            ((last,),) = db.execute(
                "SELECT coalesce(max(number), 0) FROM turns WHERE conversation = ?", (number,)
            )
            require_room(last, len(turns), self._most)
            db.executemany(
                f"INSERT INTO turns (conversation, {_TURN}) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    (
                        number,
                        place,
                        one.role,
                        raw(one.text),
                        one.at or now,
                        citations_text(one.citations),
                        one.kind,
                    )
                    for place, one in enumerate(turns, start=last + 1)
                ),
            )
            if turns:
                db.execute(
                    f"UPDATE conversations SET touched = {_NEXT} WHERE number = ?", (number,)
                )
        return int(last) + len(turns)

    def _summarise(self, owner: str, conversation: str, summary: str, summarised: int) -> bool:
        number = self._found(owner, conversation)[0]
        with self._file.writing() as db:
            ((last,),) = db.execute(
                "SELECT coalesce(max(number), 0) FROM turns WHERE conversation = ?", (number,)
            )
            require_said(summarised, last)
            kept = db.execute(
                "UPDATE conversations SET summary = ?1, summarised = ?2"
                " WHERE number = ?3 AND summarised <= ?2",
                (raw(summary), summarised, number),
            ).rowcount
        return kept > 0

    def _delete(self, owner: str, conversation: str) -> None:
        number = self._found(owner, conversation)[0]
        with self._file.writing() as db:
            db.execute("DELETE FROM turns WHERE conversation = ?", (number,))
            db.execute("DELETE FROM conversations WHERE number = ?", (number,))
        self._file.wipe()

    def _turn(self, row: Sequence[Any]) -> Turn:
        number, role, text, at, citations, kind = row
        return Turn(role, read(text), at, number, citations_of(number, citations), kind)


_TURN: Final = "number, role, text, at, citations, kind"
#: A number above that of every earlier change. It does not depend on the clock.
_NEXT: Final = "(SELECT coalesce(max(touched), 0) + 1 FROM conversations)"
