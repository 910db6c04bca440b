"""A daemon that is killed while it starts, and one whose folder goes away."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from pincite.daemon.wire import protocol
from pincite.errors import IndexNotFound, IndexUnavailable
from pincite.testing.points import LEXICAL_SPEC
from tests.daemon.daemons import A1, client, connected, daemons_of, gone, run


async def kill_first(folder: Path, count: float) -> int:
    """Kill so many as soon as they are there, until this is cancelled."""
    killed: set[int] = set()
    try:
        while len(killed) < count:
            for pid in daemons_of(folder) - killed:
                os.kill(pid, signal.SIGKILL)
                killed.add(pid)
            await asyncio.sleep(0)
    except asyncio.CancelledError:
        pass
    return len(killed)


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="no /proc")
def test_a_daemon_that_is_killed_while_it_starts_is_started_again() -> None:
    async def check(folder: Path) -> None:
        killing = asyncio.create_task(kill_first(folder, 2))
        async with connected(folder) as index:
            assert await index.collections() == ()
            assert await killing == 2
            assert (await index.hello()).pid in daemons_of(folder)

    run(check)


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="no /proc")
def test_daemons_that_are_always_killed_end_in_an_error_that_names_the_log() -> None:
    async def check(folder: Path) -> None:
        killing = asyncio.create_task(kill_first(folder, float("inf")))
        index = client(folder)
        with pytest.raises(IndexUnavailable, match="did not start") as caught:
            await index.collections()
        assert protocol.LOG in caught.value.hint
        killing.cancel()
        assert await killing >= 2
        assert daemons_of(folder) == set()

    run(check)


def remove(root: Path) -> None:
    shutil.rmtree(root)


def move(root: Path) -> None:
    root.rename(root.with_name("elsewhere"))


def replace(root: Path) -> None:
    """By another folder of the same name."""
    move(root)
    root.mkdir()


@pytest.mark.parametrize("lose", [remove, move, replace])
def test_a_daemon_whose_folder_has_gone_ends_itself_and_writes_nothing_more(
    lose: Callable[[Path], None],
) -> None:
    async def check(folder: Path) -> None:
        root = folder / "index"
        root.mkdir()
        index = client(root)
        await index.create(LEXICAL_SPEC)
        pid = (await index.hello()).pid
        lose(root)
        assert await gone(pid)  # though somebody is connected
        assert not root.exists() or not any(root.iterdir())
        if lose is replace:
            assert await index.collections() == ()  # of a new one, by a new daemon
            await index.leave()
        else:
            with pytest.raises(IndexNotFound):
                await index.collections()
        await index.close()
        if lose is not remove:
            elsewhere = client(folder / "elsewhere")
            assert len(await elsewhere.collections()) == 1
            await elsewhere.leave()
            await elsewhere.close()

    run(check)


def remove_parts(root: Path, lost: str | None) -> None:
    for path in root.iterdir() if lost is None else [root / lost]:
        shutil.rmtree(path) if path.is_dir() else path.unlink()


@pytest.mark.parametrize("lost", [None, "catalog.db", protocol.LOCK])
def test_a_daemon_whose_files_were_removed_from_their_folder_ends_itself(lost: str | None) -> None:
    async def check(root: Path) -> None:
        index = client(root)
        await index.create(LEXICAL_SPEC)
        pid = (await index.hello()).pid
        remove_parts(root, lost)
        assert await gone(pid)
        await index.close()

    run(check)


def test_a_folder_that_is_replaced_in_the_middle_of_a_session_gets_what_is_written_next() -> None:
    async def check(folder: Path) -> None:
        root = folder / "index"
        root.mkdir()
        async with connected(root) as index:
            await index.create(LEXICAL_SPEC)
            replace(root)
            await index.create(LEXICAL_SPEC)  # at once, before anybody has looked
            await index.replace("main", [A1])
            assert len(await index.documents("main")) == 1
            assert (root / "catalog.db").exists()

    run(check)
