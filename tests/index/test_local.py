from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pincite.catalog.sqlite import SqliteCatalog
from pincite.daemon.client import RemoteIndex
from pincite.index.local import LocalIndex
from pincite.ports import Index
from pincite.stores.memory import MemoryStore
from pincite.stores.qdrant_edge.store import EdgeStore
from pincite.testing.indexes import IndexContract
from tests.places import quick_folder


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
