"""What stops a refresh is said, and the refresh goes on once it is gone: nobody has to ask."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pincite.daemon.refresh.freshness import RunRequest, SourceReport
from pincite.engine import AsyncPincite
from pincite.maintenance.refresh import refresh
from pincite.ports import Waiting
from pincite.support.fields import replace
from tests.daemon.refresh.refreshed import (
    contents,
    engine_of,
    kill_a_refresh,
    paths,
    run,
    settles,
    write,
)
from tests.disks import fill, limited, small_disk
from tests.environment import clean_environment
from tests.time_limits import HANGS_S


async def warnings(engine: AsyncPincite, text: str = "fox") -> list[str]:
    pack = await engine.search(text)
    return [one.message for one in pack.warnings if one.code == "not_refreshed"]


def test_a_killed_run_is_made_again_without_a_search_or_an_event() -> None:
    async def check(folder: Path) -> None:
        async with engine_of(folder, watch=False) as engine:
            await kill_a_refresh(engine, folder)

            async def whole() -> bool:
                return len(await paths(engine)) == 303

            await settles(whole)

    run(check)


def test_a_full_disk_is_said_and_its_file_is_indexed_when_there_is_room(tmp_path: Path) -> None:
    async def check(folder: Path) -> None:
        page = write(folder, "docs/a.md", "# A\n\nThe fox.\n")
        async with engine_of(folder) as engine:
            await engine.index(folder / "docs", lexical=True)
            before = await contents(engine)
            assert await warnings(engine) == []
            fill(folder, 1024 * 1024)
            page.write_text("# A\n\nThe fox and the wombat.\n")

            async def said() -> bool:
                return any("1 MB are free at" in one for one in await warnings(engine))

            await settles(said)
            (folder / "filler").unlink()

            async def indexed() -> bool:
                return await contents(engine) != before

            await settles(indexed)
            assert await warnings(engine) == []

    with small_disk(tmp_path, 320) as disk:
        asyncio.run(check(disk))


def test_a_daemon_that_was_started_on_a_full_disk_writes_again_when_there_is_room(
    tmp_path: Path,
) -> None:
    async def check(folder: Path) -> None:
        page = write(folder, "docs/a.md", "# A\n\nThe fox.\n")
        async with engine_of(folder) as engine:
            await engine.index(folder / "docs", lexical=True)
            before = await contents(engine)
            await engine.stop()
            fill(folder, 1024 * 1024)
            (said,) = await warnings(engine)
            assert said.startswith("the index is not kept up to date: the disk is full: ")
            page.write_text("# A\n\nThe fox and the wombat.\n")
            (folder / "filler").unlink()

            async def found() -> bool:
                return await warnings(engine) == [] and await contents(engine) != before

            await settles(found)
            assert (await engine.client().hello()).only_read == ""

    with small_disk(tmp_path, 320) as disk:
        asyncio.run(check(disk))


def test_only_what_was_indexed_is_a_change() -> None:
    async def check(folder: Path) -> None:
        async with engine_of(folder, watch=False) as engine:
            await engine.index(folder / "docs", lexical=True)
            write(folder, "docs/data.unknown", "no reader reads it")
            write(folder, "docs/new.md", "# New\n\nThe wombat.\n")
            changes = (await engine.refresh()).changes
            assert [(one.what, one.path) for one in changes] == [("new", "new.md")]
            (folder / "docs").rename(folder / "away")
            (folder / "docs").mkdir()  # as if the disk had been unmounted
            found = await engine.refresh()
            (trouble,) = found.troubles
            assert trouble.message.endswith("(try: to remove its documents: pincite index)")
            assert "\n" not in trouble.message
            assert found.changes == changes
            assert len(await warnings(engine)) == 1

    run(check)


def test_lost_documents_of_a_source_that_is_away_are_not_tried_again_and_again() -> None:
    async def check(folder: Path) -> None:
        async with engine_of(folder, mode="manual") as engine:
            await engine.index(folder / "docs", lexical=True)
            await engine.stop()
            shutil.rmtree(folder / ".pincite/collections/main")
            (folder / "docs").rename(folder / "away")
            told: list[SourceReport] = []
            await refresh(
                engine.settings, engine.client(), told.append, RunRequest(), asyncio.Event()
            )
            assert (await engine.client().collections())[0].lost == 3
            assert [(one.state, one.lasting) for one in told] == [("gone", True)]
            (folder / "away").rename(folder / "docs")
            await refresh(
                engine.settings, engine.client(), told.append, RunRequest(), asyncio.Event()
            )
            assert await paths(engine) == ["p0.md", "p1.md", "p2.md"]

    run(check)


def test_an_unfinished_folder_is_told_of_where_nothing_finishes_it_by_itself() -> None:
    async def check(folder: Path) -> None:
        write(folder, "docs/a.md", "# A\n\nThe fox.\n")
        async with engine_of(folder, mode="manual") as engine:
            await engine.index(folder / "docs", lexical=True)
            assert "unfinished" not in await codes(engine)
            client = engine.client()
            (record,) = await client.sources("main")
            await client.put_source("main", replace(record, complete=False))
            engine.reopen()
            assert "unfinished" in await codes(engine)
            async with client.leases.take("main", "a test", Waiting(0)):
                assert "unfinished" not in await codes(engine)  # it may be on its way
            await engine.index()
            assert "unfinished" not in await codes(engine)

    run(check)


def test_files_are_counted_again_while_a_run_waits_for_another_writer() -> None:
    async def check(folder: Path) -> None:
        write(folder, "docs/a.md", "# A\n\nThe fox.\n")
        async with engine_of(folder, watch=False) as engine:
            await engine.index(folder / "docs", lexical=True)
            async with engine.client().leases.take("main", "a test", Waiting(0)):
                page = write(folder, "docs/b.md", "# B\n\nThe wombat.\n")

                async def pending() -> bool:
                    return "refreshing" in await codes(engine)

                async def counted() -> bool:
                    return "refreshing" not in await codes(engine)

                await settles(pending)
                page.unlink()  # as if the other writer had indexed it
                await settles(counted)

    run(check)


@pytest.mark.parametrize("what", ["file", "folder"])
def test_what_cannot_be_read_for_a_while_stays_and_comes_back(what: str) -> None:
    async def check(folder: Path) -> None:
        client = [sys.executable, "-m", "tests.maintenance.unreadable_client", what, str(folder)]
        done = await asyncio.to_thread(
            subprocess.run,
            [*limited(), *client],
            env=clean_environment(),
            capture_output=True,
            text=True,
            timeout=2 * HANGS_S,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")

    run(check)


async def codes(engine: AsyncPincite) -> set[str]:
    return {one.code for one in (await engine.search("fox")).warnings}
