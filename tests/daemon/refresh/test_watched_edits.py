"""Random edits of a watched folder, with a watcher that is killed: nothing is lost. The bench
`watching` does the same with a thousand edits, and says how long searches were untrue."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from bench.speed.edits import IGNORED, begin, indexed, step
from bench.speed.watching import chunks_of

from pincite.engine import AsyncPincite
from pincite.errors import PinciteError
from pincite.readers import content_hash_of
from pincite.settings.load import load_settings
from pincite.settings.sections.refresh import RefreshSettings
from pincite.support.fields import replace
from tests.environment import clean_environment
from tests.quick_folder import quick_folder
from tests.time_limits import HANGS_S


@asynccontextmanager
async def engine_of(folder: Path, mode: str = "auto") -> AsyncIterator[AsyncPincite]:
    settings = load_settings({"PINCITE_IDLE_S": "60", "PINCITE_OFFLINE": "1"}, folder)
    refresh = RefreshSettings(mode)  # type: ignore[arg-type]
    async with AsyncPincite(replace(settings, refresh=refresh)) as engine:
        try:
            yield engine
        finally:
            await engine.stop()


async def becomes_true(engine: AsyncPincite, docs: Path) -> None:
    """Return when the index has what the folder has; a test that hangs here has failed."""
    wanted = {path: content_hash_of(text.encode()) for path, text in indexed(docs).items()}
    until_s = time.monotonic() + HANGS_S
    while True:
        try:
            known = await engine.client().documents("main")
        except PinciteError:  # of a daemon that was killed
            known = ()
        if {one.path: one.content_hash for one in known} == wanted:
            return
        assert time.monotonic() < until_s
        await asyncio.sleep(0.05)


def watching(folder: Path) -> subprocess.Popen[str]:
    """`pincite watch`, when it hears file events."""
    environ = {**clean_environment(), "PINCITE_INDEX": str(folder / ".pincite")}
    command = [sys.executable, "-m", "pincite.surfaces.cli.app", "watch"]
    process = subprocess.Popen(
        command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    while "file events" not in process.stderr.readline():
        assert process.poll() is None
    return process


@pytest.mark.slow
def test_after_random_edits_and_a_killed_watcher_it_equals_a_clean_build() -> None:
    async def check(folder: Path) -> None:
        docs, dice = folder / "docs", random.Random(20)
        begin(docs, 24)
        async with engine_of(folder, "manual") as engine:
            await engine.index(docs, lexical=True)
            watcher = watching(folder)
            try:
                for number in range(30):
                    step(docs, dice, number)
                await becomes_true(engine, docs)
                for number in range(30, 60):
                    step(docs, dice, number)
                    if number == 40:  # the daemon hears the events, the command asks it to
                        os.kill((await engine.client().hello()).pid, signal.SIGKILL)
                        watcher.kill()
                watcher.communicate(timeout=HANGS_S)
                watcher = watching(folder)
                await becomes_true(engine, docs)
                shown = next(iter(indexed(docs)))
                (docs / IGNORED).mkdir(exist_ok=True)
                (docs / shown).rename(docs / IGNORED / "hidden.md")
                await becomes_true(engine, docs)
                (docs / IGNORED / "hidden.md").rename(docs / "seen.md")
                await becomes_true(engine, docs)
            finally:
                watcher.kill()
                watcher.communicate(timeout=HANGS_S)
            held = await chunks_of(engine)
            other = folder / "clean"
            other.mkdir()
            async with engine_of(other, "manual") as clean:
                await clean.index(docs, lexical=True)
                assert len(held) > 3
                assert held == await chunks_of(clean)

    with quick_folder() as folder:
        asyncio.run(check(folder))
