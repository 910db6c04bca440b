"""Empty shards: created in memory where that is possible, and safe from the first flush on."""

from __future__ import annotations

import asyncio
import os
import shutil
import time
from pathlib import Path

import pytest

from pincite.errors import StoreError
from pincite.stores.qdrant_edge import creation
from pincite.stores.qdrant_edge.creation import create_shard, load_shard
from pincite.stores.qdrant_edge.store import EdgeStore
from pincite.support.capabilities import memory_folder
from pincite.testing.points import DENSE_SPEC
from pincite.testing.scores import random_points

MEMORY = memory_folder()
in_memory = pytest.mark.skipif(MEMORY is None, reason="this system has no folder in memory")


def described(folder: Path) -> tuple[list[str], list[tuple[str, int]]]:
    """The indexed fields of a new shard, and the names and lengths of its files when it has been
    opened once more."""
    create_shard(folder / "shard", idf=True, dimensions=8).close()
    shard = load_shard(folder / "shard", idf=True)
    fields = sorted(shard.info().payload_schema)
    shard.close()
    files = [path for path in folder.rglob("*") if path.is_file()]
    return fields, sorted((path.name, path.stat().st_size) for path in files)


@in_memory
def test_a_shard_made_in_memory_is_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    by_way_of_memory = described(tmp_path / "a")
    monkeypatch.setattr(creation, "memory_folder", lambda: None)
    assert by_way_of_memory == described(tmp_path / "b")


@in_memory
def test_without_room_or_without_luck_it_is_made_on_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    used = []

    def fails(source: str, target: str) -> None:
        used.append(source)
        Path(target).write_bytes(b"half of it")
        raise OSError("no space is left")

    monkeypatch.setattr(creation, "copy_sparse", fails)
    assert create_shard(tmp_path / "first", idf=True).info().points_count == 0
    assert used
    used.clear()
    monkeypatch.setattr(creation, "free_bytes", lambda _: 1_000)
    assert create_shard(tmp_path / "second", idf=True).info().points_count == 0
    assert not used


def test_only_leftovers_of_killed_processes_are_removed(tmp_path: Path) -> None:
    names = ("pincite-shard-old", "pincite-shard-new", "other")
    for name in names:
        (tmp_path / name / "x").mkdir(parents=True)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "pincite-shard-link").symlink_to(elsewhere)
    an_hour_ago = time.time() - 3_600
    for name in ("pincite-shard-old", "other", "elsewhere"):
        os.utime(tmp_path / name, (an_hour_ago, an_hour_ago))
    os.utime(tmp_path / "pincite-shard-link", (an_hour_ago, an_hour_ago), follow_symlinks=False)
    creation._remove_leftovers(tmp_path)
    left = sorted(path.name for path in tmp_path.iterdir())
    assert left == ["elsewhere", "other", "pincite-shard-link", "pincite-shard-new"]


def lose_power(folder: Path) -> Path:
    """Copy the folder as a power failure may leave it: names and lengths, without contents."""
    after = folder.with_name("after")
    shutil.copytree(folder, after)
    for path in (after / "main" / "g000001").rglob("*"):
        if path.is_file():
            size = path.stat().st_size
            path.write_bytes(b"")
            os.truncate(path, size)
    return after


def test_a_power_failure_damages_no_more_than_was_not_yet_flushed(tmp_path: Path) -> None:
    points = random_points(5, seed=3)

    async def session() -> None:
        store = EdgeStore(tmp_path / "before")
        await store.create(DENSE_SPEC)
        lost = EdgeStore(lose_power(tmp_path / "before"))
        await lost.create(DENSE_SPEC)  # nothing was promised, and it is made again
        await lost.stage("main", {"r1": points})
        await lost.publish("main", {"r1": None})
        assert await lost.revisions("main") == {"r1": 5}
        await lost.close()
        shutil.rmtree(tmp_path / "after")

        await store.flush()
        broken = EdgeStore(lose_power(tmp_path / "before"))
        with pytest.raises(StoreError, match="could not open"):
            await broken.create(DENSE_SPEC)  # a disk that lost what was flushed: no silent loss
        await store.close()

    asyncio.run(session())
