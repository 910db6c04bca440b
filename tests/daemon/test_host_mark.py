"""An index folder belongs to one machine at a time, whatever it is called and however it ends."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from pincite.daemon.client.remote_index import RemoteIndex
from pincite.daemon.client.spawn import daemon_pid
from pincite.daemon.host_mark import (
    FILE,
    STALE_S,
    Mark,
    _age_s,
    beat,
    leave,
    mark,
    require_here,
    take_folder,
    this_machine,
    working_in,
)
from pincite.errors import IndexUnavailable
from tests.quick_folder import quick_folder
from tests.time_limits import HANGS_S

pytestmark = pytest.mark.anyio
OURS, THEIRS = this_machine(), Mark("another start", "elsewhere")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def marked_by(folder: Path) -> str:
    return msgspec.json.decode((folder / FILE).read_bytes(), type=Mark).start


@contextmanager
def working(folder: Path, machine: Mark) -> Iterator[None]:
    """Another machine that works in the folder, and touches its mark more often than usual."""
    ended = threading.Event()

    def touch() -> None:
        while not ended.wait(0.1):
            beat(folder, machine)

    assert beat(folder, machine)
    thread = threading.Thread(target=touch)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


async def test_a_second_machine_is_refused_with_what_to_do(tmp_path: Path) -> None:
    with working(tmp_path, THEIRS):
        for asked in (require_here(tmp_path), take_folder(tmp_path, OURS)):
            with pytest.raises(
                IndexUnavailable, match=r"another machine \(elsewhere\) uses"
            ) as told:
                await asked
            assert "PostgreSQL" in told.value.hint
            assert "Qdrant" in told.value.hint
        with pytest.raises(IndexUnavailable):
            async with working_in(tmp_path):
                pass
        assert marked_by(tmp_path) == THEIRS.start


async def test_the_folder_of_a_machine_that_left_is_free_at_once(tmp_path: Path) -> None:
    await take_folder(tmp_path, THEIRS)
    leave(tmp_path, OURS)  # of another's mark nothing is taken
    assert marked_by(tmp_path) == THEIRS.start
    leave(tmp_path, THEIRS)
    await take_folder(tmp_path, OURS, stale_s=60)
    assert marked_by(tmp_path) == OURS.start


async def test_what_an_earlier_start_of_a_machine_has_left_is_stale(tmp_path: Path) -> None:
    await take_folder(tmp_path, Mark("before the reboot", OURS.name))
    old = time.time() - 2 * STALE_S
    os.utime(tmp_path / FILE, (old, old))
    await take_folder(tmp_path, OURS)
    assert marked_by(tmp_path) == OURS.start


@pytest.mark.parametrize("ahead_s", [0.0, 1e6])
async def test_a_mark_that_nobody_touches_is_waited_for_whatever_the_clocks_say(
    tmp_path: Path, ahead_s: float
) -> None:
    await take_folder(tmp_path, THEIRS)
    os.utime(tmp_path / FILE, (time.time() + ahead_s,) * 2)
    began_s = time.monotonic()
    await take_folder(tmp_path, OURS, stale_s=0.6)
    assert time.monotonic() - began_s >= 0.6
    assert marked_by(tmp_path) == OURS.start


async def test_the_same_machine_by_another_name_is_the_same(tmp_path: Path) -> None:
    with working(tmp_path, Mark(OURS.start, "renamed")):
        await take_folder(tmp_path, OURS, stale_s=60)
        async with working_in(tmp_path):
            await require_here(tmp_path)


async def test_who_has_lost_the_folder_hears_of_it(tmp_path: Path) -> None:
    await take_folder(tmp_path, OURS)
    await take_folder(tmp_path, THEIRS, stale_s=0.3)
    assert not beat(tmp_path, OURS)
    assert beat(tmp_path, THEIRS)


async def test_the_mark_stays_until_the_last_process_of_a_machine_has_left(tmp_path: Path) -> None:
    async with working_in(tmp_path):
        async with working_in(tmp_path):
            pass
        assert marked_by(tmp_path) == OURS.start
        leave(tmp_path, OURS)  # nor does another process take it
        assert marked_by(tmp_path) == OURS.start
    assert not (tmp_path / FILE).exists()


@pytest.mark.parametrize("later", [False, True])
async def test_a_folder_that_is_lost_ends_the_work_in_it(tmp_path: Path, later: bool) -> None:
    root = tmp_path / "index"
    if not later:
        root.mkdir()

    async def do_work() -> None:
        async with working_in(root, beat_s=0.02):
            root.mkdir(exist_ok=True)
            mark(root, THEIRS, over=True)
            await asyncio.sleep(60)

    with pytest.raises(IndexUnavailable, match=r"another machine \(elsewhere\) uses"):
        await do_work()
    assert marked_by(root) == THEIRS.start


async def test_a_time_limit_within_the_work_is_none_of_the_folder(tmp_path: Path) -> None:
    with pytest.raises(TimeoutError):
        async with working_in(tmp_path), asyncio.timeout(0):
            await asyncio.sleep(60)
    assert not (tmp_path / FILE).exists()


async def test_of_machines_that_see_the_same_stale_mark_one_has_the_folder(tmp_path: Path) -> None:
    await take_folder(tmp_path, THEIRS)
    old = time.time() - 2 * STALE_S
    os.utime(tmp_path / FILE, (old, old))
    names = ("first", "second", "third")
    taken = [take_folder(tmp_path, Mark(name), stale_s=STALE_S) for name in names]
    ended = await asyncio.gather(*taken, return_exceptions=True)
    assert [type(one) for one in ended if one is not None] == [IndexUnavailable] * 2
    assert marked_by(tmp_path) == names[ended.index(None)]


async def test_processes_that_ask_at_once_all_learn_the_age_of_a_mark(tmp_path: Path) -> None:
    touched_ns = time.time_ns() - 3_600 * 1_000_000_000
    asked = [asyncio.to_thread(_age_s, tmp_path, touched_ns) for _ in range(300)]
    assert min(await asyncio.gather(*asked)) > 3_000


async def test_of_two_machines_at_once_one_has_the_folder(tmp_path: Path) -> None:
    both = [take_folder(tmp_path, one, stale_s=60) for one in (OURS, THEIRS)]
    # neither has touched its mark since, so that the second one would wait for a minute
    tasks = [asyncio.ensure_future(one) for one in both]
    await asyncio.wait(tasks, timeout=HANGS_S, return_when=asyncio.FIRST_COMPLETED)
    done, waiting = await asyncio.wait(tasks, timeout=0.5)
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    assert len([task for task in done if task.exception() is None]) == 1


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b"\xff" * 9_000, b'{"start": 3}', b"null"])
async def test_what_is_no_mark_keeps_nobody_out(tmp_path: Path, raw: bytes) -> None:
    (tmp_path / FILE).write_bytes(raw)
    await require_here(tmp_path)


async def test_a_pipe_in_its_place_hangs_nobody(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / FILE)
    await require_here(tmp_path)
    beat(tmp_path, OURS)


async def test_a_name_cannot_write_over_the_terminal(tmp_path: Path) -> None:
    with working(tmp_path, Mark("another", "\x1b[2Jevil\n" + "x" * 500)):
        with pytest.raises(IndexUnavailable) as told:
            await require_here(tmp_path)
        assert told.value.message.isprintable()
        assert len(told.value.message) < 400


async def test_a_folder_that_is_not_there_keeps_nobody_out(tmp_path: Path) -> None:
    await require_here(tmp_path / "none")
    async with working_in(tmp_path / "none"):
        assert not (tmp_path / "none").exists()


async def test_a_daemon_keeps_other_machines_out_while_it_runs() -> None:
    with quick_folder() as folder:
        index = RemoteIndex(folder, folder / "models", 60.0)
        with working(folder, THEIRS):
            with pytest.raises(IndexUnavailable, match="another machine"):
                await index.collections()
            assert not (folder / "owner.lock").exists()  # nobody was started
        leave(folder, THEIRS)
        assert await index.collections() == ()
        assert marked_by(folder) == OURS.start
        for _ in range(5):
            assert await index.collections() == ()
            await index.leave()
            assert not (folder / FILE).exists()  # whoever copies the folder now finds no change
        await index.close()


async def test_a_daemon_whose_folder_another_machine_has_taken_ends() -> None:
    with quick_folder() as folder:
        index = RemoteIndex(folder, folder / "models", 60.0)
        await index.collections()
        pid = daemon_pid(folder)
        assert pid is not None
        mark(folder, THEIRS, over=True)
        async with asyncio.timeout(HANGS_S):
            while daemon_pid(folder) is not None:  # noqa: ASYNC110 - another process
                await asyncio.sleep(0.05)
        assert marked_by(folder) == THEIRS.start
        await index.close()
