"""The server's store, on the client's own engine; on a real server where QDRANT_URL names one."""

from __future__ import annotations

import asyncio
import math
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import uuid4

import pytest
from qdrant_client import AsyncQdrantClient

from pincite.ports import Store
from pincite.stores.qdrant import control
from pincite.stores.qdrant.connection import Connection, open_client
from pincite.stores.qdrant.store import QdrantStore
from pincite.testing.fusions import FusionContract
from pincite.testing.points import DENSE_SPEC, point_of
from pincite.testing.stores import StoreContract
from tests.stores.qdrant_http import recording_server

URL = os.environ.get("QDRANT_URL", "")


#: What the local engine warns of: it has no indexes and always searches exactly.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning"),
    pytest.mark.filterwarnings("ignore:Local mode performs exact:UserWarning"),
]


class OnTheLocalEngine(StoreContract):
    """The local engine multiplies a matrix, in which equal vectors at different places have scores
    that differ by 1e-8. Servers calculate each by itself."""

    compares_floats = False

    def test_ties_are_ordered_by_id(self) -> None:
        pytest.skip("the local engine gives equal vectors unequal scores")


class TestQdrantStoreInProcess(FusionContract):
    """More cases of fusion than go over HTTP in a moment. The engine takes 10 ms for each."""

    fusion_cases = 400

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Store]:
        store = QdrantStore(Connection(AsyncQdrantClient(":memory:"), "the local engine"))
        yield store
        await store.close()


def test_all_hidden_revisions_are_read_however_many_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(control, "_AT_ONCE", 2)

    async def session() -> frozenset[str]:
        store = QdrantStore(Connection(AsyncQdrantClient(":memory:"), "the local engine"))
        await store.create(DENSE_SPEC)
        revisions = {f"r{number}": [point_of(f"fox {number}")] for number in range(5)}
        await store.stage("main", revisions)
        await store.publish("main", {"r0": None})
        staged = await store.staged("main")
        await store.close()
        return staged

    assert asyncio.run(session()) >= {"r1", "r2", "r3", "r4"}


def test_a_client_may_wait_without_a_limit() -> None:
    client = open_client("http://localhost:6333", None, grpc_port=None, timeout_s=math.inf)
    asyncio.run(client.close())


class TestQdrantStoreOverHttp(OnTheLocalEngine):
    """Every request of the whole suite follows the published OpenAPI. The engine behind it takes
    20 ms for a filter: each condition is in many of the first ones. A request has 256 points, and a
    page 1,000."""

    fusion_cases = 20
    attribute_filters = 250
    attribute_values = 2_500
    revisions_at_once = 300

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Store]:
        with recording_server() as recorder:
            client = open_client(recorder.url, "secret", grpc_port=None, timeout_s=30)
            store = QdrantStore(Connection(client, recorder.url), consistency="majority")
            yield store
            await store.close()
            assert recorder.wrong == []
            assert all(headers["api-key"] == "secret" for headers in recorder.headers)


@pytest.mark.skipif(not URL, reason="set QDRANT_URL to run the suite on a Qdrant server")
class TestQdrantStoreOnAServer(StoreContract):
    fusion_cases = 1_000

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Store]:
        key = os.environ.get("QDRANT_API_KEY")
        client = open_client(URL, key, grpc_port=None, timeout_s=30)
        prefix = f"contract-{uuid4().hex[:8]}-"
        store = QdrantStore(Connection(client, URL), prefix=prefix)
        try:
            yield store
        finally:
            for name in ("main", "other"):
                await store.drop(name)
            await store.close()
