from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from pincite.ports import Store
from pincite.stores.qdrant_edge import generations
from pincite.stores.qdrant_edge import shard as shards
from pincite.stores.qdrant_edge.store import EdgeStore
from pincite.testing.points import DENSE_SPEC
from pincite.testing.scores import random_points
from pincite.testing.stores import StoreContract
from tests.places import quick_folder


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
