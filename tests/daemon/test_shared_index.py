"""An index that no process owns keeps what `Index` promises, and several processes see the same."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest

from pincite.daemon.shared_index import SharedIndex
from pincite.errors import ConfigError, PinciteError, StoreError, UsageError
from pincite.ports import Index
from pincite.support.fields import replace
from pincite.testing.index_documents import A1, A2, B1, chunk_found, texts
from pincite.testing.indexes import IndexContract
from pincite.testing.points import DENSE_SPEC, LEXICAL_SPEC, request_for
from tests.daemon.shared_indexes import LONG, opened_index
from tests.stores.qdrant_http import Recorder, recording_server
from tests.time_limits import HANGS_S
from tests.workspace.conftest import anyio_backend, database, migrated, postgres
from tests.workspace.postgres_server import Database, Server

__all__ = ["anyio_backend", "database", "migrated", "postgres"]

pytestmark = [
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning"),
    pytest.mark.filterwarnings("ignore:Local mode performs exact:UserWarning"),
]


class TestOnServers(IndexContract):
    """In one process. What hundreds of requests would tell, the suites of the store do."""

    test_each_of_many_documents_is_seen_whole_while_all_are_replaced = None  # type: ignore[assignment]
    test_many_documents_are_replaced_at_once = None  # type: ignore[assignment]

    @pytest.fixture(autouse=True)
    def _database(self, postgres: Server, migrated: str) -> None:
        self.database = postgres.database(migrated)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Index]:
        with recording_server() as recorder:
            index = opened_index(self.database, recorder.url)
            yield index
            await index.close()


@pytest.fixture
def qdrant() -> Iterator[Recorder]:
    with recording_server() as recorder:
        yield recorder


@pytest.fixture
async def two(database: Database, qdrant: Recorder) -> AsyncIterator[list[SharedIndex]]:
    made = [opened_index(database, qdrant.url) for _ in range(2)]
    yield made
    for one in made:
        await one.close()


@pytest.mark.anyio
async def test_what_one_writes_the_other_sees_at_once(two: list[SharedIndex]) -> None:
    one, other = two
    await one.create(DENSE_SPEC)
    await one.replace("main", [A1, B1])
    assert await texts(other) == ["the brown cow", "the brown fox", "the brown owl"]
    await other.replace("main", [A2])
    assert await texts(one) == ["the brown owl", "the white hen"]
    assert (await chunk_found(one, "the white hen")).text == "the white hen"
    touched = replace(A2.record, ref="beef")
    await one.touch("main", [touched])
    assert (await chunk_found(other, "the white hen")).ref == "beef"
    await other.drop("main")
    await one.create(replace(LEXICAL_SPEC, name="main"))
    assert await texts(one) == []
    assert await texts(other) == []


@pytest.mark.anyio
async def test_words_are_weighed_by_what_all_have_written(two: list[SharedIndex]) -> None:
    one, other = two
    await one.create(DENSE_SPEC)
    await one.replace("main", [A1])
    await other.replace("main", [B1])
    found = [await index.search("main", request_for("brown owl")) for index in two]
    assert found[0] == found[1]
    assert found[0][-1].counted is not None
    assert found[0][-1].counted.chunks == 3


@pytest.mark.anyio
async def test_collections_of_another_index_and_another_prefix_are_refused(
    two: list[SharedIndex], database: Database, qdrant: Recorder, postgres: Server, migrated: str
) -> None:
    await two[0].create(DENSE_SPEC)
    elsewhere = opened_index(postgres.database(migrated), qdrant.url)
    with pytest.raises(UsageError, match="belongs to another index"):
        await elsewhere.create(DENSE_SPEC)
    await elsewhere.close()
    renamed = opened_index(database, qdrant.url, "other-")
    with pytest.raises(ConfigError, match="prefix is 'other-'"):
        await renamed.collections()
    await renamed.close()


@pytest.mark.anyio
async def test_a_store_that_is_away_is_named_and_is_back_without_a_restart(
    two: list[SharedIndex], qdrant: Recorder
) -> None:
    await two[0].create(DENSE_SPEC)
    await two[0].replace("main", [A1])
    await two[1].hello()
    qdrant.failing.extend([503] * 50)
    with pytest.raises(StoreError):
        await two[1].search("main", request_for("fox"))
    with pytest.raises(StoreError):
        await two[1].hello()
    qdrant.failing.clear()
    await two[1].hello()
    assert (await chunk_found(two[1], "the brown fox")).text == "the brown fox"


CHILD = """
import asyncio, sys
from tests.daemon.shared_indexes import LONG, opened_index
from tests.workspace.postgres_server import Database
from pincite.testing.index_documents import A2

async def main():
    index = opened_index(Database("", sys.argv[1], "", ""), sys.argv[2])
    async with index.leases.take("main", "writing", LONG):
        print("writing", flush=True)
        await index.replace("main", [A2])
        print("written", flush=True)
        await index.settle("main")
    await index.close()

asyncio.run(main())
"""


class Killer(list[tuple[str, object]]):
    """The requests of a server, which kills who sends the last of so many writes."""

    def __init__(self, left: int) -> None:
        super().__init__()
        self.left = left
        self.process: subprocess.Popen[str] | None = None

    def append(self, request: tuple[str, object]) -> None:
        super().append(request)
        if self.process is not None and request[0].endswith("/points/batch"):
            self.left -= 1
            if self.left == 0:
                os.kill(self.process.pid, signal.SIGKILL)
                self.process.wait(HANGS_S)


def _write_until_killed(database: Database, qdrant: Recorder, killer: Killer) -> None:
    qdrant.requests = killer
    command = [sys.executable, "-c", CHILD, database.operator, qdrant.url]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as child:
        killer.process = child
        child.communicate(timeout=HANGS_S)
    assert child.returncode == -signal.SIGKILL


@pytest.mark.anyio
@pytest.mark.parametrize("writes", [1, 2])
async def test_a_writer_that_is_killed_leaves_the_old_or_the_new_to_its_successor(
    two: list[SharedIndex], database: Database, qdrant: Recorder, writes: int
) -> None:
    await two[0].create(DENSE_SPEC)
    await two[0].replace("main", [A1, B1])
    await asyncio.to_thread(_write_until_killed, database, qdrant, Killer(writes))
    async with two[1].leases.take("main", "writing", LONG):
        held = await texts(two[1])
        new = ["the brown owl", "the white hen"]
        assert held in (["the brown cow", "the brown fox", "the brown owl"], new)
        documents = {one.revision for one in await two[1].documents("main")}
        assert documents == ({"a2", "b1"} if held == new else {"a1", "b1"})
        await two[1].replace("main", [A2])
        assert await texts(two[0]) == new
    name = qdrant.engine.get_collections().collections[0].name
    records, _ = qdrant.engine.scroll(name, limit=100)
    revisions = {p["revision"] for one in records if "revision" in (p := one.payload or {})}
    assert revisions == {"a2", "b1"}


@pytest.mark.anyio
async def test_an_address_without_a_server_is_named(qdrant: Recorder) -> None:
    away = opened_index(Database("", "postgresql://a:s3cret@127.0.0.1:1/x", "", ""), qdrant.url)
    with pytest.raises(PinciteError) as caught:
        await away.collections()
    assert "s3cret" not in repr(caught.value)
    await away.close()
