from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import qdrant_edge as edge

from pincite.errors import StoreError
from pincite.model import Point
from pincite.ports import Store
from pincite.stores.qdrant_edge import generations
from pincite.stores.qdrant_edge import shard as shards
from pincite.stores.qdrant_edge.reading import Recent
from pincite.stores.qdrant_edge.store import EdgeStore
from pincite.support.fields import replace
from pincite.testing.points import DENSE_SPEC
from pincite.testing.scores import random_points
from pincite.testing.stores import StoreContract
from tests.quick_folder import quick_folder


class TestEdgeStore(StoreContract):
    fusion_cases = 1_000

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Store]:
        with quick_folder() as folder:
            store = EdgeStore(folder / "collections")
            yield store
            await store.close()


def test_a_collection_is_dropped_while_it_is_flushed() -> None:
    async def session() -> None:
        with quick_folder() as folder:
            store = EdgeStore(folder)
            for _ in range(10):
                await store.create(DENSE_SPEC)
                flushes = asyncio.gather(store.flush(), store.flush())
                await asyncio.gather(flushes, store.drop("main"))
                assert not (folder / "main").exists()
            await store.close()

    asyncio.run(session())


def test_a_long_log_is_emptied_and_nothing_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shards, "_LOG_BYTES", 0)
    points = random_points(400, seed=3)

    async def session() -> None:
        with quick_folder() as folder:
            store = EdgeStore(folder / "first")
            await store.create(DENSE_SPEC)
            await store.stage("main", {"r1": points})
            await store.publish("main", {"r1": None})
            await store.flush()
            copied = shutil.copytree(folder / "first", folder / "second")  # as a crash leaves it
            for log in copied.glob("main/*/wal/*"):
                log.unlink()
            again = EdgeStore(copied)
            await again.create(DENSE_SPEC)
            assert await again.revisions("main") == {"r1": 400}
            await again.close()
            await store.close()

    asyncio.run(session())


def test_a_log_whose_files_are_renamed_meanwhile_is_made_durable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, seen, sync = tmp_path / "wal", list[str](), generations.sync
    log.mkdir()
    for name in ("open-2", "tmp-open-3"):
        (log / name).write_bytes(b"x")

    def renaming(path: Path) -> None:
        if path.name == "open-2":
            (log / "tmp-open-3").rename(log / "open-3")
        sync(path)
        seen.append(path.name)

    monkeypatch.setattr(generations, "sync", renaming)
    generations.sync_log(tmp_path)
    assert seen == ["open-2", "open-3", "wal"]


def has_aliases(store: EdgeStore) -> bool:
    return store._shards["main"].has_aliases


def test_the_index_of_aliases_is_made_with_the_first_one_and_found_again() -> None:
    points = random_points(6, seed=4)

    async def session() -> None:
        with quick_folder() as folder:
            store = EdgeStore(folder)
            await store.create(DENSE_SPEC)
            await store.stage("main", {"r1": points})
            await store.publish("main", {"r1": None})
            assert not has_aliases(store)
            await store.stage("main", {"r2": points})  # the same ids, under another revision
            assert has_aliases(store)
            await store.close()

            again = EdgeStore(folder)
            await again.create(DENSE_SPEC)
            assert has_aliases(again)
            assert await again.staged("main") == {"r2"}
            await again.publish("main", {"r2": "r1"})
            assert await again.revisions("main") == {"r2": 6}
            found = await again.load("main", [point.chunk.id for point in points])
            assert len(found) == 6
            await again.close()

    asyncio.run(session())


def _schema(store: EdgeStore) -> set[str]:
    return set(store._shards["main"].ask(lambda s: [*s.info().payload_schema]))


def test_names_are_indexed_also_where_an_earlier_version_made_the_collection() -> None:
    """Without an index, a question for a name reads the payload of every point."""

    async def session() -> None:
        with quick_folder() as folder:
            store = EdgeStore(folder)
            await store.create(DENSE_SPEC)
            assert "symbols" in _schema(store)
            await stored(store, "r1", random_points(9, seed=3))
            lacking = edge.UpdateOperation.delete_field_index("symbols")
            store._shards["main"].apply(lacking)
            assert "symbols" not in _schema(store)
            await store.close()
            again = EdgeStore(folder)
            await again.create(DENSE_SPEC)
            assert "symbols" in _schema(again)
            assert len(await again.page("main", None, 100)) == 9
            await again.close()

    asyncio.run(session())


async def stored(store: EdgeStore, revision: str, points: Sequence[Point]) -> list[str]:
    await store.stage("main", {revision: points})
    await store.publish("main", {revision: None})
    return [point.chunk.id for point in points]


def test_a_chunk_that_was_read_is_cached_until_the_next_write() -> None:
    async def session() -> None:
        with quick_folder() as folder:
            store = EdgeStore(folder)
            await store.create(replace(DENSE_SPEC, attributes={"year": "integer"}))
            ids = await stored(store, "r1", random_points(9, seed=3))
            first = await store.load("main", ids, vectors=True)
            again = await store.load("main", ids[::-1], vectors=True)
            assert [one.chunk for one in again] == [one.chunk for one in first][::-1]
            assert all(a.chunk is b.chunk for a, b in zip(again[::-1], first, strict=True))
            vectors = [[one.vector for one in found] for found in (again[::-1], first)]
            assert np.array_equal(np.array(vectors[0]), np.array(vectors[1]))
            assert all(one is not None for one in vectors[0])
            assert all(one.vector is None for one in await store.load("main", ids))

            await store.set_attributes("main", {"r1": {"year": 7}})
            changed = await store.load("main", ids)
            assert [one.chunk.attributes for one in changed] == [{"year": 7}] * 9
            store.forget()
            assert (await store.load("main", ids))[0].chunk is not changed[0].chunk
            await store.close()

    asyncio.run(session())


def test_a_cached_chunk_of_a_hidden_or_removed_document_is_not_loaded() -> None:
    async def session() -> None:
        with quick_folder() as folder:
            store = EdgeStore(folder)
            await store.create(DENSE_SPEC)
            ids = await stored(store, "r1", random_points(9, seed=3))
            assert len(await store.load("main", ids)) == 9
            store._shards["main"].hidden.add("r1")
            assert await store.load("main", ids) == ()
            store._shards["main"].hidden.clear()
            assert len(await store.load("main", ids)) == 9
            await store.remove("main", ["r1"])
            assert await store.load("main", ids) == ()
            await store.drop("main")
            await store.create(DENSE_SPEC)
            assert await store.load("main", ids) == ()
            await store.close()

    asyncio.run(session())


def test_the_cache_of_chunks_has_a_bound() -> None:
    async def session() -> None:
        with quick_folder() as folder:
            store = EdgeStore(folder)
            await store.create(DENSE_SPEC)
            ids = await stored(store, "r1", random_points(60, seed=3))
            shard, recent = store._shards["main"], Recent(most_bytes=40_000)
            for start in range(0, 60, 5):
                some = ids[start : start + 5]
                found = recent.load(shard, some, vectors=False)
                assert [one.chunk.id for one in found] == some
                assert len(recent) <= 40_000 / 1_500
            await store.close()

    asyncio.run(session())


def test_the_cache_of_chunks_counts_their_symbols_and_attributes() -> None:
    names = tuple(f"{number}{'n' * 100}" for number in range(200))
    points = random_points(3, seed=3)
    filled = dict.fromkeys(("one", "two", "three", "four"), "o" * 4000)
    changed: list[dict[str, object]] = [
        {"symbols": names},
        {"headings": names},
        {"attributes": filled},
    ]
    points = [
        replace(one, chunk=replace(one.chunk, **fields))
        for one, fields in zip(points, changed, strict=True)
    ]

    async def session() -> None:
        with quick_folder() as folder:
            store = EdgeStore(folder)
            await store.create(replace(DENSE_SPEC, attributes=dict.fromkeys(filled, "keyword")))
            ids = await stored(store, "r1", points)
            shard = store._shards["main"]
            for key in ids:
                recent = Recent(most_bytes=15_000)
                assert len(recent.load(shard, [key], vectors=False)) == 1
                assert len(recent) == 0
            await store.close()

    asyncio.run(session())


def test_the_cache_of_chunks_drops_those_of_before_a_write() -> None:
    async def session() -> None:
        with quick_folder() as folder:
            store = EdgeStore(folder)
            await store.create(DENSE_SPEC)
            first, second = random_points(20, seed=3), random_points(5, seed=4)
            ids = await stored(store, "r1", first)
            shard, recent = store._shards["main"], Recent()
            recent.load(shard, ids, vectors=False)
            assert len(recent) == 20
            more = await stored(store, "r2", second)
            recent.load(shard, more, vectors=False)
            assert len(recent) == len(more)
            await store.close()

    asyncio.run(session())


def test_the_cache_of_chunks_keeps_those_that_are_used_again() -> None:
    async def session() -> None:
        with quick_folder() as folder:
            store = EdgeStore(folder)
            await store.create(DENSE_SPEC)
            points = random_points(60, seed=3)
            ids = await stored(store, "r1", points)
            shard, recent = store._shards["main"], Recent(most_bytes=40_000)
            reads: list[str] = []
            ask = shard.ask

            def asked(work: Any) -> Any:
                reads.append("read")
                return ask(work)

            shard.ask = asked  # type: ignore[method-assign, assignment]
            for start in range(5, 60, 5):
                recent.load(shard, [*ids[:5], *ids[start : start + 5]], vectors=False)
            assert len(reads) == 11  # the first five are read once
            reads.clear()
            recent.load(shard, ids[5:10], vectors=False)
            assert reads == ["read"]  # it was not used again
            await store.close()

    asyncio.run(session())


def test_neither_half_of_the_cache_outlives_a_write() -> None:
    async def session() -> None:
        with quick_folder() as folder:
            store = EdgeStore(folder)
            await store.create(replace(DENSE_SPEC, attributes={"year": "integer"}))
            ids = await stored(store, "r1", random_points(20, seed=3))
            shard, recent = store._shards["main"], Recent(most_bytes=40_000)
            for start in range(0, 20, 5):
                recent.load(shard, ids[start : start + 5], vectors=False)
            assert recent._newer["main"].points
            assert recent._older["main"].points
            await store.set_attributes("main", {"r1": {"year": 7}})
            for start in range(0, 20, 5):
                found = recent.load(shard, ids[start : start + 5], vectors=False)
                assert [one.chunk.attributes for one in found] == [{"year": 7}] * 5
            await store.close()

    asyncio.run(session())

    asyncio.run(session())


def test_a_long_document_is_read_in_turns_and_as_one_state_of_the_index() -> None:
    points = random_points(600, seed=5)
    ids = {point.chunk.id for point in points}

    async def session() -> None:
        with quick_folder() as folder:
            store = EdgeStore(folder)
            await store.create(DENSE_SPEC)
            await store.stage("main", {"r1": points, "r2": random_points(1, seed=6)})
            await store.publish("main", {"r1": None})
            reading = asyncio.create_task(store.of_revision("main", "r1"))
            turns = 0
            while not reading.done():
                await asyncio.sleep(0)
                turns += 1
            assert turns >= 3, "others wait for the whole document"
            assert {one.id for one in reading.result()} == ids

            reading = asyncio.create_task(store.of_revision("main", "r1"))
            await asyncio.sleep(0)
            await store.publish("main", {"r2": None})  # another document
            assert {one.id for one in await reading} == ids

            reading = asyncio.create_task(store.of_revision("main", "r1"))
            await asyncio.sleep(0)
            await store.remove("main", ["r1"])
            assert await reading == ()

            await store.stage("main", {"r3": points})
            await store.publish("main", {"r3": None})
            reading = asyncio.create_task(store.of_revision("main", "r3"))
            await asyncio.sleep(0)
            await store.close()
            with pytest.raises(StoreError, match="is closed"):
                await reading

    asyncio.run(session())
