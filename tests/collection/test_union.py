"""Members of a base as one index to write to: each document is in one of them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from pincite.collection.members import all_sources
from pincite.errors import StoreError
from pincite.model import DocumentRecord, Matrix
from pincite.sources import Selection
from pincite.stores.memory import MemoryStore
from pincite.support.fields import replace
from pincite.testing.fakes import HashingEncoder
from tests.shelf import LARGE, SMALL, STORES, Shelf, opened_store, page

pytestmark = [
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning"),
    pytest.mark.filterwarnings("ignore:Local mode performs exact:UserWarning"),
]
OLD, NEW = "docs__hashing_16_16", "docs__hashing_24_24"


class Counting(HashingEncoder):
    """Counts the texts that it embeds."""

    texts = 0

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        self.texts += len(texts)
        return await super().embed_documents(texts)


@pytest.mark.parametrize("kind", STORES)
def test_what_changes_moves_to_the_new_model_and_the_rest_stays(kind: str, tmp_path: Path) -> None:
    async def check() -> None:
        async with opened_store(kind) as store:
            shelf = Shelf(tmp_path, store)
            for number in range(4):
                shelf.write(f"{number}.md", page(number))
            await shelf.add(SMALL)
            assert await shelf.seen() == [OLD]
            shelf.write("1.md", page(9))
            shelf.write("4.md", page(4))
            (tmp_path / "3.md").unlink()
            report = await shelf.add(LARGE)
            assert (report.new, report.changed, report.removed) == (1, 1, 1)
            assert report.unchanged == 2
            assert await shelf.seen() == [OLD, NEW]
            assert await shelf.paths(OLD) == ["0.md", "2.md"]
            assert await shelf.paths(NEW) == ["1.md", "4.md"]
            again = await shelf.add(LARGE)
            assert (again.new, again.changed, again.removed, again.unchanged) == (0, 0, 0, 4)
            ids = [c.id for name in (OLD, NEW) for c in await shelf.index.page(name, None, 999)]
            assert len(ids) == len(set(ids))

    asyncio.run(check())


@pytest.mark.parametrize("kind", ["memory", "edge"])
def test_what_is_left_in_the_old_member_scores_as_if_it_had_never_had_more(
    kind: str, tmp_path: Path
) -> None:
    async def check() -> None:
        async with opened_store(kind) as store, opened_store("memory") as other:
            shelf, anew = Shelf(tmp_path, store), Shelf(tmp_path, other)
            for number in range(4):
                shelf.write(f"{number}.md", page(number))
            await shelf.add(SMALL)
            shelf.write("1.md", "# Short\n\nOnly a crane.")
            await shelf.add(LARGE)
            await store.optimise(OLD)  # or the engine's IDF counts what has gone
            (tmp_path / "1.md").unlink()
            await anew.add(SMALL)
            theirs = await anew.answers(OLD, SMALL)
            for found, expected in zip(await shelf.answers(OLD, SMALL), theirs, strict=True):
                assert [hit.id for hit in found.hits] == [hit.id for hit in expected.hits]
                assert [hit.score for hit in found.hits] == pytest.approx(
                    [hit.score for hit in expected.hits], rel=1e-4, abs=1e-6
                )

    asyncio.run(check())


def test_a_member_that_has_nothing_left_is_dropped(tmp_path: Path) -> None:
    async def check() -> None:
        shelf = Shelf(tmp_path, MemoryStore())
        shelf.write("a.md", page(1))
        await shelf.add(SMALL)
        shelf.write("a.md", page(2))
        await shelf.add(LARGE)
        assert [i.spec.name for i in await shelf.index.collections()] == [NEW]

    asyncio.run(check())


def test_a_source_without_documents_is_not_forgotten_with_a_member(tmp_path: Path) -> None:
    async def check() -> None:
        shelf = Shelf(tmp_path, MemoryStore())
        shelf.write("a.md", page(1))
        await shelf.add(SMALL)
        (known,) = (await shelf.index.collections())[0].sources
        empty = replace(known, source=replace(known.source, name="second"), complete=False)
        await shelf.index.put_source(OLD, empty)
        shelf.write("a.md", page(2))
        await shelf.add(LARGE)
        (info,) = await shelf.index.collections()
        assert [one.source.name for one in info.sources] == ["acme", "second"]

    asyncio.run(check())


def test_back_to_the_first_model_goes_on_where_it_was(tmp_path: Path) -> None:
    async def check() -> None:
        shelf = Shelf(tmp_path, MemoryStore())
        shelf.write("a.md", page(1))
        shelf.write("b.md", page(2))
        await shelf.add(SMALL)
        shelf.write("b.md", page(3))
        await shelf.add(LARGE)
        shelf.write("a.md", page(4))
        await shelf.add(SMALL)
        assert (await shelf.paths(OLD), await shelf.paths(NEW)) == (["a.md"], ["b.md"])

    asyncio.run(check())


def test_what_a_run_says_of_a_source_holds_for_all_members_that_have_it(tmp_path: Path) -> None:
    async def check() -> None:
        shelf = Shelf(tmp_path, MemoryStore())
        for name in ("a.md", "b.md", "c.md"):
            shelf.write(name, page(len(name)) + name)
        await shelf.add(SMALL)
        shelf.write("b.md", page(3))
        await shelf.add(LARGE)
        await shelf.add(SMALL, {"course": "ml"}, Selection(exclude=("c.md",)))
        infos = await shelf.index.collections()
        assert [info.spec.name for info in infos] == [OLD, NEW]
        for known in (infos[0].sources, infos[1].sources, all_sources(infos)):
            (record,) = known
            assert (record.exclude, record.complete) == (("c.md",), True)
            assert record.source.attributes == {"course": "ml"}

    asyncio.run(check())


def test_a_crash_between_writing_and_removing_is_mended_by_the_next_run(tmp_path: Path) -> None:
    class Dies(MemoryStore):
        dying = False

        async def remove(self, collection, revisions):  # type: ignore[no-untyped-def]
            if self.dying and collection == OLD:
                raise StoreError("the machine is on fire")
            await super().remove(collection, revisions)

    async def check() -> None:
        store = Dies()
        shelf = Shelf(tmp_path, store)
        for name in ("a.md", "b.md"):
            shelf.write(name, page(len(name)) + name)
        await shelf.add(SMALL)
        catalog: list[DocumentRecord] = list(await shelf.index.documents(OLD))
        shelf.write("a.md", page(7))
        store.dying = True
        with pytest.raises(StoreError, match="on fire"):
            await shelf.add(LARGE)
        store.dying = False
        assert await shelf.paths(NEW) == ["a.md"]
        await shelf.index._catalog.put(OLD, catalog)  # the crash came before the catalog, too
        await shelf.add(LARGE)
        assert (await shelf.paths(OLD), await shelf.paths(NEW)) == (["b.md"], ["a.md"])

    asyncio.run(check())


@pytest.mark.parametrize("kind", ["memory", "edge"])
def test_other_attributes_reach_all_members_and_nothing_is_embedded(
    kind: str, tmp_path: Path
) -> None:
    async def check() -> None:
        async with opened_store(kind) as store:
            shelf = Shelf(tmp_path, store)
            shelf.write("0.md", page(0))
            await shelf.add(SMALL)
            shelf.write("1.md", page(1))
            encoder = Counting(24)
            await shelf.add(encoder)
            assert (await shelf.paths(OLD), await shelf.paths(NEW)) == (["0.md"], ["1.md"])
            before = encoder.texts
            report = await shelf.add(encoder, {"course": "ml"})
            assert (report.rewritten, report.chunks, encoder.texts) == (2, 0, before)
            for name in (OLD, NEW):
                chunks = await shelf.index.page(name, None, 999)
                assert {str(chunk.attributes) for chunk in chunks} == {"{'course': 'ml'}"}
            await shelf.add(encoder)
            assert encoder.texts == before
            for name in (OLD, NEW):
                assert not any(c.attributes for c in await shelf.index.page(name, None, 999))

    asyncio.run(check())
