"""A run in the background stops for a command that somebody waits for."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pincite.daemon.file_leases import FileLeases
from pincite.engine import AsyncPincite
from pincite.maintenance.giving_way import while_nobody_waits
from pincite.ports import Waiting
from tests.daemon.daemons import script
from tests.daemon.refresh.refreshed import engine_of, paths, run, settles, write

WAITS = """
import asyncio, sys
from pathlib import Path
from pincite.daemon.file_leases import FileLeases
from pincite.ports import Waiting
async def main():
    async with FileLeases(Path(sys.argv[1])).take("main", "indexing /c", Waiting(60.0)):
        print("here", flush=True)
asyncio.run(main())
"""


async def hold(folder: Path, started: asyncio.Event) -> bool:
    async with FileLeases(folder).take("main", "refreshing", Waiting(60.0)):
        started.set()
        return await asyncio.Event().wait()


async def raise_it() -> None:
    raise RuntimeError("the disk")


def test_work_without_a_waiting_writer_is_finished(tmp_path: Path) -> None:
    assert asyncio.run(while_nobody_waits(asyncio.sleep(0.5, "done"), tmp_path, "main"))


def test_errors_of_the_work_are_raised(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="the disk"):
        asyncio.run(while_nobody_waits(raise_it(), tmp_path, "main"))


def test_work_stops_when_another_process_waits(tmp_path: Path) -> None:
    async def check() -> None:
        started = asyncio.Event()
        work = asyncio.create_task(while_nobody_waits(hold(tmp_path, started), tmp_path, "main"))
        await started.wait()
        other = script(WAITS, tmp_path)
        assert not await work
        assert await asyncio.to_thread(other.communicate) == ("here\n", "")

    asyncio.run(check())


def test_work_ends_with_what_has_started_it(tmp_path: Path) -> None:
    async def check() -> None:
        started = asyncio.Event()
        work = asyncio.create_task(while_nobody_waits(hold(tmp_path, started), tmp_path, "main"))
        await started.wait()
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
        assert not FileLeases(tmp_path).is_any_taken()

    asyncio.run(check())


async def begin_long_run(engine: AsyncPincite, folder: Path, many: int) -> None:
    """Let the daemon find so many new files, and return when it has indexed some of them."""
    await engine.index(folder / "docs", lexical=True)
    for number in range(many):
        write(folder, f"docs/more/{number}.md", f"# Page {number}\n\nThe numbat.\n")
    await engine.search("fox")

    async def has_begun() -> bool:
        return len(await paths(engine)) > 3

    await settles(has_begun)


def test_a_source_is_forgotten_while_it_is_being_indexed() -> None:
    many = 1_500

    async def check(folder: Path) -> None:
        async with engine_of(folder, watch=False) as engine:
            await begin_long_run(engine, folder, many)
            assert await engine.forget("main", "docs") < many
            assert not (await engine.refresh()).pending
            assert await paths(engine) == []

    run(check)


def test_a_run_that_gave_way_is_finished_later() -> None:
    many = 1_500

    async def check(folder: Path) -> None:
        async with engine_of(folder, watch=False) as engine:
            await begin_long_run(engine, folder, many)
            async with engine.client().leases.take("main", "importing", Waiting(60.0)):
                assert len(await paths(engine)) < many + 3

            async def is_finished() -> bool:
                return len(await paths(engine)) == many + 3

            await settles(is_finished)

    run(check)
