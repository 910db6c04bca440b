"""Nothing is paid for twice, whoever asks; and a cache never costs a run."""

from __future__ import annotations

import asyncio
import multiprocessing
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from pincite.errors import RateLimited
from pincite.model import Matrix, Vector
from pincite.providers.dense.cached import cached
from pincite.providers.dense.vector_cache import VectorCache, key_of
from pincite.testing.fakes import HashingEncoder

BIG = 100_000_000


class Counting(HashingEncoder):
    """Remembers what it was asked for."""

    name, batch_items = "counting:x", 8

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[object] = []

    async def embed_query(self, text: str) -> Vector:
        self.asked.append(text)
        return await super().embed_query(text)

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        self.asked += texts
        return await super().embed_documents(texts)

    async def close(self) -> None:
        self.asked.append("closed")


class CountingGroups(Counting):
    """A contextual one."""

    async def embed_grouped(self, documents: Sequence[Sequence[str]]) -> tuple[Matrix, ...]:
        self.asked += [tuple(one) for one in documents]
        return tuple([await HashingEncoder.embed_documents(self, one) for one in documents])


def rows(*texts: str) -> Matrix:
    return asyncio.run(HashingEncoder().embed_documents(texts))


def test_only_new_texts_are_sent_and_equal_ones_once(tmp_path: Path) -> None:
    inner = Counting()
    encoder = cached(inner, VectorCache(tmp_path / "c.db", BIG))
    first = asyncio.run(encoder.embed_documents(["a b", "c", "a b"]))
    again = asyncio.run(encoder.embed_documents(["c", "d", "a b"]))
    assert inner.asked == ["a b", "c", "d"]
    assert np.array_equal(first, rows("a b", "c", "a b"))
    assert np.array_equal(again, rows("c", "d", "a b"))
    assert asyncio.run(encoder.embed_documents([])).shape == (0, 16)


def test_what_was_paid_for_before_a_failure_is_kept(tmp_path: Path) -> None:
    class Failing(Counting):
        async def embed_documents(self, texts: Sequence[str]) -> Matrix:
            if len(self.asked) == 8:
                raise RateLimited("enough")
            return await super().embed_documents(texts)

    cache = VectorCache(tmp_path / "c.db", BIG)
    texts = [f"text {n}" for n in range(20)]
    with pytest.raises(RateLimited):
        asyncio.run(cached(Failing(), cache).embed_documents(texts))
    inner = Counting()
    assert np.array_equal(asyncio.run(cached(inner, cache).embed_documents(texts)), rows(*texts))
    assert inner.asked == texts[8:]


def test_queries_and_documents_are_different_things(tmp_path: Path) -> None:
    inner = Counting()
    encoder = cached(inner, VectorCache(tmp_path / "c.db", BIG))
    asyncio.run(encoder.embed_documents(["a"]))
    for _ in range(2):
        assert np.array_equal(asyncio.run(encoder.embed_query("a")), rows("a")[0])
    assert inner.asked == ["a", "a"]


def test_documents_of_contextual_models_are_known_as_a_whole(tmp_path: Path) -> None:
    inner = CountingGroups()
    encoder = cached(inner, VectorCache(tmp_path / "c.db", BIG))
    groups = [["a", "b"], [], ["c"]]
    asyncio.run(encoder.embed_grouped(groups))  # type: ignore[attr-defined]
    found = asyncio.run(encoder.embed_grouped([["c"], ["a", "x"], ["a", "b"]]))  # type: ignore[attr-defined]
    assert inner.asked == [("a", "b"), (), ("c",), ("a", "x")]
    assert np.array_equal(found[2], rows("a", "b"))


def test_another_fingerprint_is_another_vector(tmp_path: Path) -> None:
    keys = {key_of(f, k, t) for f in "xy" for k in "qd" for t in (["a"], ["a", ""], ["a", "b"])}
    assert len(keys) == 12
    assert all(len(key) == 16 for key in keys)


def test_what_was_used_longest_ago_makes_room(tmp_path: Path) -> None:
    clock = [1_000_000.0]
    cache = VectorCache(tmp_path / "c.db", 400_000, lambda: clock[0])
    row = np.ones((1, 256), np.float32)
    keys = [key_of("m", "document", [str(n)]) for n in range(300)]
    for key in keys:
        cache.put("m", {key: row})
        clock[0] += 1
        if key == keys[99]:
            clock[0] += 100_000
            cache.get(keys[:1], 256)  # is used again, a day later
    assert cache.status().bytes <= 400_000
    assert keys[0] in cache.get(keys[:1], 256)
    assert not cache.get(keys[1:20], 256)
    assert len(cache.get(keys[-100:], 256)) == 100
    cache.close()
    assert (tmp_path / "c.db").stat().st_size <= 430_000


def test_what_makes_room_leaves_no_free_pages(tmp_path: Path) -> None:
    path, row = tmp_path / "c.db", np.ones((1, 1024), np.float32)
    with closing(VectorCache(path, BIG)) as cache:
        cache.put("m", {key_of("m", "document", [str(n)]): row for n in range(300)})
    with closing(VectorCache(path, 400_000)) as cache:
        cache.put("m", {key_of("m", "document", ["new"]): row})
        used = cache.status().bytes
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA freelist_count").fetchone() == (0,)
    assert path.stat().st_size == used < 1_000_000


def test_status_and_clear(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path / "deep" / "c.db", BIG)
    assert cache.status().models == {}
    assert cache.clear() == 0
    assert not (tmp_path / "deep").exists()
    cache.put("one@8", {bytes(16): np.ones((1, 8), np.float32)})
    cache.put("two@8", {b"x" * 16: np.ones((3, 8), np.float32)})
    assert cache.status().models == {"one@8": 1, "two@8": 1}
    assert cache.clear() == 2
    assert cache.status().models == {}
    cache.close()


def test_a_place_that_cannot_be_written_is_as_good_as_no_cache(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    inner = Counting()
    encoder = cached(inner, VectorCache(tmp_path / "file" / "c.db", BIG))
    for _ in range(2):
        assert len(asyncio.run(encoder.embed_documents(["a"]))) == 1
    assert inner.asked == ["a", "a"]


def _fill(path: Path, number: int) -> None:
    cache = VectorCache(path, BIG)
    for n in range(40):
        keys = [key_of("m", "document", [str(k)]) for k in range(n, n + 20)]
        cache.put("m", {key: np.full((1, 64), n, np.float32) for key in keys})
        assert len(cache.get(keys, 64)) == 20
    cache.put("m", {key_of("m", "document", [f"of {number}"]): np.ones((1, 64), np.float32)})
    cache.close()


def test_several_processes_fill_one_cache(tmp_path: Path) -> None:
    path = tmp_path / "c.db"
    context = multiprocessing.get_context("spawn")
    processes = [context.Process(target=_fill, args=(path, n)) for n in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0, 0, 0]
    cache = VectorCache(path, BIG)
    assert cache.status().models == {"m": 59 + 3}
    cache.close()
