"""Facts of users in a SQLite file of their own."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import random
import sqlite3
import stat
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.errors import IndexTooNew, MemoryUnavailable, Unavailable, UsageError
from pincite.model import Matrix, Vector
from pincite.ports import Memory
from pincite.providers.memory.kept import fact_id
from pincite.providers.memory.recall import combined, word_scores
from pincite.providers.memory.sqlite import SqliteMemory
from pincite.providers.sparse.analyser import Analyser
from pincite.testing.fakes import HashingEncoder
from pincite.testing.memories import LOOKALIKES, MemoryContract


class TestByWords(MemoryContract):
    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Memory]:
        with TemporaryDirectory() as folder:
            memory = SqliteMemory(Path(folder) / "memory.db")
            yield memory
            await memory.close()


class TestByMeaningToo(MemoryContract):
    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Memory]:
        with TemporaryDirectory() as folder:
            memory = SqliteMemory(Path(folder) / "memory.db", HashingEncoder())
            yield memory
            await memory.close()


class FailingEncoder(HashingEncoder):
    """Knows its name and no vectors."""

    async def embed_query(self, text: str) -> Vector:
        raise Unavailable("the encoder is away")

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        raise Unavailable("the encoder is away")


def bytes_in(folder: Path) -> bytes:
    return b"".join(one.read_bytes() for one in folder.iterdir())


def modes_in(folder: Path) -> list[int]:
    return [stat.S_IMODE(one.stat().st_mode) for one in folder.iterdir()]


def test_recall_of_random_cases_never_crosses_users(tmp_path: Path) -> None:
    """A sample here; all of them in `bench/answering/conversations.py`."""
    chance = random.Random(7)
    words = ("tea", "coffee", "bicycle", "printer", "cellar", "exam", "key", "lamp")
    said: dict[str, set[str]] = {}

    async def session() -> None:
        memory = SqliteMemory(tmp_path / "memory.db")
        for number in range(300):
            user = chance.choice(LOOKALIKES)
            text = f"{' '.join(chance.sample(words, 4))} mark{number}"
            said.setdefault(user, set()).add(text)
            await memory.remember(user, text)
            asked = chance.choice(LOOKALIKES)
            found = await memory.recall(asked, " ".join(chance.sample(words, 3)), 5)
            assert {one.text for one in found} <= said.get(asked, set())
        await memory.close()

    asyncio.run(session())


def test_what_others_say_changes_no_score(tmp_path: Path) -> None:
    async def score(crowd: int) -> float:
        memory = SqliteMemory(tmp_path / f"{crowd}.db")
        await memory.remember("ada", "drinks green tea")
        for number in range(crowd):
            await memory.remember(f"user {number}", "green tea and green lamps")
        (found,) = await memory.recall("ada", "green tea", 5)
        await memory.close()
        return found.score

    assert asyncio.run(score(0)) == asyncio.run(score(40))


def test_what_is_forgotten_is_in_no_file_any_more(tmp_path: Path) -> None:
    async def session() -> None:
        memory = SqliteMemory(tmp_path / "memory.db")
        for number in range(200):
            await memory.remember("ada", f"the quetzal {number} " + "nests " * 40)
        await memory.remember("bob", "a zanzibar stays")
        assert await memory.forget("ada") == 200
        raw = bytes_in(tmp_path)
        assert b"quetzal" not in raw
        assert b"zanzibar" in raw
        await memory.close()

    asyncio.run(session())


def test_only_its_user_can_read_the_files(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    path.touch(mode=0o644)

    async def session() -> list[int]:
        memory = SqliteMemory(path)
        await memory.remember("ada", "a secret")
        modes = modes_in(tmp_path)
        await memory.close()
        return modes

    modes = asyncio.run(session())
    assert len(modes) == 3
    assert set(modes) == {0o600}


def test_asking_makes_no_file(tmp_path: Path) -> None:
    async def session() -> None:
        memory = SqliteMemory(tmp_path / "memory.db")
        assert await memory.recall("ada", "tea", 5) == ()
        assert await memory.facts("ada") == ()
        assert await memory.forget("ada") == 0

    asyncio.run(session())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["folder", "link", "pipe", "junk", "another", "no folder"])
def test_what_is_no_memory_is_refused_and_nothing_hangs(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "memory.db"
    if kind == "folder":
        path.mkdir()
    elif kind == "link":
        (tmp_path / "elsewhere").write_bytes(b"")
        path.symlink_to(tmp_path / "elsewhere")
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "junk":
        path.write_bytes(b"this is no database" * 100)
    elif kind == "another":
        with sqlite3.connect(path) as db:
            db.execute("CREATE TABLE facts (user, id, text)")
        db.close()
        before = path.read_bytes()
    else:
        path = tmp_path / "nowhere" / "memory.db"
    memory = SqliteMemory(path)
    with pytest.raises(MemoryUnavailable, match=r"memory\.db"):
        asyncio.run(memory.remember("ada", "text"))
    if kind != "no folder":
        with pytest.raises(MemoryUnavailable, match=r"memory\.db"):
            asyncio.run(memory.recall("ada", "text", 5))
    if kind == "another":
        assert path.read_bytes() == before
    if kind == "link":
        with pytest.raises(MemoryUnavailable, match="symbolic link"):
            asyncio.run(memory.facts("ada"))
        assert (tmp_path / "elsewhere").read_bytes() == b""


def test_a_memory_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    memory = SqliteMemory(tmp_path / "memory.db")
    asyncio.run(memory.remember("ada", "text"))
    with memory._file.writing() as db:
        db.execute("PRAGMA user_version = 99")
    asyncio.run(memory.close())
    with pytest.raises(IndexTooNew):
        asyncio.run(SqliteMemory(tmp_path / "memory.db").facts("ada"))


def write_facts(path: str, number: int) -> None:
    async def session() -> None:
        memory = SqliteMemory(Path(path))
        for turn in range(20):
            await memory.remember("ada", f"process {number} says {turn}")
        await memory.close()

    asyncio.run(session())


def test_several_processes_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    spawn = multiprocessing.get_context("spawn")
    writers = [spawn.Process(target=write_facts, args=(str(path), n)) for n in range(3)]
    for one in writers:
        one.start()
    for one in writers:
        one.join(120)
        assert one.exitcode == 0
    texts = [one.text for one in asyncio.run(SqliteMemory(path).facts("ada"))]
    assert sorted(texts) == sorted(f"process {n} says {t}" for n in range(3) for t in range(20))


def test_meaning_finds_what_shares_no_word_and_is_kept_for_the_encoder(tmp_path: Path) -> None:
    class Meaning(HashingEncoder):
        async def embed_query(self, text: str) -> Vector:
            return await super().embed_query("tea")

    async def session() -> None:
        plain = SqliteMemory(tmp_path / "memory.db")
        await plain.remember("ada", "tea")
        await plain.remember("ada", "lamp")
        assert await plain.recall("ada", "hot drinks", 5) == ()
        await plain.close()
        meaning = SqliteMemory(tmp_path / "memory.db", Meaning())
        found = await meaning.recall("ada", "hot drinks", 1)
        assert [one.text for one in found] == ["tea"]
        await meaning.close()

    asyncio.run(session())


def test_an_encoder_that_fails_leaves_words(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def session() -> None:
        memory = SqliteMemory(tmp_path / "memory.db", FailingEncoder())
        await memory.remember("ada", "drinks tea")
        assert [one.text for one in await memory.recall("ada", "tea", 5)] == ["drinks tea"]
        await memory.close()

    asyncio.run(session())
    assert "memory_words_only" in caplog.text
    assert "drinks tea" not in caplog.text


def test_a_user_has_so_many_facts_and_no_more(tmp_path: Path) -> None:
    async def session() -> None:
        memory = SqliteMemory(tmp_path / "memory.db", most=3)
        for number in range(3):
            await memory.remember("ada", f"fact {number}")
        await memory.remember("ada", "fact 0")  # known already
        await memory.remember("bob", "fact 3")
        with pytest.raises(UsageError, match="which is the maximum"):
            await memory.remember("ada", "fact 3")
        await memory.close()

    asyncio.run(session())


def test_the_score_of_words_is_bm25_over_what_can_be_reached() -> None:
    """Two texts of two words, a term in one of them: idf = ln(1 + 1.5 / 1.5) = ln 2; both have
    the average length, so that tf (k1 + 1) / (tf + k1) = 2.2 / 2.2 = 1, over k1 + 1 = 2.2."""
    scores = word_scores("tea", ["green tea", "green lamp"], Analyser())
    assert scores == pytest.approx([1 / 2.2, 0.0])
    assert combined(0.5, 0.7) == pytest.approx(0.6)
    assert combined(0.0, 0.09) == 0.0
    assert combined(0.2, -1.0) == pytest.approx(0.1)


@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=6))
def test_scores_are_between_0_and_1(query: str, texts: list[str]) -> None:
    assert all(0 <= score <= 1 for score in word_scores(query, texts, Analyser()))


@given(st.text(), st.text(), st.text(), st.text())
def test_ids_are_of_one_user_and_one_text(user: str, text: str, other: str, words: str) -> None:
    same = user == other and text.split() == words.split()
    assert (fact_id(user, text) == fact_id(other, words)) == same
