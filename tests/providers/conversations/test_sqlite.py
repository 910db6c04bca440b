"""Conversations in a SQLite file of their own."""

from __future__ import annotations

import asyncio
import multiprocessing
import random
import sqlite3
import stat
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from pincite.errors import ConversationNotFound, MemoryUnavailable, UsageError
from pincite.model import Turn
from pincite.ports import Conversations
from pincite.providers.conversations.sqlite import MIGRATIONS, SqliteConversations
from pincite.providers.memory.sqlite import SqliteMemory
from pincite.support.databases.sqlite_schema import migrate
from pincite.testing.conversations import ConversationsContract, pair
from pincite.testing.memories import LOOKALIKES


class TestSqlite(ConversationsContract):
    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Conversations]:
        with TemporaryDirectory() as folder:
            conversations = SqliteConversations(Path(folder) / "conversations.db")
            yield conversations
            await conversations.close()


def bytes_in(folder: Path) -> bytes:
    return b"".join(one.read_bytes() for one in folder.iterdir())


def test_what_is_deleted_is_in_no_file_any_more(tmp_path: Path) -> None:
    async def session() -> None:
        conversations = SqliteConversations(tmp_path / "conversations.db")
        gone, stays = await conversations.begin("ada", "quetzal"), await conversations.begin("ada")
        for number in range(100):
            await conversations.append("ada", gone, (Turn("user", f"a quetzal {number} " * 50),))
            await conversations.append("ada", stays, (Turn("user", f"a zanzibar {number}"),))
        await conversations.summarise("ada", gone, "a quetzal", 100)
        await conversations.delete("ada", gone)
        assert b"quetzal" not in bytes_in(tmp_path)
        assert b"zanzibar" in bytes_in(tmp_path)
        await conversations.close()

    asyncio.run(session())


def test_a_file_of_an_earlier_version_is_read_and_continued(tmp_path: Path) -> None:
    path = tmp_path / "conversations.db"
    db = sqlite3.connect(path)
    migrate(db, MIGRATIONS[:1], "the conversations")
    db.execute("INSERT INTO conversations VALUES (1, 'a', X'', X'', X'', 0, 1)")
    db.execute("INSERT INTO turns VALUES (1, 1, 'assistant', X'79', '2026-01-01T00:00:00Z', '[]')")
    db.commit()
    db.close()

    async def session() -> tuple[Turn, ...]:
        conversations = SqliteConversations(path)
        await conversations.append("", "a", pair(1))
        turns = await conversations.turns("", "a")
        await conversations.close()
        return turns

    turns = asyncio.run(session())
    assert [(one.text, one.kind) for one in turns] == [
        ("y", ""),
        ("question 1?", ""),
        ("answer 1", "failed"),
    ]


def test_only_its_user_can_read_the_file(tmp_path: Path) -> None:
    path = tmp_path / "conversations.db"
    conversations = SqliteConversations(path)
    asyncio.run(conversations.begin("ada"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    asyncio.run(conversations.close())


def test_a_memory_is_no_file_of_conversations(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    asyncio.run(SqliteMemory(path).remember("ada", "a fact"))
    with pytest.raises(MemoryUnavailable, match="another program"):
        asyncio.run(SqliteConversations(path).begin("ada"))


def test_asking_makes_no_file(tmp_path: Path) -> None:
    conversations = SqliteConversations(tmp_path / "conversations.db")
    with pytest.raises(ConversationNotFound):
        asyncio.run(conversations.append("ada", "x" * 24, pair(1)))
    assert asyncio.run(conversations.list("ada")) == ()
    assert list(tmp_path.iterdir()) == []


def test_a_conversation_has_so_many_turns_and_no_more(tmp_path: Path) -> None:
    async def session() -> None:
        conversations = SqliteConversations(tmp_path / "conversations.db", most=5)
        id_ = await conversations.begin("ada")
        await conversations.append("ada", id_, (*pair(1), *pair(2)))
        with pytest.raises(UsageError, match="begin a new conversation"):
            await conversations.append("ada", id_, pair(3))
        assert len(await conversations.turns("ada", id_)) == 4
        await conversations.close()

    asyncio.run(session())


def write_pairs(path: str, id_: str, first: int) -> None:
    async def session() -> None:
        conversations = SqliteConversations(Path(path))
        for number in range(first, first + 25):
            await conversations.append("ada", id_, pair(number))
        await conversations.close()

    asyncio.run(session())


def test_several_processes_lose_no_turn_and_split_no_pair(tmp_path: Path) -> None:
    path = tmp_path / "conversations.db"
    conversations = SqliteConversations(path)
    id_ = asyncio.run(conversations.begin("ada"))
    spawn = multiprocessing.get_context("spawn")
    writers = [spawn.Process(target=write_pairs, args=(str(path), id_, n)) for n in (0, 100, 200)]
    for one in writers:
        one.start()
    for one in writers:
        one.join(120)
        assert one.exitcode == 0
    turns = asyncio.run(conversations.turns("ada", id_))
    assert [one.number for one in turns] == list(range(1, 151))
    said = [one.text.split()[1].rstrip("?") for one in turns]
    assert said[::2] == said[1::2]
    assert {int(one) for one in said} == {n + m for n in (0, 100, 200) for m in range(25)}


def test_random_calls_never_reach_a_conversation_of_another(tmp_path: Path) -> None:
    """A sample here; all of them in `bench/answering/conversations.py`."""
    chance = random.Random(11)

    async def session() -> None:
        conversations = SqliteConversations(tmp_path / "conversations.db")
        owned: dict[str, str] = {}
        for number in range(300):
            owner = chance.choice(LOOKALIKES)
            if number % 3 == 0 or not owned:
                owned[await conversations.begin(owner, owner)] = owner
            id_ = chance.choice(list(owned))
            if owned[id_] == owner:
                await conversations.append(owner, id_, (Turn("user", f"by {owner}!"),))
                assert {one.text for one in await conversations.turns(owner, id_)} == {
                    f"by {owner}!"
                }
            else:
                with pytest.raises(ConversationNotFound):
                    await conversations.append(owner, id_, (Turn("user", "stolen"),))
            assert {one.title for one in await conversations.list(owner)} <= {owner}
        await conversations.close()

    asyncio.run(session())
