from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pincite.ports import Store
from pincite.stores.qdrant_edge.store import EdgeStore
from pincite.testing.stores import StoreContract
from tests.places import quick_folder


class TestEdgeStore(StoreContract):
    fusion_cases = 1_000

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Store]:
        with quick_folder() as folder:
            store = EdgeStore(folder / "collections")
            yield store
            await store.close()
