"""A disk that fills up: it is said in time, nothing is lost, and the daemon lives."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from pincite.daemon.client.remote_index import RemoteIndex
from pincite.errors import DiskFull
from pincite.stores.qdrant_edge.store import EdgeStore
from pincite.stores.room import SPARE_BYTES
from pincite.testing.points import DENSE_SPEC, LEXICAL_SPEC, document_of, point_of, request_for
from tests.daemon.daemons import A1, client, daemon, gone
from tests.disks import fill, small_disk
from tests.quick_folder import quick_folder

_MB = 1024 * 1024


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 320 MB, for those who may mount one."""
    with small_disk(tmp_path, 320) as place:
        yield place


async def write_until_full(index: RemoteIndex) -> None:
    for number in range(1_000):
        texts = [f"fox {n} " + "x" * 20_000 for n in range(100)]
        name = f"{number}.md"
        await index.replace("main", [document_of(name, name, texts, dense=False)])


def test_a_disk_that_fills_up_costs_nothing_but_the_document(disk: Path) -> None:
    async def check() -> None:
        root = disk / "index"
        root.mkdir()
        index = RemoteIndex(root, root, 60.0)
        await index.create(LEXICAL_SPEC)
        pid = (await index.hello()).pid
        fill(disk, 180 * _MB)  # with 64 more the engine's log would be emptied
        with pytest.raises(DiskFull, match="earlier writes are complete") as caught:
            await write_until_full(index)
        written = len(await index.documents("main"))
        assert written > 5
        assert "make room" in caught.value.hint
        assert (await index.hello()).pid == pid
        request = request_for("fox", dense=None, sparse_limit=100_000)
        (sparse,) = await index.search("main", request)
        assert len(sparse.hits) == 100 * written

        fill(disk, 125 * _MB)
        os.kill(pid, signal.SIGKILL)
        (sparse,) = await index.search("main", request)  # by another daemon
        assert len(sparse.hits) == 100 * written
        await index.remove("main", ["0.md"])  # room may be made
        with pytest.raises(DiskFull):
            await index.replace("main", [document_of("a.md", "a", ["hen"], dense=False)])
        await index.leave()

        fill(disk, 40 * _MB)
        assert len(await index.documents("main")) == written - 1  # reading needs no room
        (disk / "filler").unlink()
        await index.replace("main", [document_of("a.md", "a", ["hen"], dense=False)])
        assert len(await index.documents("main")) == written
        await index.leave()
        await index.close()

    asyncio.run(check())


@pytest.mark.parametrize("cleanly", [True, False])
def test_a_full_disk_can_be_searched_and_written_to_when_there_is_room_again(
    disk: Path, cleanly: bool
) -> None:
    async def check() -> None:
        root = disk / "index"
        root.mkdir()
        index = client(root)
        try:
            await index.create(LEXICAL_SPEC)
            await index.replace("main", [A1])
            pid = (await index.hello()).pid
            if cleanly:
                await index.leave()
            else:
                os.kill(pid, signal.SIGKILL)
                assert await gone(pid)
            fill(disk, 0)
            (sparse,) = await index.search("main", request_for("fox", dense=None))
            assert len(sparse.hits) == 1
            # a killed process may give back a little more after the disk was filled
            full = re.compile(r"the disk is full: [0-9] MB are free at")
            assert full.search((await index.hello()).only_read)
            with pytest.raises(DiskFull, match=full) as caught:
                await index.remove("main", ["a1"])
            assert str(root) in caught.value.message
            assert "the index is intact" in caught.value.message
            assert "make room" in caught.value.hint
            (disk / "filler").unlink()
            await index.remove("main", ["a1"])  # by another daemon, in the same call
            assert (await index.hello()).only_read == ""
            assert await index.documents("main") == ()
        finally:
            await index.leave()
            await index.close()

    asyncio.run(check())


TRUSTING = """
import sys
from pathlib import Path
from pincite.index import store_of_folder
from pincite.daemon.__main__ import main
from pincite.stores.open_store import Opened
from pincite.stores.qdrant_edge.store import EdgeStore
def opened(root, environ):
    store = EdgeStore(root / "collections", lambda _: 10**15)  # so much is free, it believes
    return Opened(store, store, store.keep_only)
store_of_folder.open_remembered = opened
sys.exit(main(sys.argv[1], "models", "60"))
"""


def test_a_daemon_that_a_full_disk_has_killed_comes_back_with_everything(disk: Path) -> None:
    """Others may fill a disk between a look at it and the write."""

    async def check() -> None:
        root = disk / "index"
        root.mkdir()
        with daemon(TRUSTING, root) as first:
            index = RemoteIndex(root, root, 60.0)
            await index.create(LEXICAL_SPEC)
            fill(disk, 25 * _MB)
            with pytest.raises(DiskFull):  # says the one that was started in its place
                await write_until_full(index)
            assert await asyncio.to_thread(first.wait, 600) == -signal.SIGBUS
        (disk / "filler").unlink()
        written = len(await index.documents("main"))
        assert written > 1
        request = request_for("fox", dense=None, sparse_limit=100_000)
        (sparse,) = await index.search("main", request)
        assert len(sparse.hits) == 100 * written
        await index.leave()
        await index.close()

    asyncio.run(check())


def test_a_document_for_which_there_is_no_room_is_refused_before_it_is_written() -> None:
    async def check() -> None:
        with quick_folder() as folder:
            free = [10**12]
            store = EdgeStore(folder, lambda _: free[0])
            await store.create(DENSE_SPEC)
            await store.stage("main", {"r1": [point_of("fox")]})
            await store.publish("main", {"r1": None})
            free[0] = SPARE_BYTES + 5_000
            with pytest.raises(DiskFull):
                await store.stage("main", {"r2": [point_of("hen"), point_of("owl")]})
            assert await store.revisions("main") == {"r1": 1}
            free[0] = SPARE_BYTES - 1  # what was begun may still be finished
            await store.remove("main", ["r1"])
            assert await store.revisions("main") == {}
            free[0] = 10**12
            await store.close()

    asyncio.run(check())
