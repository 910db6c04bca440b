from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, closing
from typing import Any

import pytest

from pincite.ports import AnyOf, Exists, Filter, Ids, SearchRequest, Store
from pincite.stores.sqlite.database import MIGRATIONS
from pincite.stores.sqlite.fts import FtsConfig
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


def statements_of(store: SqliteStore) -> list[str]:
    """Return the list to which every statement is added that the store reads with from now on."""
    read: list[str] = []
    database = store._database
    whole = database.read

    def counted(sql: str, values: Sequence[object] = ()) -> list[Any]:
        read.append(sql)
        return whole(sql, values)

    database.read = counted  # type: ignore[method-assign]
    return read


@pytest.mark.parametrize("words", [None, FtsConfig()])
def test_a_filter_that_matches_nothing_reads_no_chunk_that_has_the_words(
    words: FtsConfig | None,
) -> None:
    async def check() -> None:
        with quick_folder() as folder:
            store = SqliteStore(folder / "points.db", words)
            await store.create(replace(DENSE_SPEC, idf=True, average_length=4.0))
            fox = point_of("fox")
            await store.stage("main", {"r1": [fox]})
            await store.publish("main", {"r1": None})
            read = statements_of(store)
            request = SearchRequest(dense=fox.dense, sparse=fox.sparse, words="fox")
            for found in (True, False):
                read.clear()
                none = Filter(must=(AnyOf("path", ("nowhere",)),))
                asked = request if found else replace(request, filter=none)
                rankings = await store.search("main", asked)
                assert [one.signal for one in rankings] == ["dense", "sparse"]
                assert [len(one.hits) for one in rankings] == [found, found]
                looked_up = [one for one in read if "postings" in one or "words_" in one]
                assert bool(looked_up) is found
            await store.close()

    asyncio.run(check())


@pytest.mark.parametrize("idf", [False, True])
def test_a_word_of_many_hidden_chunks_is_looked_up_in_the_allowed_ones_alone(idf: bool) -> None:
    """Their scores are those of a search that reads all of them."""

    async def check() -> None:
        with quick_folder() as folder:
            store = SqliteStore(folder / "points.db")
            shape = {"idf": True, "average_length": 4.0} if idf else {}
            await store.create(replace(DENSE_SPEC, **shape))
            texts = ["fox cow", "cow cow", "fox fox hen"]
            points = [point_of(texts[n % 3] if n < 3 else "fox", f"{n}") for n in range(60)]
            mine = [one.chunk.id for one in points[:3]]
            await store.stage("main", {"r1": points})
            await store.publish("main", {"r1": None})
            asked = SearchRequest(sparse=point_of("fox cow").sparse)
            (whole,) = await store.search("main", asked)
            read: list[int] = []
            database = store._database
            rows_of = database.read

            def counted(sql: str, values: Sequence[object] = ()) -> list[Any]:
                rows = rows_of(sql, values)
                read.append(len(rows))
                return rows

            database.read = counted  # type: ignore[method-assign]
            (found,) = await store.search("main", asked.only(Ids(tuple(mine))))
            assert found.hits == tuple(one for one in whole.hits if one.id in mine)
            assert len(found.hits) == 3
            assert max(read) <= 3
            await store.close()

    asyncio.run(check())


@pytest.mark.parametrize(
    ("allowed", "scans", "looks_up"),
    [(59, 1, 0), (30, 1, 0), (29, 0, 10), (7, 0, 3), (6, 0, 2)],
)
def test_a_word_is_looked_up_by_key_if_at_most_half_of_its_chunks_are_allowed(
    monkeypatch: pytest.MonkeyPatch, allowed: int, scans: int, looks_up: int
) -> None:
    """Keys are passed three at a time here. Chunks that have a word are counted once."""
    monkeypatch.setattr("pincite.stores.sqlite.search._AT_ONCE", 3)

    async def check() -> None:
        with quick_folder() as folder:
            store = SqliteStore(folder / "points.db")
            await store.create(replace(DENSE_SPEC, idf=True, average_length=4.0))
            points = [point_of("fox", f"{n}") for n in range(60)]
            await store.stage("main", {"r1": points})
            await store.publish("main", {"r1": None})
            read = statements_of(store)
            asked = SearchRequest(sparse=points[0].sparse, sparse_limit=60)
            mine = tuple(one.chunk.id for one in points[:allowed])
            for counts in (1, 0):
                read.clear()
                (found,) = await store.search("main", asked.only(Ids(mine)))
                assert sorted(one.id for one in found.hits) == sorted(mine)
                of_term = [one for one in read if "postings" in one]
                assert sum("count(*)" in one for one in of_term) == counts
                assert sum("key IN" in one for one in of_term) == looks_up
                assert len(of_term) == counts + scans + looks_up
            await store.close()

    asyncio.run(check())
