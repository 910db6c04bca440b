from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pincite.ports import Store
from pincite.stores.memory import MemoryStore
from pincite.testing.stores import StoreContract


class TestMemoryStore(StoreContract):
    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Store]:
        yield MemoryStore()
