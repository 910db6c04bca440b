"""Chunks that an edit leaves as they were are not encoded again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import numpy as np
import pytest

from pincite.catalog.sqlite import SqliteCatalog
from pincite.index.local import LocalIndex
from pincite.ingestion.enrich import enrich
from pincite.ports import Store
from pincite.stores.memory import MemoryStore
from tests.ingestion.indexed_folder import Grouped, Place, Reading, edge, functions, memory, sqlite
from tests.quick_folder import quick_folder


@pytest.mark.parametrize("opened", [memory, edge, sqlite])
def test_an_edit_of_one_function_encodes_what_it_changed(
    opened: Callable[[Path], AbstractContextManager[Store]],
) -> None:
    async def check(place: Place, clean: Place) -> None:
        dense = Reading()
        place.write("a.py", functions("one", "two", "three", "four"))
        place.write("b.py", functions("five"))
        first = await place.run(dense)
        assert (first.reused, len(dense.read)) == (0, first.chunks)
        before = await place.held()
        dense.read.clear()

        place.write("a.py", functions("one", "two", "three", "four").replace("two_7 ", "other "))
        report = await place.run(dense)
        after = await place.held()
        kept = {enrich(chunk) for chunk in before} & {enrich(chunk) for chunk in after}
        fresh = sorted(enrich(c) for c in after if c.path == "a.py" and enrich(c) not in kept)
        assert 0 < len(fresh) < report.chunks
        assert any("other" in text for text in fresh)
        assert sorted(dense.read) == fresh
        assert report.reused == report.chunks - len(fresh)

        await clean.run(Reading())
        wanted = await clean.held()
        assert after.keys() == wanted.keys()
        for chunk, vector in after.items():
            np.testing.assert_array_equal(vector, wanted[chunk])

    with quick_folder() as folder, opened(folder / "x") as one, opened(folder / "y") as other:
        source = folder / "source"
        source.mkdir()
        asyncio.run(check(Place(source, one), Place(source, other)))


def test_files_that_are_cut_again_for_other_definitions_keep_their_vectors() -> None:
    async def check(place: Place) -> None:
        dense = Reading()
        place.write("a.py", "LIMIT = 3\n\n\n" + functions("one", "two"))
        with pytest.MonkeyPatch.context() as before:
            before.setattr(
                "pincite.ingestion.sources.revisions.grammar_revision", lambda _language: 0
            )
            first = await place.run(dense)
        vectors = await place.held()
        dense.read.clear()
        report = await place.run(dense)
        assert (report.changed, report.reused) == (1, first.chunks)
        assert dense.read == []
        assert {enrich(chunk): bytes(vector) for chunk, vector in vectors.items()} == {
            enrich(chunk): bytes(vector) for chunk, vector in (await place.held()).items()
        }

    with quick_folder() as folder, edge(folder / "x") as one:
        source = folder / "source"
        source.mkdir()
        asyncio.run(check(Place(source, one)))


def test_pages_that_are_cut_again_for_other_rules_keep_their_vectors() -> None:
    async def check(place: Place) -> None:
        dense = Reading()
        place.write("a.md", "# One\n\nSome text.\n")
        place.write("b.md", "# Two\n\nMore text.\n")
        with pytest.MonkeyPatch.context() as before:
            before.setattr("pincite.ingestion.sources.revisions._TEXT_RULES", {})
            first = await place.run(dense)
        dense.read.clear()
        report = await place.run(dense)
        assert (report.changed, report.reused, dense.read) == (2, first.chunks, [])
        assert (await place.run(dense)).changed == 0

    run(check)


def run(check: Callable[[Place], object]) -> None:
    with quick_folder() as folder:
        asyncio.run(check(Place(folder, MemoryStore())))  # type: ignore[arg-type]


def test_chunks_that_only_move_keep_their_vectors() -> None:
    async def check(place: Place) -> None:
        dense = Reading()
        place.write("a.py", functions("one", "two", lines=14))  # a chunk each
        await place.run(dense)
        dense.read.clear()
        place.write("a.py", functions("two", "one", lines=14))
        report = await place.run(dense)
        assert dense.read == []
        assert report.reused == report.chunks > 1

    run(check)


def test_a_model_of_whole_documents_reads_them_whole() -> None:
    async def check(place: Place) -> None:
        dense = Grouped()
        place.write("a.py", functions("one", "two"))
        await place.run(dense)
        dense.read.clear()
        place.write("a.py", functions("one", "two", "three"))
        report = await place.run(dense)
        assert len(dense.read) == report.chunks
        assert report.reused == 0

    run(check)


def test_documents_that_were_cut_otherwise_are_encoded_again() -> None:
    async def check(place: Place) -> None:
        dense = Reading()
        place.write("a.py", functions("one", "two"))
        await place.run(dense)
        dense.read.clear()
        report = await place.run(dense, chunker="chunks-of-the-future")
        assert report.changed == 1
        assert (report.reused, len(dense.read)) == (0, report.chunks)

    run(check)


def test_a_lexical_collection_that_becomes_dense_has_nothing_to_keep() -> None:
    async def check(place: Place) -> None:
        place.write("a.py", functions("one", "two"))
        assert (await place.run(None)).reused == 0
        dense = Reading()
        report = await place.run(dense)
        assert (report.reused, len(dense.read)) == (0, report.chunks)
        assert len(await place.held()) == report.chunks

    run(check)


def test_another_model_keeps_nothing_of_the_one_before() -> None:
    async def check(place: Place) -> None:
        place.write("a.py", functions("one", "two"))
        await place.run(Reading())
        place.write("a.py", functions("one", "two", "three"))

        class Other(Reading):
            """Of as many dimensions."""

            def __init__(self) -> None:
                super().__init__()
                self.fingerprint = "other/16"

        dense = Other()
        report = await place.run(dense)
        assert (report.reused, len(dense.read)) == (0, report.chunks)

    run(check)


def test_files_that_only_get_another_model_are_told_apart_from_changed_ones() -> None:
    async def check(place: Place) -> None:
        for name in ("a.py", "b.py", "c.py"):
            place.write(name, functions(name[0]))
        report = await place.run(None)
        assert (report.new, report.changed, report.remade) == (3, 0, 0)
        place.write("a.py", functions("other"))
        report = await place.run(Reading())
        assert (report.unchanged, report.changed, report.remade) == (0, 3, 2)
        place.write("b.py", functions("other"))
        report = await place.run(Reading())
        assert (report.unchanged, report.changed, report.remade) == (2, 1, 0)

    run(check)


def test_an_index_is_not_asked_for_vectors_of_new_documents() -> None:
    async def check(place: Place) -> None:
        asked: list[str] = []

        class Asked(LocalIndex):
            async def embedded(self, collection: str, source: str, path: str):  # type: ignore[no-untyped-def]
                asked.append(path)
                return await super().embedded(collection, source, path)

        place.index = Asked(place.store, SqliteCatalog(":memory:"))
        place.write("a.py", functions("one"))
        await place.run(Reading())
        place.write("b.py", functions("two"))
        await place.run(Reading())
        assert asked == []
        place.write("a.py", functions("one", "three"))
        await place.run(Reading())
        assert asked == ["a.py"]

    run(check)
