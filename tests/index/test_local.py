from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from pincite.catalog.sqlite import SqliteCatalog
from pincite.daemon.client.remote_index import RemoteIndex
from pincite.errors import DiskFull
from pincite.index.local import LocalIndex
from pincite.model import Source, SourceRecord
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
