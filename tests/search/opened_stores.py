"""The stores of this process, each opened on an empty folder."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pincite.ports import Store
from pincite.stores.chroma.database import Database, open_client
from pincite.stores.chroma.store import ChromaStore
from pincite.stores.memory import MemoryStore
from pincite.stores.qdrant_edge.store import EdgeStore
from pincite.stores.sqlite.store import SqliteStore
from tests.quick_folder import quick_folder


@asynccontextmanager
async def opened(kind: str) -> AsyncIterator[Store]:
    """A store of this kind: sqlite, edge, chroma or memory."""
    with quick_folder() as folder:
        store: Store
        match kind:
            case "sqlite":
                store = SqliteStore(folder / "points.db")
            case "edge":
                store = EdgeStore(folder / "edge")
            case "chroma":
                store = ChromaStore(Database(open_client("", folder / "chroma"), "a folder"))
            case _:
                store = MemoryStore()
        yield store
        await store.close()
