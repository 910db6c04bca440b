from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pincite.ports import Store
from pincite.stores.sqlite.store import SqliteStore
from pincite.testing.stores import StoreContract
from tests.places import quick_folder


class TestSqliteStore(StoreContract):
    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Store]:
        with quick_folder() as folder:
            store = SqliteStore(folder / "collections.db")
            yield store
            await store.close()
