from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from pincite.catalog.sqlite import SqliteCatalog
from pincite.daemon.client.remote_index import RemoteIndex
from pincite.errors import DiskFull
from pincite.index.local import LocalIndex
from pincite.model import Chunk, Source, SourceRecord
from pincite.ports import Index
from pincite.stores.memory import MemoryStore
from pincite.stores.qdrant_edge.store import EdgeStore
from pincite.support.fields import replace
from pincite.testing.indexes import IndexContract
from pincite.testing.points import LEXICAL_SPEC, document_of, source_of
from tests.quick_folder import quick_folder


@pytest.mark.anyio
async def test_a_changed_record_of_a_source_waits_for_the_next_flush(tmp_path: Path) -> None:
    index = LocalIndex(MemoryStore(), SqliteCatalog(tmp_path / "catalog.db"))
    await index.create(LEXICAL_SPEC)
    await index.flush()
    described = Source("docs", "/docs", "folder", descriptions={"a": "Guides"})
    await index.put_source(LEXICAL_SPEC.name, SourceRecord(described))
    assert index.dirty
    await index.flush()
    (tmp_path / "power").mkdir()
    after = tmp_path / "power" / "catalog.db"  # without the log, which is not synced
    after.write_bytes((tmp_path / "catalog.db").read_bytes())
    catalog = SqliteCatalog(after)
    (record,) = await catalog.sources(LEXICAL_SPEC.name)
    assert (record.source, index.dirty) == (described, False)
    await catalog.close()
    await index.close()


OLD = document_of("a.md", "a1", ["the brown fox", "the brown cow"], dense=False)
NEW = document_of("a.md", "a2", ["the white hen"], dense=False)


class Interrupted(MemoryStore):
    """Something else happens when a revision is read, and before one is published."""

    async def nothing(self) -> None: ...

    def __init__(self) -> None:
        super().__init__()
        self.reading: Callable[[], Awaitable[None]] = self.nothing
        self.publishing: Callable[[], Awaitable[None]] = self.nothing

    async def of_revision(self, collection: str, revision: str) -> tuple[Chunk, ...]:
        happens, self.reading = self.reading, self.nothing
        await happens()
        return await super().of_revision(collection, revision)

    async def publish(self, collection: str, replaced: Mapping[str, str | None]) -> None:
        happens, self.publishing = self.publishing, self.nothing
        await happens()
        await super().publish(collection, replaced)


@pytest.mark.anyio
async def test_a_document_is_read_whole_while_it_is_replaced(tmp_path: Path) -> None:
    """It is replaced between two turns of a long read, and read before the new one is published."""
    store = Interrupted()
    index = LocalIndex(store, SqliteCatalog(tmp_path / "catalog.db"))
    await index.create(LEXICAL_SPEC)
    await index.replace(LEXICAL_SPEC.name, [OLD])

    async def replace_it() -> None:
        await index.replace(LEXICAL_SPEC.name, [NEW])

    async def read() -> list[str]:
        found = await index.document(LEXICAL_SPEC.name, OLD.record.source, "a.md")
        return [chunk.text for chunk in found]

    store.reading = replace_it
    assert await read() == ["the white hen"]

    reads: list[list[str]] = []

    async def read_it() -> None:
        reads.append(await read())

    store.publishing = read_it
    await index.replace(LEXICAL_SPEC.name, [OLD])
    assert (reads, await read()) == ([["the white hen"]], ["the brown fox", "the brown cow"])

    await index.remove(LEXICAL_SPEC.name, ["a1"])
    assert await read() == []
    await index.close()


@pytest.mark.anyio
async def test_what_was_emptied_is_not_complete_until_it_is_indexed_again(tmp_path: Path) -> None:
    index = LocalIndex(MemoryStore(), SqliteCatalog(tmp_path / "catalog.db"))
    await index.create(LEXICAL_SPEC)
    await index.put_source(LEXICAL_SPEC.name, replace(source_of(), complete=True))
    await index.reset(LEXICAL_SPEC)
    assert [one.complete for one in await index.sources(LEXICAL_SPEC.name)] == [False]
    await index.close()


@pytest.mark.anyio
@pytest.mark.parametrize("full_from", [0, 1])
async def test_a_full_disk_empties_no_collection_and_is_no_lasting_damage(full_from: int) -> None:
    """At once, or just after it was checked that there is room."""
    looks = iter((10**12,) * full_from)
    full = False

    def free(_: Path) -> int:
        return next(looks, 10**6) if full else 10**12

    with quick_folder() as folder:
        store = EdgeStore(folder / "collections", free)
        index = LocalIndex(store, SqliteCatalog(folder / "catalog.db"), store)
        await index.open()
        await index.create(LEXICAL_SPEC)
        await index.replace(
            LEXICAL_SPEC.name, [document_of("a.md", "a1", ["one two"], dense=False)]
        )
        full = True
        with pytest.raises(DiskFull):
            await index.reset(LEXICAL_SPEC)
        full = False
        await index.create(LEXICAL_SPEC)
        (info,) = await index.collections()
        assert (info.broken, info.documents) == ("", 1 - full_from)
        await index.replace(LEXICAL_SPEC.name, [document_of("b.md", "b1", ["three"], dense=False)])
        await index.close()


class TestOnTheMemoryStore(IndexContract):
    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Index]:
        index = LocalIndex(MemoryStore(), SqliteCatalog(":memory:"))
        yield index
        await index.close()


class TestOnQdrantEdge(IndexContract):
    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Index]:
        with quick_folder() as folder:
            store = EdgeStore(folder / "collections")
            index = LocalIndex(store, SqliteCatalog(folder / "catalog.db"), store)
            await index.open()
            yield index
            await index.close()


class TestThroughAnDaemon(IndexContract):
    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Index]:
        with quick_folder() as folder:
            index = RemoteIndex(folder, folder / "models", idle_s=60)
            try:
                yield index
            finally:
                await index.leave()
                await index.close()
