"""Sources that are folders of a checkout: what events name is looked at, nothing else is lost."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from pincite.daemon.refresh.events import parts_of
from pincite.daemon.refresh.freshness import RunRequest, SourceReport
from pincite.engine import AsyncPincite
from pincite.maintenance.refresh import refresh
from tests.daemon.refresh.refreshed import contents, engine_of, git, run, write


async def refreshed(engine: AsyncPincite, *places: Path) -> tuple[str, ...]:
    """Have what events name brought up to date, as the daemon does. The paths that were asked."""
    (info,) = await engine.client().collections()
    (record,) = info.sources
    asked = parts_of({str(one) for one in places}, record)
    assert asked is not None
    told: list[SourceReport] = []
    paths = {info.spec.public_name: {record.source.name: asked}}
    await refresh(
        engine.settings, engine.client(), told.append, RunRequest(paths=paths), asyncio.Event()
    )
    assert [one.trouble for one in told if one.trouble] == []
    assert told[-1].written
    return asked


@pytest.mark.parametrize("ignored", [False, True])
def test_an_event_of_the_folder_itself_costs_no_document(ignored: bool) -> None:
    async def check(folder: Path) -> None:
        git(folder, "init", "--quiet")
        write(folder, "docs/deep/a.md", "# A\n\nAlpaca.\n")
        if ignored:  # who names the folder wants it all the same
            write(folder, ".gitignore", "docs\n")
        async with engine_of(folder, mode="manual") as engine:
            await engine.index(folder / "docs", lexical=True)
            before = await contents(engine)
            assert len(before) == 4
            page = write(folder, "docs/p1.md", "# Page 1\n\nA wombat.\n")
            assert await refreshed(engine, folder / "docs", page) == ("docs", "docs/p1.md")
            after = await contents(engine)
            assert {path for path in before if before[path] != after.get(path)} == {"docs/p1.md"}
            page = write(folder, "docs/deep/a.md", "# A\n\nA badger.\n")
            assert await refreshed(engine, page) == ("docs/deep/a.md",)
            assert after.keys() == (await contents(engine)).keys()
            page.unlink()
            await refreshed(engine, folder / "docs", page)
            assert (await contents(engine)).keys() == after.keys() - {"docs/deep/a.md"}

    run(check)


def test_of_two_folders_of_a_source_each_keeps_its_documents() -> None:
    async def check(folder: Path) -> None:
        git(folder, "init", "--quiet")
        write(folder, "guide/a.md", "# A\n\nAlpaca.\n")
        write(folder, "guide/b.md", "# B\n\nBadger.\n")
        async with engine_of(folder, mode="manual") as engine:
            for name in ("docs", "guide"):
                await engine.index(folder / name, lexical=True)
            before = await contents(engine)
            assert len(before) == 5
            page = write(folder, "guide/a.md", "# A\n\nAardvark.\n")
            await refreshed(engine, folder / "docs", folder / "guide", page)
            after = await contents(engine)
            assert {path for path in before if before[path] != after.get(path)} == {"guide/a.md"}
            (folder / "docs/p0.md").unlink()
            await refreshed(engine, folder / "docs", folder / "docs/p0.md")
            assert (await contents(engine)).keys() == before.keys() - {"docs/p0.md"}

    run(check)


def test_a_file_that_cannot_be_indexed_is_named_until_it_can_be() -> None:
    async def check(folder: Path) -> None:
        async with engine_of(folder, mode="manual") as engine:
            await engine.index(folder / "docs", lexical=True)

            async def left_out() -> tuple[dict[str, int], tuple[str, ...]]:
                (info,) = await engine.client().collections()
                (record,) = info.sources
                return dict(record.skipped), record.skipped_paths

            page = write(folder, "docs/p1.md", "\0\1\2" * 200)
            await refreshed(engine, page)
            counted, listed = await left_out()
            assert counted == {"binary": 1}
            assert [one.partition(" (")[0] for one in listed] == ["binary: p1.md"]
            await refreshed(engine, page)
            assert await left_out() == (counted, listed)
            page.write_text("# Page 1\n\nA wombat.\n")
            await refreshed(engine, page)
            assert await left_out() == ({}, ())
            assert "p1.md" in await contents(engine)

    run(check)


def test_the_run_of_another_part_leaves_the_named_files_of_this_one() -> None:
    async def check(folder: Path) -> None:
        git(folder, "init", "--quiet")
        write(folder, "guide/a.md", "# A\n\nAlpaca.\n")
        async with engine_of(folder, mode="manual") as engine:
            for name in ("docs", "guide"):
                await engine.index(folder / name, lexical=True)
            broken = [write(folder, f"docs/p{n}.md", "\0\1\2" * 200) for n in (0, 1)]
            page = write(folder, "guide/a.md", "# A\n\nAardvark.\n")
            await refreshed(engine, *broken, page)
            (info,) = await engine.client().collections()
            (record,) = info.sources
            assert record.skipped == {"binary": 2}
            assert len(record.skipped_paths) == 2

    run(check)
