"""The tool `refresh` does not say that the index is as the files are where a run has failed."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from pincite.engine import AsyncPincite
from pincite.model import CollectionSpec, Source, SourceRecord
from pincite.ports import CollectionInfo
from pincite.support.fields import replace
from pincite.surfaces.mcp.refreshing import _not_indexed
from pincite.surfaces.mcp.tool_types import ToolResult
from pincite.surfaces.mcp.tools import tools
from tests.daemon.refresh.refreshed import engine_of, paths, run, settles, write


async def refreshed(engine: AsyncPincite) -> ToolResult:
    tool = next(one for one in tools(engine) if one.name == "refresh")
    return await tool.run(tool.takes(wait_s=300))


def done(answer: ToolResult) -> object:
    assert answer.structure is not None
    return answer.structure["done"]


def test_settings_that_cannot_be_read_are_named() -> None:
    async def check(folder: Path) -> None:
        async with engine_of(folder, mode="manual") as engine:
            await engine.index(folder / "docs", lexical=True)
            settings = write(folder, "pincite.toml", "[broken\n")
            write(folder, "docs/new.md", "# New\n\nNew.\n")
            answer = await refreshed(engine)
            assert done(answer) is False
            assert answer.text.startswith("The index could not be brought up to date:\nall: ")
            settings.unlink()
            answer = await refreshed(engine)
            assert (done(answer), answer.text) == (True, "The index is as the files are.")
            assert "new.md" in await paths(engine)

    run(check)


@pytest.mark.parametrize("mode", ["auto", "manual"])
def test_a_run_that_was_killed_is_waited_for_again_if_one_follows(mode: str) -> None:
    async def check(folder: Path) -> None:
        async with engine_of(folder, mode=mode, watch=False) as engine:
            await engine.index(folder / "docs", lexical=True)
            for number in range(300):
                write(folder, f"docs/many/{number}.md", f"# {number}\n\nThe fox {number}.\n")
            pid = (await engine.client().hello()).pid

            def children() -> list[int]:
                text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
                return [int(one) for one in text.split()]

            refreshing = asyncio.create_task(refreshed(engine))
            await settles(children)
            for child in children():
                os.kill(child, signal.SIGKILL)
            answer = await refreshing
            whole = len(await paths(engine)) == 303
            assert whole == (mode == "auto")
            assert done(answer) is whole
            assert answer.text.startswith("The index is as" if whole else "The index could not be")

    run(check)


def test_files_that_no_reader_can_read_are_named() -> None:
    lines = tuple(f"failed: a{number}.py (TypeError: no)" for number in range(7))
    record = SourceRecord(Source("acme", "/acme", "folder"), skipped_paths=("binary: x", *lines))
    info = CollectionInfo(CollectionSpec("main", "s", "c"), (record,), 0, 0, 0)
    first, *files, more = _not_indexed([info])
    assert first == "Not indexed, because reading them failed:"
    assert files == [f"acme: a{number}.py (TypeError: no)" for number in range(5)]
    assert more == "and 2 more"
    assert _not_indexed([replace(info, sources=())]) == []
