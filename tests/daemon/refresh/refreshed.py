"""An engine that keeps an index up to date, and files that change."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from pincite.engine import AsyncPincite
from pincite.settings.load import load_settings
from pincite.settings.sections.refresh import RefreshSettings
from pincite.support.fields import replace
from tests.quick_folder import quick_folder
from tests.time_limits import HANGS_S


@asynccontextmanager
async def engine_of(folder: Path, **refresh: object) -> AsyncIterator[AsyncPincite]:
    """An engine that keeps `folder/.pincite` up to date; its daemon ends with the block."""
    values = {"mode": "auto", "every_s": 0.0, **refresh}
    settings = load_settings({"PINCITE_IDLE_S": "60", "PINCITE_OFFLINE": "1"}, folder)
    settings = replace(settings, refresh=RefreshSettings(**values))  # type: ignore[arg-type]
    async with AsyncPincite(settings) as engine:
        try:
            yield engine
        finally:
            await engine.stop()


async def paths(engine: AsyncPincite) -> list[str]:
    return sorted(one.path for one in await engine.client().documents("main"))


async def contents(engine: AsyncPincite) -> dict[str, str]:
    return {one.path: one.content_hash for one in await engine.client().documents("main")}


async def settles(is_so: Callable[[], object], every_s: float = 0.05) -> None:
    """Return when this is true; a test that hangs here has failed."""
    until_s = time.monotonic() + HANGS_S
    while True:
        found = is_so()
        if await found if asyncio.iscoroutine(found) else found:
            return
        assert time.monotonic() < until_s
        await asyncio.sleep(every_s)


def write(folder: Path, path: str, text: str) -> Path:
    place = folder / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")
    return place


def run(check: Callable[[Path], object]) -> None:
    with quick_folder() as folder:
        (folder / "docs").mkdir()
        for number in range(3):
            write(folder, f"docs/p{number}.md", f"# Page {number}\n\nThe fox number {number}.\n")
        asyncio.run(check(folder))  # type: ignore[arg-type]


async def kill_a_refresh(engine: AsyncPincite, folder: Path) -> None:
    """Add 300 files to the indexed folder `docs`, and kill the processes that index them."""
    await engine.index(folder / "docs", lexical=True)
    for number in range(300):
        write(folder, f"docs/many/{number}.md", f"# {number}\n\nThe fox {number}.\n")
    await engine.refresh(wait=False)
    pid = (await engine.client().hello()).pid

    def children() -> list[int]:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
        return [int(one) for one in text.split()]

    await settles(children)
    for child in children():
        os.kill(child, signal.SIGKILL)


def git(folder: Path, *words: str) -> None:
    names = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    subprocess.run(["git", "-C", str(folder), *names, *words], check=True, capture_output=True)
