from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pincite.ports import Store
from pincite.stores.memory import MemoryStore
from pincite.testing.scores import ScoreContract
from pincite.testing.stores import StoreContract


class TestMemoryStore(StoreContract, ScoreContract):
    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Store]:
        yield MemoryStore()
