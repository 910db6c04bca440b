"""The index keeps itself up to date: real files, a real daemon, a real process that indexes."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from pincite.engine import AsyncPincite
from pincite.settings.load import load_settings
from pincite.settings.sections.refresh import RefreshSettings
from tests.daemon.refresh.refreshed import (
    contents,
    engine_of,
    git,
    kill_a_refresh,
    paths,
    run,
    settles,
    write,
)
from tests.environment import clean_environment
from tests.quick_folder import quick_folder
from tests.time_limits import HANGS_S


async def watched(engine: AsyncPincite) -> bool:
    """Whether the events of its folder are received."""
    return "folder" in (await engine.freshness()).watching


async def up_to_date(engine: AsyncPincite) -> bool:
    """Whether nothing waits to be indexed."""
    return not (await engine.freshness()).pending


def test_a_search_names_what_is_being_indexed_and_the_next_one_finds_it() -> None:
    async def check(folder: Path) -> None:
        async with engine_of(folder, watch=False) as engine:
            await engine.index(folder / "docs", lexical=True)
            write(folder, "docs/p1.md", "# Page 1\n\nThe wombat of the north.\n")
            first = await engine.search("wombat north")
            told = [one.message for one in first.warnings if one.code == "refreshing"]
            # a search does not wait for a look that takes longer
            assert told in ([], ["1 file of docs changed and is being indexed"])

            async def found() -> bool:
                return [one.path for one in await engine.search("wombat north")] == ["p1.md"]

            async def said_no_more() -> bool:
                last = await engine.search("wombat north")
                return not any(one.code == "refreshing" for one in last.warnings)

            await settles(found)
            await settles(said_no_more)

    run(check)


@pytest.mark.parametrize("root_too", [False, True])
def test_a_watched_file_replaced_by_one_of_the_same_size_and_time_is_indexed(
    root_too: bool,
) -> None:
    """`tar x` also sets the time of the root, if the archive was packed from `.`."""

    async def check(folder: Path) -> None:
        old = write(folder, "docs/p0.md", "# Page 0\n\nThe fox number 0.\n")
        new = write(folder, "p0.md", "# Page 0\n\nThe cat number 0.\n")
        for one in (old, new):
            os.utime(one, (315532800, 315532800))
        async with engine_of(folder) as engine:
            await engine.index(folder / "docs", lexical=True)
            before = await contents(engine)
            await engine.search("fox")
            await settles(partial(watched, engine))
            new.replace(old)
            if root_too:
                os.utime(folder / "docs", (315532800, 315532800))

            async def found() -> bool:
                return [one.path for one in await engine.search("cat")] == ["p0.md"]

            await settles(found)
            after = await contents(engine)
            assert {path for path in before if before[path] != after[path]} == {"p0.md"}

    run(check)


@pytest.mark.parametrize("name", ["box.zzz", "box.d"])
def test_a_folder_replaced_by_a_file_that_is_not_read_leaves_the_index(name: str) -> None:
    """The file is left out for its type or by an ignore file."""

    async def check(folder: Path) -> None:
        write(folder, "docs/.gitignore", "*.d\n!*.d/\n")
        write(folder, f"docs/{name}/i.md", "# Inner\n\nThe wombat of the north.\n")
        async with engine_of(folder) as engine:
            await engine.index(folder / "docs", lexical=True)
            await engine.search("fox")
            await settles(partial(watched, engine))
            assert f"{name}/i.md" in await paths(engine)
            (folder / "docs" / name).rename(folder / "gone")
            write(folder, f"docs/{name}", "x\n")

            async def left() -> bool:
                return await paths(engine) == ["p0.md", "p1.md", "p2.md"]

            await settles(left)

    run(check)


def test_file_events_bring_it_up_to_date_without_a_search() -> None:
    async def check(folder: Path) -> None:
        async with engine_of(folder) as engine:
            await engine.index(folder / "docs", lexical=True)
            await engine.search("fox")

            await settles(partial(watched, engine))
            write(folder, "docs/deep/er/new.md", "# New\n\nA quokka.\n")
            (folder / "docs/p0.md").rename(folder / "docs/renamed.md")
            (folder / "docs/p2.md").unlink()

            async def right() -> bool:
                return await paths(engine) == ["deep/er/new.md", "p1.md", "renamed.md"]

            await settles(right)
            write(folder, "docs/deep/er/later.md", "# Later\n\nIn a folder that was new.\n")

            async def later() -> bool:
                return "deep/er/later.md" in await paths(engine)

            await settles(later)

    run(check)


def test_a_question_finds_what_was_written_a_moment_before() -> None:
    words = ("quokka", "walrus", "gondola", "parsley", "violin")

    async def check(folder: Path) -> None:
        async with engine_of(folder, every_s=60.0) as engine:
            await engine.index(folder / "docs", lexical=True)
            await engine.search("fox")

            await settles(partial(watched, engine))
            found = []
            for word in words:
                await settles(
                    partial(up_to_date, engine)
                )  # else a search says at once that files are indexed
                write(folder, f"docs/{word}s.md", f"# New\n\nThe {word} of the north.\n")
                pack = await engine.search(f"{word} north")
                told = any(one.code == "refreshing" for one in pack.warnings)
                found.append(told or any(word in one.text for one in pack))
            assert any(found)  # on a busy machine, an event may take longer

    run(check)


@pytest.mark.parametrize("question", ["load_{}x", "where is fetch_{} defined"])
def test_so_does_a_question_with_a_name_that_the_index_lacks(question: str) -> None:
    """Other evidence, or the definition of a similar name, is there without the new file."""
    words = ("quokka", "walrus", "gondola", "parsley", "violin")

    async def check(folder: Path) -> None:
        async with engine_of(folder, every_s=60.0) as engine:
            known = "".join(f"def load_{word}(text):\n    return text\n\n\n" for word in words)
            write(folder, "docs/loaders.py", known)
            await engine.index(folder / "docs", lexical=True)
            await engine.search("fox")

            await settles(partial(watched, engine))
            found = []
            for word in words:
                await settles(partial(up_to_date, engine))
                asked = question.format(word)
                name = next(one.strip("?") for one in asked.split() if word in one)
                before = await engine.search(asked)
                assert before.verdict.level != "none"
                assert name in before.absent_terms.index
                write(folder, f"docs/new_{word}.py", f"def {name}(text):\n    return text\n")
                pack = await engine.search(asked)
                told = any(one.code == "refreshing" for one in pack.warnings)
                found.append(told or any(name in one.symbols for one in pack))
            assert any(found)  # on a busy machine, an event may take longer

    run(check)


def test_manual_indexes_nothing_until_it_is_asked() -> None:
    async def check(folder: Path) -> None:
        async with engine_of(folder, mode="manual") as engine:
            await engine.index(folder / "docs", lexical=True)
            write(folder, "docs/p3.md", "# Page 3\n\nThe numbat.\n")
            pack = await engine.search("numbat")
            assert "p3.md" not in [one.path for one in pack]
            assert [one.code for one in pack.warnings if one.code == "refreshing"] == []
            assert (await engine.freshness()).checked_at == ""
            found = await engine.refresh()
            assert (found.pending, found.troubles) == ((), ())
            assert await paths(engine) == ["p0.md", "p1.md", "p2.md", "p3.md"]

    run(check)


def test_a_program_is_manual_and_a_command_is_not_where_nothing_is_set() -> None:
    given = RefreshSettings()
    assert not given.auto
    assert given.by_itself().auto
    assert not RefreshSettings("manual").by_itself().auto
    assert not RefreshSettings("auto").off().auto


@pytest.mark.parametrize("how", ["gone", "empty"])
def test_a_folder_that_is_away_costs_nothing_and_is_named(how: str) -> None:
    async def check(folder: Path) -> None:
        async with engine_of(folder) as engine:
            await engine.index(folder / "docs", lexical=True)
            (folder / "docs").rename(folder / "away")
            if how == "empty":
                (folder / "docs").mkdir()
            found = await engine.refresh()
            assert [one.source for one in found.troubles] == ["docs"]
            assert await paths(engine) == ["p0.md", "p1.md", "p2.md"]
            again = await engine.refresh(wait=False)
            assert again.troubles == found.troubles
            shutil.rmtree(folder / "docs", ignore_errors=True)
            (folder / "away").rename(folder / "docs")
            write(folder, "docs/back.md", "# Back\n\nIt is mounted again.\n")
            assert (await engine.refresh()).troubles == ()
            assert "back.md" in await paths(engine)

    run(check)


def test_a_source_that_is_away_does_not_hold_up_others() -> None:
    async def check(folder: Path) -> None:
        write(folder, "other/a.md", "# A\n\nAlpaca.\n")
        async with engine_of(folder) as engine:
            await engine.index([folder / "docs", folder / "other"], lexical=True)
            shutil.rmtree(folder / "docs")
            write(folder, "other/b.md", "# B\n\nBadger.\n")
            found = await engine.refresh()
            assert [one.source for one in found.troubles] == ["docs"]
            assert "b.md" in await paths(engine)

    run(check)


def test_it_uses_what_the_source_was_indexed_with() -> None:
    async def check(folder: Path) -> None:
        async with engine_of(folder) as engine:
            await engine.index(
                folder / "docs",
                lexical=True,
                include="*.md",
                exclude="secret*",
                name="mine",
                attributes={"course": "ml"},
            )
            write(folder, "docs/new.md", "# New\n\nNew fox.\n")
            write(folder, "docs/secret.md", "# Secret\n\nSecret fox.\n")
            write(folder, "docs/code.py", "fox = 1\n")
            assert (await engine.refresh()).troubles == ()
            found = {one.path: one for one in await engine.client().documents("main")}
            assert sorted(found) == ["new.md", "p0.md", "p1.md", "p2.md"]
            assert found["new.md"].source == "mine"
            assert dict(found["new.md"].all_attributes) == {"course": "ml"}

    run(check)


def test_files_of_given_types_are_found_by_themselves() -> None:
    async def check(folder: Path) -> None:
        async with engine_of(folder, watch=False) as engine:
            types = {"*.tmpl": "html"}
            await engine.index(folder / "docs", lexical=True, file_types=types)
            write(folder, "docs/new.tmpl", "<p>A <b>quokka</b> appears.</p>\n")
            write(folder, "docs/new.other", "A quokka, too.\n")

            async def found() -> bool:
                return [one.path for one in await engine.search("quokka")] == ["new.tmpl"]

            await settles(found)
            assert (await engine.refresh()).troubles == ()
            assert "new.other" not in await paths(engine)
            write(folder, "docs/new.tmpl", "<p>A <b>wombat</b> appears.</p>\n")
            assert (await engine.refresh()).troubles == ()
            (chunk,) = await engine.search("wombat appears")
            assert (chunk.path, chunk.language) == ("new.tmpl", "html")

    run(check)


def test_what_costs_money_waits_for_somebody_who_asks() -> None:
    from pincite.maintenance.consent import needs_consent  # the rule, without a provider
    from pincite.model import CollectionSpec
    from pincite.ports import CollectionInfo

    settings = load_settings({}, Path("/nowhere"))
    paid = CollectionInfo(CollectionSpec("main", "s", "c", model="voyage:voyage-4"), (), 0, 0, 0)
    free = CollectionInfo(CollectionSpec("main", "s", "c"), (), 0, 0, 0)
    assert "voyage:voyage-4" in needs_consent(settings, paid, remote=False)
    assert needs_consent(settings, paid, remote=True) == ""
    assert needs_consent(settings, free, remote=False) == ""


def test_a_killed_run_is_said_and_the_next_one_catches_up() -> None:
    async def check(folder: Path) -> None:
        async with engine_of(folder, watch=False) as engine:
            await kill_a_refresh(engine, folder)

            async def said() -> bool:
                return not (await engine.freshness()).indexing

            await settles(said)
            await engine.refresh()
            assert len(await paths(engine)) == 303

    run(check)


def test_branches_are_followed() -> None:
    async def check(folder: Path) -> None:
        docs = folder / "docs"
        git(docs, "init", "-q", "-b", "main")
        git(docs, "add", ".")
        git(docs, "commit", "-qm", "one")
        git(docs, "checkout", "-qb", "other")
        write(docs, "other.md", "# Other\n\nAnother branch.\n")
        (docs / "p0.md").unlink()
        git(docs, "add", "-A")
        git(docs, "commit", "-qm", "two")
        async with engine_of(folder) as engine:
            await engine.index(docs, lexical=True)
            await engine.search("fox")
            git(docs, "checkout", "-q", "main")

            async def on_main() -> bool:
                return await paths(engine) == ["p0.md", "p1.md", "p2.md"]

            await settles(on_main)
            git(docs, "commit", "-q", "--allow-empty", "-m", "three")
            head = (docs / ".git/refs/heads/main").read_text().strip()

            async def at_head() -> bool:
                return {one.ref for one in await engine.client().documents("main")} == {head}

            await settles(at_head)

    run(check)


def shuffle(docs: Path, dice: random.Random, number: int) -> None:
    """One thing that people do to a folder."""
    files = sorted(path for path in docs.rglob("*.md") if path.is_file())
    text = f"# Page {number}\n\nThe fox of step {number}, {dice.random()}.\n"
    name = f"d{dice.randrange(4)}/s{dice.randrange(3)}/f{number}.md"
    what = dice.choice("new edit edit atomic remove move folder ignore same".split())
    one = dice.choice(files) if files else docs / "none"
    if what == "new" or len(files) < 4:
        write(docs, name, text)
    elif what == "edit":
        one.write_text(text)
    elif what == "atomic":
        fresh = write(docs, f".{number}.tmp", text)
        fresh.replace(one)
    elif what == "remove":
        one.unlink()
    elif what == "move":
        (docs / name).parent.mkdir(parents=True, exist_ok=True)
        one.rename(docs / name)
    elif what == "folder" and one.parent != docs:
        one.parent.rename(docs / f"moved{number}")
    elif what == "ignore":
        write(docs, ".gitignore", f"d{dice.randrange(4)}/\n")
    elif what == "same":
        seen = one.stat()
        one.write_text("x" * seen.st_size)
        os.utime(one, ns=(seen.st_atime_ns, seen.st_mtime_ns + 1))


@pytest.mark.slow
def test_after_two_hundred_random_steps_it_equals_a_clean_build() -> None:
    async def check(folder: Path) -> None:
        dice = random.Random(16)
        docs = folder / "docs"
        async with engine_of(folder) as engine:
            await engine.index(docs, lexical=True)
            await engine.search("fox")
            for number in range(200):
                shuffle(docs, dice, number)
                if number % 20 == 0:
                    await asyncio.sleep(dice.random() / 4)
                    await engine.search("fox")
            other = folder / "clean"
            other.mkdir()
            async with engine_of(other, mode="manual") as clean:
                await clean.index(docs, lexical=True)
                wanted = await contents(clean)
            assert len(wanted) > 3

            async def equal() -> bool:
                return await contents(engine) == wanted

            await settles(equal)

    run(check)


def test_watch_says_what_changes_and_an_interrupt_ends_it_well() -> None:
    with quick_folder() as folder:
        write(folder, "docs/a.md", "# A\n\nAlpaca.\n")
        environ = {**clean_environment(), "PINCITE_INDEX": str(folder / ".pincite")}
        command = [sys.executable, "-m", "pincite.surfaces.cli.app"]
        made = [*command, "index", str(folder / "docs"), "--lexical"]
        subprocess.run(made, check=True, env=environ, capture_output=True)
        pipe = subprocess.PIPE
        watching = subprocess.Popen(
            [*command, "watch"], env=environ, stdout=pipe, stderr=pipe, text=True
        )
        try:
            assert watching.stderr is not None
            assert watching.stdout is not None
            while "file events" not in watching.stderr.readline():
                assert watching.poll() is None
            write(folder, "docs/odd\nname.md", "# B\n\nBadger.\n")
            line = watching.stdout.readline()
            assert line.split()[1] == "new"
            assert line.endswith("docs: odd\\x0aname.md\n")
            watching.send_signal(signal.SIGINT)
            rest, _ = watching.communicate(timeout=HANGS_S)
            assert (watching.returncode, rest) == (0, "")
        finally:
            watching.kill()
            watching.communicate()
            subprocess.run([*command, "stop"], check=True, env=environ, capture_output=True)


def test_the_tool_says_when_the_index_is_as_the_files_are() -> None:
    from pincite.surfaces.mcp.tools import tools

    async def check(folder: Path) -> None:
        async with engine_of(folder, mode="manual") as engine:
            await engine.index(folder / "docs", lexical=True)
            write(folder, "docs/new.md", "# New\n\nNew.\n")
            tool = next(one for one in tools(engine) if one.name == "refresh")
            assert len(tool.description.split()) < 45
            answer = await tool.run(tool.takes(wait_s=300))
            assert answer.structure is not None
            assert answer.structure["done"] is True
            assert "new.md" in await paths(engine)
            shutil.rmtree(folder / "docs")
            answer = await tool.run(tool.takes(wait_s=300))
            assert "docs" in answer.text
            hidden = next(one for one in tools(engine, tags={"t": "x"}) if one.name == "refresh")
            answer = await hidden.run(hidden.takes(wait_s=300))
            assert "docs" not in f"{answer.text}{answer.structure}"

    run(check)


def test_what_is_left_out_is_no_change_of_the_index() -> None:
    async def check(folder: Path) -> None:
        write(folder, "docs/picture.svg", "<svg/>\n")
        async with engine_of(folder, watch=False) as engine:
            await engine.index(folder / "docs", lexical=True)
            assert (await engine.refresh()).changed_at == ""
            write(folder, "docs/p1.md", "# Page 1\n\nThe wombat of the north.\n")
            assert (await engine.refresh()).changed_at

    run(check)
