from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from pincite.catalog.sqlite import SqliteCatalog
from pincite.daemon.client import RemoteIndex
from pincite.index.local import LocalIndex
from pincite.model import Source, SourceRecord
from pincite.ports import Index
from pincite.stores.memory import MemoryStore
from pincite.stores.qdrant_edge.store import EdgeStore
from pincite.testing.indexes import IndexContract
from pincite.testing.points import LEXICAL_SPEC
from tests.places import quick_folder


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
