from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing

from pincite.ports import Exists, Filter, Store
from pincite.stores.sqlite.database import MIGRATIONS
from pincite.stores.sqlite.store import SqliteStore
from pincite.support.fields import replace
from pincite.testing.points import DENSE_SPEC, point_of
from pincite.testing.random_attributes import SPEC, found
from pincite.testing.stores import StoreContract
from tests.quick_folder import quick_folder


class TestSqliteStore(StoreContract):
    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Store]:
        with quick_folder() as folder:
            store = SqliteStore(folder / "collections.db")
            yield store
            await store.close()


def test_a_file_of_schema_1_takes_attributes() -> None:
    async def check() -> None:
        with quick_folder() as folder:
            path = folder / "points.db"
            old = point_of("fox")
            store = SqliteStore(path)
            await store.create(DENSE_SPEC)
            await store.stage("main", {"r1": [old]})
            await store.publish("main", {"r1": None})
            await store.close()
            with closing(sqlite3.connect(path)) as db:  # as it was made before there were any
                db.executescript(
                    "UPDATE points SET rest = json_remove(rest, '$.attributes');"
                    "DROP TABLE attributes; DROP TABLE word_indexes; PRAGMA user_version = 1;"
                )
            store = SqliteStore(path)
            await store.create(replace(SPEC, name="main"))
            (loaded,) = await store.load("main", [old.chunk.id])
            assert loaded.chunk == old.chunk
            await store.set_attributes("main", {"r1": {"year": 3}})
            assert await found(store, Filter(must=(Exists("year"),))) == {old.chunk.id}
            await store.close()

    assert len(MIGRATIONS) == 3
    asyncio.run(check())
