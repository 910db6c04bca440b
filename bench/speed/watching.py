"""1,000 random edits of a watched folder: how long an index was untrue, and what is there at last.

A folder of 300 notes, indexed by word and kept up to date by file events. Edits come at random, up
to 40 at a time with pauses of up to 30 ms, those of `edits.py`: new, changed, saved by rename,
removed, moved, whole folders moved, ignore files changed, moved into and out of ignored folders,
written again with the same size. Searches come meanwhile.

- untrue: after each volley, from its last edit until the index has exactly the files that it is to
  have, each with its text, looked at every 20 ms. One that takes more than the longest wait is
  a failure.
- kills: so often the daemon, which watches, was killed in the middle of a volley, and edits went on
  while nobody watched; the next search starts another one. Those volleys are told apart.
- equal: the index at last against a clean build: paths, texts and places of all chunks.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.frame import Options
from bench.product import release, settings_of, temporary_folder
from bench.speed.edits import begin, indexed, step
from bench.times import Times, times
from pincite.engine import AsyncPincite
from pincite.errors import PinciteError
from pincite.readers import content_hash_of
from pincite.settings.sections.refresh import RefreshSettings
from pincite.support.fields import replace

_LONGEST_S: Final = 120.0
_LOOK_S: Final = 0.02
_MOST_AT_ONCE: Final = 40
_PAUSE_S: Final = 0.03


@dataclass(frozen=True, slots=True)
class WatchingFigures:
    """`untrue` and `after_kill` are milliseconds of volleys; `within_2_s` is the share of those
    without a kill that took at most two seconds."""

    edits: int
    volleys: int
    kills: int
    untrue: Times
    within_2_s: float
    after_kill: Times
    chunks: int
    equal: bool


async def run(options: Options) -> WatchingFigures:
    """Measure."""
    edits, files, kills = (80, 40, 1) if options.quick else (1_000, 300, 5)
    dice = random.Random(20)
    untrue: list[float] = []
    after_kill: list[float] = []
    with temporary_folder() as folder:
        docs = folder / "docs"
        begin(docs, files)
        settings = settings_of(folder / ".pincite", options.models)
        auto = replace(settings, refresh=RefreshSettings("auto"))
        try:
            async with AsyncPincite(auto) as engine:
                await engine.index(docs, lexical=True)
                await watched(engine)
                done = 0
                killing = set(range(2, 2 + 3 * kills, 3))
                volley = 0
                while done < edits:
                    count = min(dice.randint(1, _MOST_AT_ONCE), edits - done)
                    await _volley(engine, docs, dice, done, count, kill=volley in killing)
                    took_ms = 1000 * await settled(engine, docs)
                    (after_kill if volley in killing else untrue).append(took_ms)
                    done, volley = done + count, volley + 1
                held = await chunks_of(engine)
                clean = replace(settings, index=folder / "clean")
                async with AsyncPincite(clean) as other:
                    await other.index(docs, lexical=True)
                    wanted = await chunks_of(other)
                    await release(other.client(), clean.index)
        finally:
            async with AsyncPincite(settings) as manual:
                await release(manual.client(), settings.index)
    quick = sum(one <= 2_000 for one in untrue) / max(1, len(untrue))
    return WatchingFigures(
        edits=edits,
        volleys=volley,
        kills=len(after_kill),
        untrue=times(untrue),
        within_2_s=round(quick, 3),
        after_kill=times(after_kill),
        chunks=len(held),
        equal=held == wanted,
    )


async def watched(engine: AsyncPincite) -> None:
    """Return when file events are heard."""
    await engine.search("fox", by="keyword", limit=1)
    while "folder" not in (await engine.freshness()).watching:  # noqa: ASYNC110
        await asyncio.sleep(_LOOK_S)


async def _volley(
    engine: AsyncPincite, docs: Path, dice: random.Random, first: int, count: int, *, kill: bool
) -> None:
    pid = (await engine.client().hello()).pid if kill else 0
    for number in range(first, first + count):
        step(docs, dice, number)
        if pid and number == first + count // 2:
            os.kill(pid, signal.SIGKILL)
        elif dice.random() < 0.1 and not kill:
            await engine.search("fox", by="keyword", limit=1)
        await asyncio.sleep(dice.random() * _PAUSE_S)
    if pid:
        await _asked_again(engine)


async def _asked_again(engine: AsyncPincite) -> None:
    """The next search, which may still meet the daemon that died."""
    for _ in range(3):
        try:
            await engine.search("fox", by="keyword", limit=1)
        except PinciteError:
            continue
        return


async def settled(engine: AsyncPincite, docs: Path) -> float:
    """Seconds until the index has what the folder has, each file with its text."""
    wanted = {path: content_hash_of(text.encode()) for path, text in indexed(docs).items()}
    started_s = time.perf_counter()
    while True:
        held = {one.path: one.content_hash for one in await engine.client().documents("main")}
        if held == wanted:
            return time.perf_counter() - started_s
        if time.perf_counter() - started_s > _LONGEST_S:
            odd = sorted(set(held.items()) ^ set(wanted.items()))
            raise TimeoutError(f"not true after {_LONGEST_S:g} s: {odd[:4]}")
        await asyncio.sleep(_LOOK_S)


async def chunks_of(engine: AsyncPincite) -> set[tuple[str, int, int, str]]:
    """All that can be found: path, first and last line, text."""
    found: set[tuple[str, int, int, str]] = set()
    after: str | None = None
    while page := await engine.client().page("main", after, 500):
        found |= {(one.path, one.start_line, one.end_line, one.text) for one in page}
        after = page[-1].id
    return found
