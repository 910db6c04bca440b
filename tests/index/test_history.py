"""An index depends on the tree alone, not on its history: dozens of rounds of edits, deletions and
renames, and what else moves the weights, always compared with a clean index of the same tree."""

from __future__ import annotations

import asyncio
import json
import random
import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, closing
from pathlib import Path

import pytest

from pincite.catalog.sqlite import SqliteCatalog
from pincite.ingestion.enrich import enrich
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.support.fields import replace
from tests.ingestion.mirror import Make, Mirror, chroma, edge, memory, qdrant
from tests.ingestion.mirror import sqlite as sqlite_file
from tests.quick_folder import quick_folder
from tests.surfaces.conftest import Cli

_WORDS = [f"word{number}" for number in range(60)]
_TOPICS = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta")
_FILES = 24


def _page(dice: random.Random) -> list[str]:
    """Some paragraphs of rare and common words."""
    words = [*_WORDS, *_TOPICS]
    common = [1 / place for place in range(1, len(words) + 1)]
    return [
        " ".join(dice.choices(words, weights=common, k=dice.randint(3, 60)))
        for _ in range(dice.randint(1, 6))
    ]


def _change(mirror: Mirror, dice: random.Random) -> None:
    name, other = (f"f{dice.randrange(_FILES)}" for _ in range(2))
    what = dice.choices(["write", "delete", "rename"], weights=[4, 3, 2])[0]
    mirror.change(what, name, _page(dice) if what == "write" else other)


async def _check(kind: Callable[[Path], AbstractContextManager[Make]], rounds: int) -> None:
    dice = random.Random(rounds)
    with ExitStack() as stack:
        folder = stack.enter_context(quick_folder())
        source = folder / "source"
        source.mkdir()

        def mirror(name: str) -> Mirror:
            (folder / name).mkdir()
            make = stack.enter_context(kind(folder / name))
            return Mirror(source, folder / name, make, packs=kind is not qdrant)

        grown = mirror("grown")
        for number in range(_FILES):
            grown.change("write", f"f{number}", _page(dice))
        await grown.run()
        for number in range(rounds):
            for _ in range(dice.randint(1, 3)):
                _change(grown, dice)
            if dice.random() < 0.3:
                await grown.run(dice.randint(4, 120))
            await grown.run(optimise=dice.random() < 0.6)
            clean = mirror(f"clean{number}")
            await clean.run()
            assert await grown.seen() == await clean.seen(), f"round {number}"


@pytest.mark.filterwarnings("ignore:Local mode performs exact:UserWarning")
@pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning")
@pytest.mark.parametrize(
    ("kind", "rounds"), [(memory, 40), (edge, 16), (sqlite_file, 20), (chroma, 4), (qdrant, 4)]
)
def test_no_round_of_changes_leaves_a_trace(
    kind: Callable[[Path], AbstractContextManager[Make]], rounds: int
) -> None:
    asyncio.run(_check(kind, rounds))


async def _make_old(mirror: Mirror) -> None:
    """Turn an index into what an earlier version would have made of the same tree: the engine
    multiplies with the IDF, weights are not rounded, nothing is counted."""
    store, catalog = mirror.make(), SqliteCatalog(mirror.place / "catalog.db")
    (spec,) = await catalog.specs()
    await catalog.put_spec(replace(spec, counted=False))
    await store.create(replace(spec, counted=False))
    sparse = Bm25Encoder()
    points = await store.export("main", None, 100_000)
    weights = {
        p.chunk.id: sparse.encode_document(enrich(p.chunk), spec.average_length)[0]
        for _, p in points
    }
    await store.set_sparse("main", weights)
    await store.close()
    await catalog.close()
    with closing(sqlite3.connect(mirror.place / "catalog.db")) as db:
        db.executescript(
            "DROP TABLE outlines; DROP TABLE totals;"
            "ALTER TABLE documents DROP COLUMN attributes;"
            "ALTER TABLE documents DROP COLUMN inherited;"
            "ALTER TABLE documents DROP COLUMN chunk_attributes;"
            "ALTER TABLE documents DROP COLUMN embedded;"
            "ALTER TABLE documents DROP COLUMN chunk_ids;"
            "ALTER TABLE documents DROP COLUMN counts; DROP TABLE terms; DROP TABLE term_changes;"
            "PRAGMA user_version = 2;"
        )
    for path in mirror.place.rglob("state.json"):
        state = json.loads(path.read_text())
        assert state.pop("idf") is True
        path.write_text(json.dumps(state))


@pytest.mark.filterwarnings("ignore:Local mode performs exact:UserWarning")
@pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning")
@pytest.mark.parametrize("kind", [memory, edge, sqlite_file, chroma, qdrant])
def test_an_index_of_an_earlier_version_becomes_exact_and_nothing_is_embedded_again(
    kind: Callable[[Path], AbstractContextManager[Make]],
) -> None:
    async def check() -> None:
        dice = random.Random(7)
        with ExitStack() as stack:
            folder = stack.enter_context(quick_folder())
            source, places = folder / "source", (folder / "old", folder / "clean")
            for path in (source, *places):
                path.mkdir()
            makes = [stack.enter_context(kind(place)) for place in places]
            old, clean = (
                Mirror(source, place, make, packs=kind is not qdrant)
                for place, make in zip(places, makes, strict=True)
            )
            for number in range(8):
                old.change("write", f"f{number}", _page(dice))
            await old.run()
            await clean.run()
            for calls in (
                (None, 12, 60) if kind in (chroma, qdrant) else (None, 3, 12, 30, 60, 90, 120)
            ):
                await _make_old(old)
                assert (await old.seen())[3]  # it is read as it is
                if calls is not None:
                    await old.run(calls)
                    await old.seen()
                report = await old.run()
                assert report is not None
                assert (report.unchanged, report.chunks) == (8, 0)
                assert await old.seen() == await clean.seen()

    asyncio.run(check())


@pytest.mark.parametrize("kind", [memory, edge])
def test_weighing_that_was_cut_off_and_then_not_needed_leaves_no_mixture(
    kind: Callable[[Path], AbstractContextManager[Make]],
) -> None:
    async def check(calls: int) -> bool:
        with ExitStack() as stack:
            folder = stack.enter_context(quick_folder())
            source, places = folder / "source", (folder / "grown", folder / "clean")
            for path in (source, *places):
                path.mkdir()
            grown, clean = (Mirror(source, p, stack.enter_context(kind(p))) for p in places)
            for number in range(4):
                grown.change("write", f"f{number}", ["alpha beta gamma"])
            await grown.run()
            grown.change("write", "long", ["delta epsilon zeta " * 40])
            if await grown.run(calls) is not None:
                return False
            grown.change("delete", "long", "")
            await grown.run()
            await clean.run()
            assert await grown.seen() == await clean.seen(), calls
            return True

    for calls in range(4, 1_000, 1 if kind is memory else 9):
        if not asyncio.run(check(calls)):
            assert calls > 40
            return


def _shown(cli: Cli, *options: str) -> str:
    """The evidence as it is printed, with all scores."""
    shown = []
    for question in ("alpha word3 word7", "how does beta follow word1 and delta"):
        pack = cli.json("search", question, "--all", "-n", "8", *options)
        assert pack["evidence"]
        shown.append({key: pack[key] for key in ("evidence", "verdict")})
    return json.dumps(shown, indent=1)


def test_a_shell_sees_what_a_clean_index_would_show_also_of_several_collections(
    tmp_path: Path,
) -> None:
    dice = random.Random(3)
    commands = [Cli(tmp_path / name) for name in ("grown", "clean")]
    grown, clean = commands

    def index(command: Cli) -> None:
        command("index", "docs", "-c", "docs", "--lexical")
        command("index", "code", "-c", "code", "--lexical")

    def write(path: str, text: str) -> None:
        for command in commands:
            command.write(path, text)

    def remove(path: str) -> None:
        for command in commands:
            (command.folder / path).unlink()

    try:
        for number in range(12):
            write(f"docs/{number}.md", f"# Page {number}\n\n" + "\n\n".join(_page(dice)))
            write(f"code/{number}.py", f"def alpha_{number}():\n    '''{_page(dice)[0]}'''\n")
        index(grown)
        grown.write("other/long.md", "# Long\n\n" + "beta word1 " * 900)
        grown("index", "other", "-c", "docs", "--lexical")
        for number in range(4):
            remove(f"docs/{number}.md")
            remove(f"code/{number + 3}.py")
            write(f"docs/{number}b.md", "\n\n".join(_page(dice)))
            index(grown)
        grown("collections", "forget", "other", "-c", "docs")
        index(clean)
        assert _shown(grown) == _shown(clean)
        assert _shown(grown, "-c", "docs") == _shown(clean, "-c", "docs")
    finally:
        for command in commands:
            command("stop")
