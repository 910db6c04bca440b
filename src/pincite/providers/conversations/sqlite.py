"""Conversations in one SQLite file."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import msgspec

from pincite.errors import ConversationNotFound, MemoryUnavailable, UsageError
from pincite.model import Turn
from pincite.ports import ConversationState
from pincite.support.arguments import require_choice, require_count, require_kind, shown
from pincite.support.kept_text import USER_CHARS, raw, read, require_length, require_text
from pincite.support.private_sqlite import PrivateFile
from pincite.support.terminal import one_line

#: Characters of a turn, a title and a summary, citations of a turn, turns of a conversation:
#: guesses, unmeasured. A turn is a question or an answer, not a book.
TURN_CHARS: Final = 200_000
TITLE_CHARS: Final = 500
SUMMARY_CHARS: Final = 50_000
CITATIONS: Final = 1_000
CITATION_CHARS: Final = 4_000
TURNS: Final = 10_000
_MOST: Final = 1_000_000  # of what may be asked for at once
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
)
_TEXTS: Final = msgspec.json.Decoder(tuple[str, ...])


class SqliteConversations:
    """Implements `Conversations`. The file is made with the first conversation. Any number of
    processes may have it open; their turns are numbered one after the other, and those of one call
    follow each other."""

    def __init__(
        self,
        path: Path,
        clock: Callable[[], float] = time.time,
        new_id: Callable[[], str] = lambda: secrets.token_hex(16),
        place: Callable[[], None] | None = None,
        most: int = TURNS,
    ) -> None:
        """`most`: turns of a conversation. `place` makes the folder of the file where there is
        none."""
        self._file = PrivateFile(path, "the conversations", _MARK, MIGRATIONS, place)
        self._clock = clock
        self._new_id = new_id
        self._most = most

    async def begin(self, owner: str, title: str = "") -> str:
        """See `Conversations.begin`: 128 random bits in hexadecimal."""
        _require_owner(owner)
        require_length("title", title, TITLE_CHARS)
        return await asyncio.to_thread(self._begin, owner, title)

    async def state(self, owner: str, conversation: str, recent: int) -> ConversationState:
        """See `Conversations.state`."""
        _require_owner(owner)
        require_count("recent", recent, least=0, most=_MOST)
        return await asyncio.to_thread(self._state, owner, conversation, recent)

    async def append(self, owner: str, conversation: str, turns: Sequence[Turn]) -> int:
        """See `Conversations.append`. The numbers that they come with do not count, and a turn
        without a time gets that of now."""
        _require_owner(owner)
        for one in turns:
            _check_turn(one)
        return await asyncio.to_thread(self._append, owner, conversation, tuple(turns))

    async def summarise(self, owner: str, conversation: str, summary: str, summarised: int) -> bool:
        """See `Conversations.summarise`. A summary that covers as much as the one before replaces
        it. Raises UsageError for unknown turns."""
        _require_owner(owner)
        require_length("summary", summary, SUMMARY_CHARS)
        require_count("summarised", summarised, least=1, most=_MOST)
        return await asyncio.to_thread(self._summarise, owner, conversation, summary, summarised)

    async def list(self, owner: str, limit: int = 50) -> tuple[ConversationState, ...]:
        """See `Conversations.list`."""
        _require_owner(owner)
        require_count("limit", limit, least=0, most=_MOST)
        rows = await asyncio.to_thread(
            self._file.rows,
            "SELECT id, title, summary, summarised FROM conversations WHERE owner = ?"
            " ORDER BY touched DESC LIMIT ?",
            (raw(owner), limit),
        )
        return tuple(ConversationState(i, owner, read(t), read(s), n) for i, t, s, n in rows)

    async def turns(self, owner: str, conversation: str) -> tuple[Turn, ...]:
        """See `Conversations.turns`."""
        _require_owner(owner)
        return await asyncio.to_thread(self._turns, owner, conversation)

    async def delete(self, owner: str, conversation: str) -> None:
        """See `Conversations.delete`. What is deleted is overwritten in the file."""
        _require_owner(owner)
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
        """Its number, title, summary and how far that goes. Raises ConversationNotFound."""
        require_kind("conversation", conversation, str, "the id of a conversation")
        rows = []
        if conversation.isascii() and len(conversation) <= USER_CHARS:
            rows = self._file.rows(
                "SELECT number, title, summary, summarised FROM conversations"
                " WHERE (id, owner) = (?, ?)",
                (conversation, raw(owner)),
            )
        if not rows:
            raise ConversationNotFound(
                f"there is no conversation {shown(conversation)}",
                hint="begin a new one, or see pincite conversations list",
            )
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
        number = self._found(owner, conversation)[0]  # before a file is made for nothing
        now = datetime.fromtimestamp(self._clock(), UTC).isoformat(timespec="seconds")
        with self._file.writing() as db:
            number = self._found(owner, conversation)[0]
            ((last,),) = db.execute(
                "SELECT coalesce(max(number), 0) FROM turns WHERE conversation = ?", (number,)
            )
            if last + len(turns) > self._most:
                raise UsageError(
                    f"the conversation has {last:,} turns and cannot have {len(turns)} more;"
                    f" {self._most:,} is the most",
                    hint="begin a new one",
                )
            db.executemany(
                "INSERT INTO turns VALUES (?, ?, ?, ?, ?, ?)",
                (
                    (number, place, one.role, raw(one.text), one.at or now, _json(one.citations))
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
            if summarised > last:
                raise UsageError(
                    f"summarised is {summarised}, and the conversation has {last} turns"
                )
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
        number, role, text, at, citations = row
        try:
            cited = _TEXTS.decode(citations)
        except msgspec.MsgspecError as error:
            raise MemoryUnavailable(
                f"turn {number} of a conversation is damaged: {error}"
            ) from error
        return Turn(role, read(text), at, number, cited)


_TURN: Final = "number, role, text, at, citations"
#: Later than all that was touched before, whatever the clock says.
_NEXT: Final = "(SELECT coalesce(max(touched), 0) + 1 FROM conversations)"


def _json(texts: Sequence[str]) -> str:
    return msgspec.json.encode(texts).decode()


def _require_owner(owner: str) -> None:
    require_length("owner", owner, USER_CHARS)


def _check_turn(turn: Turn) -> None:
    require_kind("turns", turn, Turn, "Turns")
    require_choice("role", turn.role, ("user", "assistant"))
    require_text("text", turn.text, TURN_CHARS)
    require_length("at", turn.at, 64)
    if len(turn.citations) > CITATIONS:
        raise UsageError(
            f"a turn has {len(turn.citations):,} citations; it takes {CITATIONS:,} at most"
        )
    for one in turn.citations:
        require_length("citation", one, CITATION_CHARS)
        if one_line(one) != one:
            raise UsageError(f"citation is {shown(one)}; it takes one printable line")
