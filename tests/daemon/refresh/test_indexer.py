"""The process that indexes for the daemon: kept between runs, replaced where it has died."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

from pincite.daemon.refresh.freshness import RunRequest, Wish
from pincite.daemon.refresh.indexer import Indexer
from pincite.engine import AsyncPincite
from tests.daemon.refresh.refreshed import engine_of, paths, run, settles, write
from tests.environment import clean_environment
from tests.time_limits import HANGS_S


def children_of(pid: int) -> list[int]:
    """Those that index; the daemon starts others, such as what optimises."""
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    program = b"pincite.maintenance.refresh"
    return [int(one) for one in text.split() if program in _command(int(one))]


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:  # it has ended
        return b""


async def pid_of(engine: AsyncPincite) -> int:
    return (await engine.client().hello()).pid


def test_one_process_does_one_run_after_the_other() -> None:
    async def check(folder: Path) -> None:
        async with engine_of(folder, watch=False) as engine:
            await engine.index(folder / "docs", lexical=True)
            daemon = await pid_of(engine)
            seen = []
            for number in range(3):
                write(folder, f"docs/more{number}.md", f"# More\n\nThe numbat {number}.\n")
                assert (await engine.refresh()).troubles == ()
                assert f"more{number}.md" in await paths(engine)
                seen += children_of(daemon)
            assert len(seen) == 3
            assert len(set(seen)) == 1

    run(check)


def test_one_that_died_while_it_waited_is_replaced_without_a_word() -> None:
    async def check(folder: Path) -> None:
        async with engine_of(folder, watch=False) as engine:
            await engine.index(folder / "docs", lexical=True)
            assert (await engine.refresh()).troubles == ()
            daemon = await pid_of(engine)
            (before,) = children_of(daemon)
            os.kill(before, signal.SIGKILL)

            async def gone() -> bool:
                return before not in children_of(daemon)

            await settles(gone)
            write(folder, "docs/late.md", "# Late\n\nThe quokka.\n")
            assert (await engine.refresh()).troubles == ()
            assert "late.md" in await paths(engine)

    run(check)


def test_each_run_reads_the_settings_again() -> None:
    async def check(folder: Path) -> None:
        async with engine_of(folder, watch=False) as engine:
            await engine.index(folder / "docs", lexical=True)
            assert (await engine.refresh()).troubles == ()
            write(folder, "pincite.toml", "[search\n")
            (trouble,) = (await engine.refresh()).troubles
            assert "pincite.toml" in trouble.message
            (folder / "pincite.toml").unlink()
            assert (await engine.refresh()).troubles == ()

    run(check)


def test_a_settings_file_that_was_found_and_is_gone_means_the_defaults() -> None:
    async def check(folder: Path) -> None:
        write(folder, "pincite.toml", "[select]\nresults = 5\n")
        async with engine_of(folder, watch=False) as engine:
            assert engine.settings.config == folder / "pincite.toml"
            await engine.index(folder / "docs", lexical=True)
            assert (await engine.refresh()).troubles == ()
            (folder / "pincite.toml").unlink()
            write(folder, "docs/late.md", "# Late\n\nThe quokka.\n")
            assert (await engine.refresh()).troubles == ()
            assert "late.md" in await paths(engine)

    run(check)


def test_it_ends_when_the_daemon_hangs_up_also_before_it_was_asked_for_anything() -> None:
    command = [sys.executable, "-P", "-m", "pincite.maintenance.refresh", "/nowhere"]
    environ = clean_environment()
    ended = subprocess.run(
        command, input=b"", env=environ, capture_output=True, timeout=HANGS_S, check=False
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"", b"")
    asked = subprocess.run(
        command, input=b"{}\n", env=environ, capture_output=True, timeout=HANGS_S, check=False
    )
    assert asked.returncode == 0


def test_it_ends_when_nothing_runs_and_never_while_something_does(tmp_path: Path) -> None:
    (tmp_path / "pincite.toml").write_text("[search\n")  # which it says, and does no more

    async def left() -> bool:
        return not children_of(os.getpid())

    async def check() -> None:
        root, wish = tmp_path / ".pincite", Wish(auto=False)
        indexer = Indexer(root, clean_environment(), stays_s=0.05)  # its imports take longer
        for _ in range(2):
            told = [one.trouble async for one in indexer.run(RunRequest(), wish)]
            assert len(told) == 1
            assert "pincite.toml" in told[0]
            await settles(left)

        async def replace() -> None:
            await indexer.start(Wish(auto=False, models="/elsewhere"))

        run = indexer.run(RunRequest(), wish)
        (found, _) = await asyncio.gather(anext(run), replace())
        assert "pincite.toml" in found.trouble
        assert [one async for one in run] == []
        await settles(left)
        for _ in range(2):  # of two events, of which no run came
            await indexer.start(wish)
        await settles(left)
        await indexer.close()

    asyncio.run(check())


async def watched(engine: AsyncPincite) -> None:
    async def heard() -> bool:
        return "folder" in (await engine.freshness()).watching

    await engine.search("fox")
    await settles(heard)
    await engine.refresh()


async def holds(engine: AsyncPincite, word: str) -> bool:
    pack = await engine.search(word, by="keyword", limit=3)
    return any(word in one.text for one in pack)


def test_a_page_is_indexed_again_when_a_file_changes_that_it_shows() -> None:
    async def check(folder: Path) -> None:
        write(folder, "docs/shown.py", "echidna = 1\n")
        write(folder, "docs/page.md", '# Page\n\n```py\n--8<-- "shown.py"\n```\n')
        async with engine_of(folder) as engine:
            await engine.index(folder / "docs", lexical=True)
            await watched(engine)

            async def shows() -> bool:
                pack = await engine.search("bandicoot", by="keyword")
                return {"page.md", "shown.py"} <= {one.path for one in pack}

            write(folder, "docs/shown.py", "bandicoot = 2\n")
            await settles(shows)

    run(check)


def test_a_folder_that_is_made_again_under_its_name_is_heard() -> None:
    async def check(folder: Path) -> None:
        write(folder, "docs/sub/deep/a.md", "# A\n\nAlpaca.\n")
        async with engine_of(folder) as engine:
            await engine.index(folder / "docs", lexical=True)
            await watched(engine)
            (folder / "docs/sub").rename(folder / "away")
            write(folder, "docs/sub/deep/b.md", "# B\n\nBadger here.\n")
            await settles(lambda: holds(engine, "Badger"))
            write(folder, "docs/sub/deep/c.md", "# C\n\nCapybara here.\n")
            await settles(lambda: holds(engine, "Capybara"))
            (folder / "docs/sub").rename(folder / "docs/moved")
            write(folder, "docs/moved/deep/d.md", "# D\n\nDugong here.\n")
            await settles(lambda: holds(engine, "Dugong"))
            write(folder, "docs/moved/deep/e.md", "# E\n\nEland here.\n")
            await settles(lambda: holds(engine, "Eland"))
            have = [one for one in await paths(engine) if "/" in one]
            assert have == [f"moved/deep/{one}.md" for one in "bcde"]

    run(check)


def test_what_an_ignore_file_says_holds_for_all_of_the_folder() -> None:
    async def check(folder: Path) -> None:
        write(folder, "docs/sub/a.md", "# A\n\nAlpaca.\n")
        async with engine_of(folder) as engine:
            await engine.index(folder / "docs", lexical=True)
            await watched(engine)
            write(folder, "docs/.gitignore", "sub/\n")

            async def right() -> bool:
                return await paths(engine) == ["p0.md", "p1.md", "p2.md"]

            await settles(right)

    run(check)
