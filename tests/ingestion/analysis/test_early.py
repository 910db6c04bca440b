"""While the daemon of a new index starts, files are read: what does not fit is read again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from pincite.chunkers import ChunkerConfig
from pincite.encoders.by_name import Models
from pincite.ingestion.analysis.early import analyse_early, reading_early
from pincite.ingestion.batch import FileUnderAnalysis, SkippedFile
from pincite.ingestion.options import IndexOptions
from pincite.ingestion.prepare import read_and_analyse
from pincite.ingestion.run import IndexRun
from pincite.model import CollectionSpec, Document
from pincite.model.catalog import AVERAGE_LENGTH
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.providers.sparse.language import guess_language
from pincite.readers import read_document
from pincite.settings.load import Settings, load_settings
from pincite.sources import OpenSource, SourceLimits, open_source
from pincite.support.fields import replace
from tests.ingestion.desk import Desk, Index
from tests.time_limits import HANGS_S

SPEC = CollectionSpec(
    *("main", Bm25Encoder("english").fingerprint, ChunkerConfig().fingerprint),
    average_length=AVERAGE_LENGTH,
)


def run_of(settings: Settings, options: IndexOptions = IndexOptions()) -> IndexRun:
    """A run of which nothing is known yet but what was asked."""
    return IndexRun(settings, Index(), Models(settings), options)


def module(desk: Desk, path: str) -> None:
    desk.write(path, f"def oil(lantern):\n    return lantern.{Path(path).stem}\n")


@pytest.fixture
def reading(monkeypatch: pytest.MonkeyPatch) -> Event:
    """Is set when a file is being read early, which is then finished."""
    begun = Event()

    def noting(*args: Any) -> FileUnderAnalysis | SkippedFile:
        begun.set()
        return read_and_analyse(*args)

    monkeypatch.setattr("pincite.ingestion.analysis.early.read_and_analyse", noting)
    return begun


def early_of(
    settings: Settings,
    folder: Path,
    options: IndexOptions = IndexOptions(),
    given: Callable[[OpenSource], OpenSource] = lambda opened: opened,
    spec: CollectionSpec = SPEC,
    reading: Event | None = None,
) -> Mapping[str, FileUnderAnalysis]:
    """What was read of a folder before it is `given` to be indexed, once a file is being read."""

    async def work() -> Mapping[str, FileUnderAnalysis]:
        async with reading_early(run_of(settings, options), [folder]) as early:
            if reading is not None:
                await asyncio.to_thread(reading.wait, HANGS_S)
                reading.clear()
            with open_source(folder, limits=SourceLimits()) as opened:
                return await early.files(given(opened), spec)

    return asyncio.run(work())


def renamed(opened: OpenSource) -> OpenSource:
    opened.source = replace(opened.source, name="another")
    return opened


def test_files_of_a_new_index_are_read_before_it_is_there(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "src")
    module(desk, "wick.py")
    with open_source(desk.folder, limits=SourceLimits()) as opened:
        found = analyse_early(opened, "english", Event())
    assert list(found.begun) == ["wick.py"]
    (weights,) = found.begun["wick.py"].pending.result().weights
    assert weights[1] > 1


def test_no_file_is_begun_once_the_run_wants_them(tmp_path: Path) -> None:
    desk, enough = Desk(tmp_path / "src"), Event()
    module(desk, "wick.py")
    enough.set()
    with open_source(desk.folder, limits=SourceLimits()) as opened:
        assert analyse_early(opened, "english", enough).begun == {}


def test_what_was_read_early_is_given_once(tmp_path: Path, reading: Event) -> None:
    desk = Desk(tmp_path / "src")
    module(desk, "wick.py")

    async def work() -> list[list[str]]:
        run = run_of(load_settings({}, tmp_path))
        async with reading_early(run, [desk.folder]) as early:
            await asyncio.to_thread(reading.wait, HANGS_S)
            with open_source(desk.folder, limits=SourceLimits()) as opened:
                return [list(await early.files(opened, SPEC)) for _ in range(2)]

    assert asyncio.run(work()) == [["wick.py"], []]


def test_what_was_read_for_another_source_or_analyser_is_not_used(
    tmp_path: Path, reading: Event
) -> None:
    desk, settings = Desk(tmp_path / "src"), load_settings({}, tmp_path)
    module(desk, "wick.py")
    german = replace(SPEC, sparse=Bm25Encoder("german").fingerprint)
    assert list(early_of(settings, desk.folder, reading=reading)) == ["wick.py"]
    assert early_of(settings, desk.folder, given=renamed, reading=reading) == {}
    for other in (german, replace(SPEC, chunker="other"), replace(SPEC, average_length=40.0)):
        assert early_of(settings, desk.folder, spec=other, reading=reading) == {}
    assert early_of(settings, desk.folder, IndexOptions(sparse="qdrant-bm25")) == {}


def test_nothing_is_read_early_where_there_is_an_index(tmp_path: Path) -> None:
    desk, settings = Desk(tmp_path / "src"), load_settings({}, tmp_path)
    module(desk, "wick.py")
    settings.index.mkdir(parents=True)
    (settings.index / "catalog.db").touch()
    assert early_of(settings, desk.folder) == {}


def test_files_of_a_new_collection_are_read_while_it_is_created(
    tmp_path: Path, reading: Event
) -> None:
    desk = Desk(tmp_path / "src")
    module(desk, "wick.py")
    index = load_settings({}, desk.folder).index
    index.mkdir(parents=True)
    (index / "catalog.db").touch()
    taking, found = desk.index.create, list[bool]()

    async def create(spec: CollectionSpec) -> None:
        found.append(await asyncio.to_thread(reading.wait, HANGS_S))
        await taking(spec)

    desk.index.create = create  # type: ignore[method-assign]
    desk.run(".")
    assert found == [True]
    assert {chunk.path for chunk in desk.chunks()} == {"wick.py"}
    reading.clear()
    module(desk, "glass.py")
    desk.run(".")
    assert {chunk.path for chunk in desk.chunks()} == {"wick.py", "glass.py"}
    assert not reading.is_set()


def test_a_source_that_is_not_there_is_named_in_its_turn(tmp_path: Path) -> None:
    run = run_of(load_settings({}, tmp_path))

    async def work() -> Mapping[str, FileUnderAnalysis]:
        async with reading_early(run, [tmp_path / "gone"]) as early:
            with open_source(tmp_path, limits=SourceLimits()) as opened:
                return await early.files(opened, SPEC)

    assert asyncio.run(work()) == {}


def test_a_file_that_changed_since_is_read_again(tmp_path: Path) -> None:
    desk = Desk(tmp_path / "src")
    module(desk, "wick.py")
    taking = desk.index.create

    async def create(spec: CollectionSpec) -> None:
        await asyncio.sleep(0.3)  # what is read early is read by now, or read as it is then
        desk.write("wick.py", "def lit(match):\n    return match\n")
        await taking(spec)

    desk.index.create = create  # type: ignore[method-assign]
    desk.run(".")
    texts = {chunk.path: chunk.text for chunk in desk.chunks()}
    assert texts["wick.py"].startswith("def lit(match)")


GERMAN = "Die Laterne wird am Abend angezündet, und der Docht brennt nicht ohne das Öl.\n" * 9
ENGLISH = "The lantern is lit in the evening, and the wick does not burn without the oil.\n" * 9


@pytest.fixture
def guesses(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts whose language was guessed."""
    given: list[str] = []

    def noting(text: str) -> str:
        given.append(text)
        return guess_language(text)

    monkeypatch.setattr("pincite.ingestion.corpus_language.guess_language", noting)
    return given


@pytest.mark.parametrize("there", [False, True])
def test_the_language_of_a_new_collection_is_guessed_once(
    tmp_path: Path, guesses: list[str], there: bool
) -> None:
    desk = Desk(tmp_path / "src")
    desk.write("docht.md", GERMAN)
    if there:
        index = load_settings({}, desk.folder).index
        index.mkdir(parents=True)
        (index / "catalog.db").touch()
    desk.run(".")
    assert desk.spec().language == "german"
    assert len(guesses) == 1


def test_the_language_of_several_sources_is_not_that_of_the_first(
    tmp_path: Path, guesses: list[str]
) -> None:
    desk = Desk(tmp_path / "src")
    desk.write("a/docht.md", GERMAN)
    desk.write("b/wick.md", ENGLISH * 9)
    desk.run("a", "b")
    assert desk.spec().language == "english"
    assert any("lantern" in text and "Laterne" in text for text in guesses)


def test_a_run_that_ends_does_not_wait_for_all_samples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, read, begun = Desk(tmp_path / "src"), list[str](), Event()
    for number in range(20):
        desk.write(f"{number}.md", ENGLISH)

    def noting(raw: bytes, **given: Any) -> Document:
        read.append(given["path"])
        begun.set()
        time.sleep(0.01)
        return read_document(raw, **given)

    monkeypatch.setattr("pincite.ingestion.corpus_language.read_document", noting)

    async def work() -> None:
        async with reading_early(run_of(load_settings({}, tmp_path)), [desk.folder]):
            await asyncio.to_thread(begun.wait, HANGS_S)

    asyncio.run(work())
    assert 0 < len(read) < 20
