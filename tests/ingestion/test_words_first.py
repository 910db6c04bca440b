"""Where there is much to embed, words are indexed first, and everything can be searched."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from pincite.chunkers import ChunkerConfig
from pincite.index.local import LocalIndex
from pincite.ingest import ingest_all
from pincite.ingestion.deps import IngestDeps
from pincite.ingestion.report import IngestReport, Progress
from pincite.model import CollectionSpec, Matrix
from pincite.ports import CollectionInfo, SearchRequest, Store
from pincite.sources import Selection, SourceLimits, open_source
from pincite.stores.memory import MemoryStore
from pincite.support.fields import replace
from pincite.testing.fakes import HashingEncoder
from pincite.testing.points import assert_equal
from tests.ingestion.indexed_folder import SPARSE, Grouped, Place, Reading, edge, functions, memory
from tests.ingestion.indexed_folder import sqlite as sqlite_file
from tests.quick_folder import quick_folder

STORES = [memory, edge, sqlite_file]
Opened = Callable[[Path], AbstractContextManager[Store]]


class Watching(HashingEncoder):
    """Looks at the index before each request, and fails at one of them."""

    def __init__(self, index: LocalIndex, fails_at: int = 0) -> None:
        super().__init__(16)
        self.index = index
        self.infos: list[CollectionInfo] = []
        self.found: list[set[str]] = []
        self.texts: list[str] = []
        self.fails_at = fails_at

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        (info,) = await self.index.collections()
        self.infos.append(info)
        if len(self.infos) == self.fails_at:
            raise RuntimeError("killed")
        request = SearchRequest(None, SPARSE.encode_query("work"), sparse_limit=1_000)
        (ranking,) = await self.index.search("main", request)
        stored = await self.index.load("main", [hit.id for hit in ranking.hits])
        self.found.append({one.chunk.path for one in stored})
        self.texts += texts
        return await super().embed_documents(texts)


async def run(
    place: Place,
    dense: HashingEncoder | None,
    *,
    much_bytes: int = 0,
    batch_chunks: int = 4,
    background: bool = False,
    progress: Callable[[Progress], None] = lambda _: None,
) -> IngestReport:
    await place.index.open()
    infos = await place.index.collections()
    made_with = (SPARSE.fingerprint, ChunkerConfig().fingerprint)
    spec = infos[0].spec if infos else CollectionSpec("main", *made_with)
    if dense is not None:
        spec = replace(spec, dense=dense.fingerprint, dimensions=dense.dimensions)
    await place.index.create(spec)
    with open_source(
        place.folder, name="acme", limits=SourceLimits(), selection=Selection()
    ) as opened:
        deps = IngestDeps(
            place.index,
            SPARSE,
            dense,
            batch_chunks=batch_chunks,
            much_bytes=much_bytes,
            progress=progress,
            background=background,
        )
        (report,) = await ingest_all([(opened, Selection())], spec, deps)
    return report


def in_a_place(opened: Opened, check: Callable[[Place], Coroutine[object, object, None]]) -> None:
    """Run a check over an empty folder and a store."""
    with quick_folder() as folder, opened(folder) as store:
        place = Place(folder / "source", store)
        place.folder.mkdir()
        asyncio.run(check(place))


def names(count: int) -> list[str]:
    return [f"{place:02}.py" for place in range(count)]


@pytest.mark.parametrize("opened", STORES)
def test_everything_is_found_by_word_before_the_first_vector_is_made(opened: Opened) -> None:
    async def check(place: Place) -> None:
        for name in names(6):
            place.write(name, functions(name[:2], lines=3))
        place.write("binary.py", "\0")
        dense = Watching(place.index)
        stages: list[str] = []
        report = await run(place, dense, progress=lambda told: stages.append(told.stage))
        assert all(found == set(names(6)) for found in dense.found)
        assert dense.infos[0].unembedded == dense.infos[0].chunks > 0
        (source,) = dense.infos[0].sources
        assert not source.complete
        assert source.skipped_paths == ("binary: binary.py (contains NUL bytes)",)
        (info,) = await place.index.collections()
        assert (info.unembedded, info.embedded_share) == (0, 1.0)
        assert (report.new, report.changed, report.chunks) == (6, 0, info.chunks)
        assert report.encode_s > 0
        told = [stage for stage in dict.fromkeys(stages) if stage != "weigh"]
        assert told == ["diff", "index", "embed"]
        # as if it had been indexed in one go
        clean = Place(place.folder, MemoryStore())
        await run(clean, HashingEncoder(16), much_bytes=10**9)
        held, wanted = await place.held(), await clean.held()
        assert held.keys() == wanted.keys()
        for chunk, vector in wanted.items():
            assert_equal(held[chunk], vector)
        records = await place.index.documents("main")
        assert {r.path: r.revision for r in records} == {
            r.path: r.revision for r in await clean.index.documents("main")
        }

    in_a_place(opened, check)


@pytest.mark.parametrize("opened", STORES)
def test_what_has_changed_last_gets_its_vectors_first(opened: Opened) -> None:
    async def check(place: Place) -> None:
        for name in ("b.py", "c.py", "a.py"):  # each later than the one before
            place.write(name, functions(name[0], lines=3))
        dense = Watching(place.index)
        await run(place, dense, batch_chunks=1)
        order = dict.fromkeys(text.split("def ")[1][0] for text in dense.texts)
        assert list(order) == ["a", "c", "b"]

    in_a_place(opened, check)


@pytest.mark.parametrize("opened", STORES)
def test_a_run_that_ends_between_words_and_vectors_goes_on(opened: Opened) -> None:
    async def check(place: Place) -> None:
        for name in names(6):
            place.write(name, functions(name[:2], lines=3))
        with pytest.raises(RuntimeError, match="killed"):
            await run(place, Watching(place.index, fails_at=3), batch_chunks=1)
        (info,) = await place.index.collections()
        assert 0 < info.unembedded < info.chunks
        assert not info.sources[0].complete
        dense = Watching(place.index)
        report = await run(place, dense, much_bytes=10**9)
        assert (report.new, report.unchanged) == (0, 6 - report.changed)
        assert len(dense.texts) == info.unembedded
        (info,) = await place.index.collections()
        assert info.unembedded == 0

    in_a_place(opened, check)


@pytest.mark.parametrize("opened", STORES)
def test_vectors_of_chunks_that_stayed_are_kept_meanwhile(opened: Opened) -> None:
    async def check(place: Place) -> None:
        place.write("keys.py", functions("rotate", "revoke"))
        await run(place, Reading())
        place.write("keys.py", functions("rotate", "retire"))
        dense = Watching(place.index)
        report = await run(place, dense, batch_chunks=100)
        assert (await place.index.documents("main"))[0].embedded
        assert 0 < len(dense.texts) < dense.infos[0].chunks
        assert report.changed == 1

    in_a_place(opened, check)


@pytest.mark.parametrize("dense", [Grouped(), None])
def test_models_of_whole_documents_and_none_at_all_do_the_same(dense: Grouped | None) -> None:
    async def check(place: Place) -> None:
        for name in names(3):
            place.write(name, functions(name[:2], lines=3))
        report = await run(place, dense)
        (info,) = await place.index.collections()
        assert (report.new, info.documents, info.unembedded) == (3, 3, 0)
        assert len(await place.held()) == (info.chunks if dense else 0)

    in_a_place(memory, check)


def test_vectors_may_be_left_to_another_run() -> None:
    async def check(place: Place) -> None:
        for name in names(3):
            place.write(name, functions(name[:2], lines=3))
        dense = Watching(place.index)
        report = await run(place, dense, background=True)
        (info,) = await place.index.collections()
        assert dense.texts == []
        assert (report.new, report.chunks, info.unembedded) == (3, info.chunks, info.chunks)
        assert not info.sources[0].complete  # so that the index brings itself up to date
        again = await run(place, dense)
        (info,) = await place.index.collections()
        assert (again.new, info.unembedded, len(dense.texts)) == (0, 0, info.chunks)
        assert info.sources[0].complete

    in_a_place(memory, check)
