"""Another model from what is stored: complete before it counts, and as if it had been the first."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pincite.errors import StoreError
from pincite.maintenance.reembed import Reembedding, ReembedOptions
from pincite.model import AttributeType, IndexedDocument, Ranking
from pincite.ports import Index
from pincite.stores.memory import MemoryStore
from pincite.support.fields import replace
from pincite.testing.fakes import HashingEncoder
from tests.shelf import LARGE, SMALL, STORES, Shelf, opened_store, page

pytestmark = [
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning"),
    pytest.mark.filterwarnings("ignore:Local mode performs exact:UserWarning"),
]
OLD, NEW = "docs__hashing_16_16", "docs__hashing_24_24"


class Stops:
    """An index that fails after some documents, as a process that is killed would."""

    def __init__(self, index: Index, after: int) -> None:
        self._index = index
        self._left = after

    async def replace(self, collection: str, documents: Sequence[IndexedDocument]) -> None:
        self._left -= len(documents)
        if self._left < 0:
            raise StoreError("the machine is on fire")
        await self._index.replace(collection, documents)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)


def stopping(shelf: Shelf, after: int) -> Index:
    index: Index = Stops(shelf.index, after)
    return index


async def same_answers(
    ours: Shelf, theirs: Shelf, name: str = NEW, model: HashingEncoder = LARGE
) -> None:
    assert_alike(await ours.answers(name, model), await theirs.answers(name, model))


def assert_alike(ours: Sequence[Ranking], theirs: Sequence[Ranking]) -> None:
    """The same chunks with the same scores; ties may be ordered otherwise by the local engine."""
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs, strict=True):
        known = {hit.id: hit.score for hit in other.hits}
        assert {hit.id for hit in one.hits} == known.keys()
        for hit in one.hits:
            assert hit.score == pytest.approx(known[hit.id], rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("kind", STORES)
def test_it_answers_as_an_index_that_was_made_anew(kind: str, tmp_path: Path) -> None:
    async def check() -> None:
        async with opened_store(kind) as store, opened_store(kind) as other:
            shelf, anew = Shelf(tmp_path, store), Shelf(tmp_path, other)
            for number in range(5):
                shelf.write(f"{number}.md", page(number))
            shelf.write("empty.md", "")
            await shelf.add(SMALL)
            seen: list[Reembedding] = []
            done = await shelf.reembed(LARGE, progress=seen.append)
            assert (done.collection, done.retired, done.kept) == (NEW, (OLD,), False)
            assert done.encoded == done.chunks == seen[-1].done == seen[-1].total > 20
            assert [i.spec.name for i in await shelf.index.collections()] == [NEW]
            await anew.add(LARGE)
            await same_answers(shelf, anew)
            ours, theirs = await shelf.index.collections(), await anew.index.collections()
            assert ours[0].chunks == theirs[0].chunks
            assert ours[0].spec.average_length == theirs[0].spec.average_length
            report = await shelf.add(LARGE)  # and nothing is to be indexed again
            assert (report.new, report.changed, report.removed) == (0, 0, 0)

    asyncio.run(check())


@pytest.mark.parametrize("kind", STORES)
def test_the_old_one_answers_until_the_new_one_is_complete(kind: str, tmp_path: Path) -> None:
    async def check() -> None:
        async with opened_store(kind) as store, opened_store(kind) as other:
            shelf, anew = Shelf(tmp_path, store), Shelf(tmp_path, other)
            for number in range(6):
                shelf.write(f"{number}.md", page(number))
            await shelf.add(SMALL)
            before = await shelf.answers(OLD, SMALL)
            for after in (0, 1, 3):
                with pytest.raises(StoreError, match="on fire"):
                    await shelf.reembed(LARGE, index=stopping(shelf, after))
                assert await shelf.seen() == [OLD]
                assert_alike(await shelf.answers(OLD, SMALL), before)
            done = await shelf.reembed(LARGE)
            assert done.encoded < done.chunks  # what was whole is not embedded again
            assert await shelf.seen() == [NEW]
            await anew.add(LARGE)
            await same_answers(shelf, anew)

    asyncio.run(check())


@pytest.mark.parametrize("seed", range(4))
def test_edits_between_tries_are_not_lost(seed: int, tmp_path: Path) -> None:
    async def check() -> None:
        chance = random.Random(seed)
        shelf, anew = Shelf(tmp_path, MemoryStore()), Shelf(tmp_path, MemoryStore())
        for number in range(6):
            shelf.write(f"{number}.md", page(number))
        await shelf.add(SMALL)
        for _ in range(4):
            with pytest.raises(StoreError, match="on fire"):
                await shelf.reembed(LARGE, index=stopping(shelf, chance.randrange(3)))
            shelf.write(f"{chance.randrange(8)}.md", page(chance.randrange(50)))
            (tmp_path / f"{chance.randrange(1, 6)}.md").unlink(missing_ok=True)
            await shelf.add(SMALL)
        await shelf.reembed(LARGE)
        await anew.add(LARGE)
        assert await shelf.paths(NEW) == await anew.paths(NEW)
        await same_answers(shelf, anew)

    asyncio.run(check())


def test_what_is_kept_can_be_gone_back_to_and_dropped_later(tmp_path: Path) -> None:
    async def check() -> None:
        shelf, anew = Shelf(tmp_path, MemoryStore()), Shelf(tmp_path, MemoryStore())
        shelf.write("a.md", page(1))
        await shelf.add(SMALL)
        done = await shelf.reembed(LARGE, ReembedOptions(keep=True))
        assert (done.retired, done.kept) == ((OLD,), True)
        assert await shelf.seen() == [NEW]
        shelf.write("b.md", page(2))
        await shelf.add(LARGE)
        back = await shelf.reembed(SMALL, ReembedOptions(keep=True))
        assert await shelf.seen() == [OLD]
        assert 0 < back.encoded < back.chunks  # b.md alone
        await anew.add(SMALL)
        await same_answers(shelf, anew, OLD, SMALL)
        assert (await shelf.reembed(SMALL)).retired == (NEW,)
        assert [i.spec.name for i in await shelf.index.collections()] == [OLD]

    asyncio.run(check())


def test_two_members_become_one(tmp_path: Path) -> None:
    async def check() -> None:
        third = HashingEncoder(8)
        for target in (LARGE, third):
            folder = tmp_path / target.fingerprint.replace("/", "-")
            folder.mkdir()
            shelf, anew = Shelf(folder, MemoryStore()), Shelf(folder, MemoryStore())
            for number in range(4):
                shelf.write(f"{number}.md", page(number))
            await shelf.add(SMALL)
            shelf.write("0.md", page(9))
            await shelf.add(LARGE)
            assert await shelf.seen() == [OLD, NEW]
            await shelf.reembed(target)
            (name,) = await shelf.seen()
            assert [i.spec.name for i in await shelf.index.collections()] == [name]
            await anew.add(target)
            await same_answers(shelf, anew, name, target)
            assert (await shelf.add(target)).unchanged == 4

    asyncio.run(check())


def test_a_copy_that_lacks_something_is_found_out_and_not_used(tmp_path: Path) -> None:
    class Forgets(MemoryStore):
        async def load(self, collection, ids, *, vectors=False):  # type: ignore[no-untyped-def]
            found = await super().load(collection, ids, vectors=vectors)
            return found[1:] if collection == NEW else found

    async def check() -> None:
        shelf = Shelf(tmp_path, Forgets())
        shelf.write("a.md", page(1))
        await shelf.add(SMALL)
        with pytest.raises(StoreError, match="stays unused"):
            await shelf.reembed(LARGE)
        assert await shelf.seen() == [OLD]

    asyncio.run(check())


def test_a_rate_is_kept(tmp_path: Path) -> None:
    async def check() -> None:
        shelf = Shelf(tmp_path, MemoryStore())
        for number in range(10):
            shelf.write(f"{number}.md", f"# Page {number}\n\nA crane.")
        await shelf.add(SMALL)
        done = await shelf.reembed(LARGE, ReembedOptions(rate=20))
        assert done.encoded == 10
        started_s = time.monotonic()
        await shelf.reembed(SMALL, ReembedOptions(rate=8), batch_chunks=1)
        assert time.monotonic() - started_s >= 9 / 8

    asyncio.run(check())


def test_attributes_go_along_and_those_that_change_meanwhile_too(tmp_path: Path) -> None:
    async def check() -> None:
        async with opened_store("memory") as store:
            shelf = Shelf(tmp_path, store)
            for number in range(4):
                shelf.write(f"{number}.md", page(number))
            await shelf.add(SMALL)
            index = shelf.index
            (info,) = await index.collections()
            known: dict[str, AttributeType] = {"course": "keyword", "year": "integer"}
            await index.create(replace(info.spec, attributes=known, require=("course",)))
            records = await index.documents(OLD)
            first = [replace(one, attributes={"course": "ml", "year": 1}) for one in records]
            await index.touch(OLD, first)
            with pytest.raises(StoreError, match="on fire"):
                await shelf.reembed(LARGE, index=stopping(shelf, 2))
            later = [replace(one, attributes={}, inherited={"course": "stats"}) for one in records]
            await index.touch(OLD, later)
            await shelf.reembed(LARGE)
            (info,) = await index.collections()
            assert (info.spec.name, info.spec.require) == (NEW, ("course",))
            assert info.spec.attributes == known
            assert {r.path: r.all_attributes for r in await index.documents(NEW)} == {
                one.path: {"course": "stats"} for one in records
            }
            chunks = await index.page(NEW, None, 999)
            assert {tuple(chunk.attributes.items()) for chunk in chunks} == {(("course", "stats"),)}

    asyncio.run(check())
