"""Chroma in a folder, and its server, really started."""

from __future__ import annotations

import asyncio
import gc
import socket
import subprocess
import sys
import time
import warnings
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from pincite.errors import StoreError
from pincite.ports import AnyOf, Filter, Ids, Range, Store
from pincite.stores.chroma.database import Database, open_client
from pincite.stores.chroma.records import Image
from pincite.stores.chroma.store import ChromaStore
from pincite.stores.settings import StoreSettings
from pincite.support.fields import replace
from pincite.testing.points import DENSE_SPEC, request_for
from pincite.testing.random_attributes import SPEC
from pincite.testing.scores import assert_same, random_points
from pincite.testing.stores import StoreContract
from tests.providers.core.proxy import proxy
from tests.quick_folder import quick_folder


class TestChromaInAFolder(StoreContract):
    # a filter takes longer than in other embedded stores; still more values than one request has
    attribute_filters = 400
    attribute_values = 4_000

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Store]:
        with quick_folder() as folder:
            store = ChromaStore(Database(open_client("", folder), str(folder)))
            yield store
            await store.close()


def test_a_writer_keeps_its_image_in_step_and_another_store_reads_the_same() -> None:
    async def session(folder: Path) -> None:
        read: list[str] = []

        class Counting(Database):
            async def read_all(self, collection: Any) -> Any:
                read.append(collection.name)
                return await super().read_all(collection)

        client = open_client("", folder)
        store = ChromaStore(Counting(client, str(folder)))
        await store.create(DENSE_SPEC)
        for number in range(12):
            await store.stage("main", {f"r{number}": random_points(5, number)})
            replaced = f"r{number - 1}" if number % 3 == 2 else None
            await store.publish("main", {f"r{number}": replaced})
        await store.remove("main", ["r6"])
        request = request_for("fox owl", exact=True)
        found, chunks = await store.search("main", request), await store.page("main", None, 99)
        counts = await store.revisions("main")
        assert len(read) == 1  # when there was nothing
        other = ChromaStore(Database(client, str(folder)))
        await other.create(DENSE_SPEC)
        assert counts == await other.revisions("main")
        assert sum(counts.values()) == 7 * 5
        assert chunks == await other.page("main", None, 99)
        assert_same(found, await other.search("main", request))
        await store.close()

    with quick_folder() as folder:
        asyncio.run(session(folder))


def test_what_the_last_filter_matches_is_remembered_until_something_is_written() -> None:
    async def session(folder: Path) -> None:
        store = ChromaStore(Database(open_client("", folder), str(folder)))
        await store.create(DENSE_SPEC)
        points = random_points(6, 1)
        found = []
        for revision, some in (("r1", points[:3]), ("r2", points[3:])):
            await store.stage("main", {revision: some})
            await store.publish("main", {revision: None})
            image = await store._images.of("main", *await store._open("main"))
            everything, one = Filter(), Filter(must=(Ids((points[0].chunk.id,)),))
            first = image.passing(everything)
            assert image.passing(everything) is first
            assert [*image.passing(one)] == [points[0].chunk.id]
            again = image.passing(everything)
            assert again == first
            assert again is not first  # one filter is remembered
            found.append(set(first))
        assert found == [{each.chunk.id for each in some} for some in (points[:3], points)]
        await store.close()

    with quick_folder() as folder:
        asyncio.run(session(folder))


class _Long(str):
    """A value of a list that takes long to write out."""

    __slots__ = ()

    def __repr__(self) -> str:
        raise AssertionError


def test_filters_are_compared_and_not_written_out() -> None:
    """The text of a list of 20,000 documents takes 6 ms, and each term of a question has one."""
    image = Image("", frozenset(), {})
    first = image.passing(Filter(must=(AnyOf("path", (_Long("a.md"),)),)))
    assert image.passing(Filter(must=(AnyOf("path", (_Long("a.md"),)),))) is first
    assert image.passing(Filter(must=(AnyOf("path", (_Long("b.md"),)),))) is not first


def test_an_equal_filter_with_floats_is_another_one() -> None:
    """Integers are compared exactly, and as floats with a float, which rounds 2^53 + 1."""

    async def session(folder: Path) -> None:
        store = ChromaStore(Database(open_client("", folder), str(folder)))
        await store.create(replace(SPEC, name="main"))
        whole = 2**53
        points = [
            replace(one, chunk=replace(one.chunk, attributes={"year": whole + n}))
            for n, one in enumerate(random_points(2, 1))
        ]
        await store.stage("main", {"r1": points})
        await store.publish("main", {"r1": None})
        image = await store._images.of("main", *await store._open("main"))
        exact = Filter(must=(Range("year", gte=whole, lte=whole),))
        rounded = Filter(must=(Range("year", gte=float(whole), lte=float(whole)),))
        assert exact == rounded
        for _ in range(2):
            assert [len(image.passing(one)) for one in (exact, rounded)] == [1, 2]
        await store.close()

    with quick_folder() as folder:
        asyncio.run(session(folder))


@pytest.mark.parametrize("space", ["l2", "ip"])
def test_a_collection_that_measures_by_something_else_is_refused(space: str) -> None:
    """`get_or_create_collection` keeps the space that there is, whatever it is asked for."""

    async def session(folder: Path) -> None:
        client = open_client("", folder)
        store = ChromaStore(Database(client, str(folder)))
        await store.create(DENSE_SPEC)
        (made,) = client.list_collections()
        assert (made.configuration_json["hnsw"] or {})["space"] == "cosine"
        client.delete_collection(made.name)
        wrong: Any = {"hnsw": {"space": space}}
        client.create_collection(
            made.name,
            configuration=wrong,
            metadata=made.metadata,
            embedding_function=None,
        )
        for use in (store.create(DENSE_SPEC), store.search("main", request_for("fox owl"))):
            with pytest.raises(StoreError, match=f"ranks by {space}"):
                await use
        await store.close()

    with quick_folder() as folder:
        asyncio.run(session(folder))


@pytest.fixture(scope="class")
def server(request: pytest.FixtureRequest) -> Iterator[str]:
    with quick_folder() as folder:
        process, url = _start(folder)
        try:
            request.cls.url = url
            yield url
        finally:
            process.terminate()
            process.wait()
            with warnings.catch_warnings():  # or they are found in the middle of another test
                warnings.simplefilter("ignore", ResourceWarning)
                gc.collect()


def _start(folder: Path) -> tuple[subprocess.Popen[bytes], str]:
    """A server that answers. It is told a port, which somebody else may take before it does."""
    command = (str(Path(sys.executable).with_name("chroma")), "run", "--path", str(folder))
    for _ in range(5):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        process = subprocess.Popen(
            [*command, "--host", "127.0.0.1", "--port", str(port)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while process.poll() is None:
            with suppress(StoreError):
                open_client(f"http://127.0.0.1:{port}", None)
                return process, f"http://127.0.0.1:{port}"
            time.sleep(0.1)
    pytest.fail(f"chroma ends with {process.returncode}")


@pytest.mark.filterwarnings(
    "ignore:Exception ignored in. <socket:pytest.PytestUnraisableExceptionWarning"
)
@pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning")  # Chroma leaves them open
@pytest.mark.usefixtures("server")
class TestChromaServer(StoreContract):
    # what is written and asked is as in the folder, and goes over HTTP in more than one request
    attribute_filters = 250
    attribute_values = 2_500
    revisions_at_once = 300
    url: str

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Store]:
        prefix = f"p{uuid4().hex[:8]}-"
        store = ChromaStore(Database(open_client(self.url, None), self.url), prefix=prefix)
        yield store
        await store.close()


def test_chroma_alone_is_not_asked_to_compare_with_every_vector() -> None:
    assert [StoreSettings(kind).exact for kind in ("edge", "sqlite")] == [True, True]
    assert StoreSettings("qdrant", url="http://localhost").exact
    assert not StoreSettings("chroma").exact


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_server_on_this_machine_is_not_asked_through_a_proxy(
    monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    with proxy() as (address, asked):
        monkeypatch.setenv("http_proxy", address)
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        with pytest.raises(StoreError, match="does not answer"):
            open_client(f"http://{host}:9", None, "secret")
        assert asked == []
        with pytest.raises(StoreError):
            open_client("http://chroma.example:9", None)
        assert asked
