"""Edits of a folder of which vectors are being made, or were made for long. Its ignore file is so
large that the daemon's own looks at it come to no result."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from pincite.engine import AsyncPincite
from tests.daemon.refresh.refreshed import engine_of, run, settles, write

PAGES, WORDS = 150, 1_200  # 700 kB: several seconds on two cores
SOME = 110  # pages of a run whose end is waited for: vectors of 500 kB are left to it


async def index_much(engine: AsyncPincite, folder: Path, pages: int = PAGES) -> None:
    """Index by words, and return when the daemon has begun to make vectors."""
    dice = random.Random(5)
    words = ["".join(dice.choices("abcdefgiklmnorstu", k=3)) for _ in range(3_000)]
    for number in range(pages):
        text = " ".join(dice.choices(words, k=WORDS))
        write(folder, f"docs/part{number % 7}/{number}.md", f"# Page {number}\n\n{text}\n")
    write(folder, "docs/.gitignore", "x*y\n" * 6_000)
    await engine.index(folder / "docs", background=True)
    chunks = await unembedded(engine)
    assert chunks > pages

    async def has_begun() -> bool:
        return await unembedded(engine) < chunks

    await settles(has_begun)


async def unembedded(engine: AsyncPincite) -> int:
    return sum(info.unembedded for info in await engine.client().collections())


async def holds(engine: AsyncPincite, word: str) -> bool:
    pack = await engine.search(word, by="keyword", limit=3)
    return any(word in one.text for one in pack)


@pytest.mark.slow
def test_an_edit_is_found_by_words_while_vectors_are_made() -> None:
    async def check(folder: Path) -> None:
        async with engine_of(folder) as engine:
            await index_much(engine, folder)
            assert "folder" in (await engine.freshness()).watching
            write(folder, "docs/part3/new.py", "def wombat_of_the_north() -> None: ...\n")
            await settles(lambda: holds(engine, "wombat_of_the_north"))
            assert await unembedded(engine) > 1

            async def is_said_no_more() -> bool:
                pack = await engine.search("wombat_of_the_north", by="keyword")
                return "refreshing" not in [one.code for one in pack.warnings]

            await settles(is_said_no_more)
            assert await unembedded(engine) > 1

    run(check)


@pytest.mark.slow
def test_an_edit_is_found_soon_after_a_run_that_made_many_vectors() -> None:
    async def check(folder: Path) -> None:
        async with engine_of(folder, watch=False) as engine:
            began_s = time.monotonic()
            await index_much(engine, folder, SOME)

            async def has_ended() -> bool:
                return not (await engine.freshness()).indexing

            await settles(has_ended, every_s=0.5)  # each look is one at the ignore file, too
            took_s = time.monotonic() - began_s
            assert await unembedded(engine) == 0
            write(folder, "docs/part3/new.py", "def wombat_of_the_north() -> None: ...\n")
            until_s = time.monotonic() + took_s

            async def is_found_or_late() -> bool:
                return time.monotonic() > until_s or await holds(engine, "wombat_of_the_north")

            await settles(is_found_or_late)
            assert await holds(engine, "wombat_of_the_north")

    run(check)
