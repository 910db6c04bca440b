"""Who writes to a collection, and who waits: one at a time, in the order of arrival."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from pincite.daemon.file_leases import FileLeases
from pincite.errors import IndexUnavailable, UsageError
from pincite.model import Notice
from pincite.ports import Waiting
from tests.daemon.daemons import run, script

HOLDER = """
import asyncio, sys
from pathlib import Path
from pincite.daemon.file_leases import FileLeases
from pincite.ports import Waiting
async def main():
    def on_notice(notice):
        print(notice.message, flush=True)
    async with FileLeases(Path(sys.argv[1])).take("main", sys.argv[2], Waiting(60.0, on_notice)):
        print("here", flush=True)
        await asyncio.to_thread(sys.stdin.readline)
        Path(sys.argv[1], "done").touch()
asyncio.run(main())
"""


def waiting_tickets(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if "waiting" in path.name]


async def queue_of(folder: Path, length: int) -> None:
    """Return when so many wait, or hold the lock and are about to leave the queue."""
    while len(waiting_tickets(folder)) < length:  # noqa: ASYNC110 - files, of other tasks
        await asyncio.sleep(0.01)


def test_who_waits_learns_for_whom_and_goes_on_when_it_has_ended() -> None:
    async def check(folder: Path) -> None:
        other = script(HOLDER, folder, "indexing /a/b")
        assert other.stdout is not None
        assert await asyncio.to_thread(other.stdout.readline) == "here\n"
        heard: asyncio.Queue[Notice] = asyncio.Queue()

        async def write() -> None:
            async with FileLeases(folder).take(
                "main", "indexing /c", Waiting(600.0, heard.put_nowait)
            ):
                assert (folder / "done").exists()  # before it let go

        writing = asyncio.create_task(write())
        notice = await heard.get()
        assert notice.code == "waiting"
        assert f"process {other.pid} is indexing /a/b, since 20" in notice.message
        assert "at most 600 s" in notice.message
        await asyncio.to_thread(other.communicate, "\n")
        await writing
        assert heard.empty()  # once is enough
        assert waiting_tickets(folder) == []

    run(check)


@pytest.mark.parametrize("limit_s", [0.0, 0.3])
def test_when_the_wait_is_over_it_says_who_has_the_lock(limit_s: float) -> None:
    async def check(folder: Path) -> None:
        async with FileLeases(folder).take("main", "dropping 'main'", Waiting(600.0)):
            with pytest.raises(IndexUnavailable) as caught:
                async with FileLeases(folder).take("main", "indexing /c", Waiting(limit_s)):
                    raise AssertionError("two at once")
            assert f"process {os.getpid()} is dropping 'main', since" in caught.value.message
            assert "--wait" in caught.value.hint
            assert waiting_tickets(folder) == []

    run(check)


def test_a_lock_whose_holder_has_not_spoken_yet_is_no_process_without_a_number() -> None:
    import fcntl

    async def check(folder: Path) -> None:
        with (folder / "writing-main.lock").open("w") as silent:
            fcntl.flock(silent, fcntl.LOCK_EX)
            with pytest.raises(IndexUnavailable) as caught:
                async with FileLeases(folder).take("main", "indexing /c", Waiting(0.0)):
                    raise AssertionError("two at once")
            assert "?" not in caught.value.message
            assert "another process is writing to collection 'main'" in caught.value.message

    run(check)


def test_they_come_in_the_order_in_which_they_have_asked() -> None:
    async def check(folder: Path) -> None:
        order: list[int] = []

        async def write(number: int) -> None:
            async with FileLeases(folder).take("main", f"writing {number}", Waiting(600.0)):
                order.append(number)

        async with FileLeases(folder).take("main", "holding", Waiting(600.0)):
            tasks = []
            for number in range(6):
                tasks.append(asyncio.create_task(write(number)))
                await queue_of(folder, number + 1)
        await asyncio.gather(*tasks)
        assert order == list(range(6))

    run(check)


def test_nobody_waits_for_the_ticket_or_the_lock_of_a_process_that_was_killed() -> None:
    async def check(folder: Path) -> None:
        holding = script(HOLDER, folder, "holding")
        assert holding.stdout is not None
        assert await asyncio.to_thread(holding.stdout.readline) == "here\n"
        second = script(HOLDER, folder, "second")
        assert second.stdout is not None
        assert "is holding" in await asyncio.to_thread(second.stdout.readline)
        for process in (second, holding):
            process.kill()
            process.communicate()
        assert len(waiting_tickets(folder)) == 1
        async with FileLeases(folder).take("main", "third", Waiting(0.0)):
            assert waiting_tickets(folder) == []

    run(check)


def test_an_interrupt_while_waiting_leaves_nothing() -> None:
    async def check(folder: Path) -> None:
        async with FileLeases(folder).take("main", "holding", Waiting(600.0)):
            waits = script(HOLDER, folder, "second")
            assert waits.stdout is not None
            assert "is holding" in await asyncio.to_thread(waits.stdout.readline)
            assert len(waiting_tickets(folder)) == 1
            waits.send_signal(signal.SIGINT)
            await asyncio.to_thread(waits.communicate)
            assert waiting_tickets(folder) == []

    run(check)


def test_other_collections_do_not_wait() -> None:
    async def check(folder: Path) -> None:
        async with (
            FileLeases(folder).take("main", "one", Waiting(600.0)),
            FileLeases(folder).take("main-2", "two", Waiting(0.0)),
        ):
            pass
        with pytest.raises(UsageError, match="cannot name a collection"):
            async with FileLeases(folder).take("../main", "three", Waiting(600.0)):
                raise AssertionError("outside")

    run(check)
