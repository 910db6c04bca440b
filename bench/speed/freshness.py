"""How soon an edit is found: seconds from the end of a write until a search has it.

A folder of 2,000 generated Markdown files, indexed with the bundled model and watched. `edits`: a
word that is nowhere else is written into one file, twenty times, and asked for every 20 ms, by word
alone, until it is found in that file. `burst`: 200 files at once, until all are found. `look` is
a search that comes when a look at the folders is due and nothing has changed, `search` the same
search without.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.frame import Options
from bench.product import release, settings_of, temporary_folder
from bench.times import Times, times
from pincite.engine import AsyncPincite
from pincite.settings.sections.refresh import RefreshSettings
from pincite.support.fields import replace

_WORDS = "index query store daemon chunk vector token search folder result score merge".split()
_EVERY_S = 0.02
_PER_FOLDER = 50
_GIVE_UP_S = 120.0


@dataclass(frozen=True, slots=True)
class FreshnessFigures:
    """Times in milliseconds, `burst_s` in seconds."""

    files: int
    edits: Times
    burst_files: int
    burst_s: float
    search: Times
    look: Times


async def run(options: Options) -> FreshnessFigures:
    """Measure."""
    files, edits, burst = (200, 4, 20) if options.quick else (2_000, 20, 200)
    dice = random.Random(16)
    with temporary_folder() as folder:
        docs = folder / "docs"
        places = _write(docs, files, dice)
        settings = settings_of(folder / ".pincite", options.models)
        auto = replace(settings, refresh=RefreshSettings("auto"))
        always = replace(settings, refresh=RefreshSettings("auto", every_s=0.0, watch=False))
        try:
            async with AsyncPincite(settings) as manual:
                await manual.index(docs)
                search = await _searches(manual, 50)
            async with AsyncPincite(always) as looking:
                await looking.refresh()
                look = await _searches(looking, 50)
            async with AsyncPincite(auto) as engine:
                await engine.search("merge")
                while "folders" not in (await engine.freshness()).watching:  # noqa: ASYNC110
                    await asyncio.sleep(0.05)
                seconds = []
                for number in range(edits):
                    place = dice.choice(places)
                    word = f"edited{number}word"
                    _append(place, word)
                    seconds.append(await _found(engine, {word: place.name}))
                    await asyncio.sleep(dice.random() * 2)
                chosen = dice.sample(places, burst)
                words = {f"burst{number}word": one.name for number, one in enumerate(chosen)}
                for place, word in zip(chosen, words, strict=True):
                    _append(place, word)
                burst_s = await _found(engine, words)
        finally:
            async with AsyncPincite(settings) as manual:
                await release(manual.client(), settings.index)
    return FreshnessFigures(
        files=files,
        edits=times([second * 1000 for second in seconds]),
        burst_files=burst,
        burst_s=round(burst_s, 2),
        search=times(search),
        look=times(look),
    )


def _write(docs: Path, files: int, dice: random.Random) -> list[Path]:
    places = []
    for number in range(files):
        place = docs / f"d{number // _PER_FOLDER}" / f"page{number}.md"
        place.parent.mkdir(parents=True, exist_ok=True)
        lines = (" ".join(dice.choices(_WORDS, k=12)) for _ in range(6))
        place.write_text(f"# Page {number}\n\n" + "\n".join(lines) + "\n", encoding="utf-8")
        places.append(place)
    return places


def _append(place: Path, word: str) -> None:
    with place.open("a", encoding="utf-8") as file:
        file.write(f"\nIt says {word} here.\n")


async def _found(engine: AsyncPincite, words: dict[str, str]) -> float:
    """Seconds until a search for each word has its file."""
    started_s = time.perf_counter()
    left = list(words)
    while left:
        pack = await engine.search(left[-1], by="keyword", limit=3)
        names = [Path(one.path).name for one in pack if left[-1] in one.text]
        if words[left[-1]] in names:
            left.pop()
            continue
        if time.perf_counter() - started_s > _GIVE_UP_S:
            raise TimeoutError(f"{left[-1]} was not found within {_GIVE_UP_S:g} s")
        await asyncio.sleep(_EVERY_S)
    return time.perf_counter() - started_s


async def _searches(engine: AsyncPincite, count: int) -> Sequence[float]:
    taken = []
    for _ in range(count):
        started_s = time.perf_counter()
        await engine.search("merge the score of a result", limit=5)
        taken.append((time.perf_counter() - started_s) * 1000)
        await asyncio.sleep(0.1)
    return taken
