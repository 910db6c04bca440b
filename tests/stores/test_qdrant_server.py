"""What a server brings besides the contract: other writers, other owners, bad days."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from pincite.errors import DiskFull, StoreError, UsageError
from pincite.ports.filters import AnyOf, Filter
from pincite.stores.qdrant.collections import Layout
from pincite.stores.qdrant.connection import TRIES, Connection, open_client
from pincite.stores.qdrant.store import QdrantStore
from pincite.support.fields import replace
from pincite.testing.points import DENSE_SPEC, LEXICAL_SPEC, SPARSE, point_of, request_for
from pincite.testing.visibility import COW, FOX, found, show
from tests.stores.qdrant_http import DESCRIPTION, Recorder, recording_server

pytestmark = [
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning"),
    pytest.mark.filterwarnings("ignore:Local mode performs exact:UserWarning"),
]


@pytest.fixture
def server() -> Iterator[Recorder]:
    with recording_server() as recorder:
        yield recorder
        assert recorder.wrong == []


@asynccontextmanager
async def opened(server: Recorder, **options: Any) -> AsyncIterator[QdrantStore]:
    client = open_client(server.url, None, grpc_port=None, timeout_s=30)
    store = QdrantStore(Connection(client, server.url, first_wait_s=0.001), **options)
    try:
        yield store
    finally:
        await store.close()


def test_every_operation_of_the_description_is_used_and_follows_it(server: Recorder) -> None:
    async def use() -> None:
        layout = Layout(shards=3, replicas=2, write_consistency=1, on_disk=True)
        async with opened(
            server, layout=replace(layout, quantization="scalar", tenant="repo")
        ) as store:
            await store.create(LEXICAL_SPEC)
            await store.create(DENSE_SPEC)
            await show(store, "r1", FOX, COW)
            await store.search("main", request_for("fox"))
            await store.search("main", request_for("fox", fusion="rrf"))
            await store.load("main", [FOX.chunk.id], vectors=True)
            await store.page("main", None, 3)
            vector, _ = SPARSE.encode_document("hen", 3.0)
            await store.set_sparse("main", {FOX.chunk.id: vector})
            await store.revisions("main")
            await store.drop("main")

    asyncio.run(use())
    described = {
        f"{method.upper()} {path}"
        for path, methods in DESCRIPTION["paths"].items()
        for method in methods
    }
    assert server.operations == described


def test_a_field_may_keep_the_points_of_each_of_its_values_together(server: Recorder) -> None:
    async def use() -> None:
        async with opened(server, layout=Layout(tenant="repo")) as store:
            await store.create(LEXICAL_SPEC)

    asyncio.run(use())
    asked = [body for _, body in server.requests if isinstance(body, dict)]
    schemas = {b["field_name"]: b["field_schema"] for b in asked if "field_schema" in b}
    assert schemas["repo"] == {"type": "keyword", "is_tenant": True}
    assert schemas["path"] == "keyword"
    assert schemas["start_line"] == "integer"
    assert schemas["text"]["type"] == "text"


def test_a_fused_search_is_one_call_with_everything_inside_its_prefetches(
    server: Recorder,
) -> None:
    async def use() -> None:
        async with opened(server) as store:
            await store.create(DENSE_SPEC)
            await show(store, "r1", FOX)
            await store.stage("main", {"r2": [COW]})
            server.requests.clear()
            request = request_for("fox", fusion="rrf", fusion_k=60, hnsw_ef=256, dense_limit=80)
            await store.search("main", request)
            await store.search("main", request)

    asyncio.run(use())
    queries = [body for operation, body in server.requests if operation.endswith("/points/query")]
    query = queries[-1]
    assert query["query"] == {"rrf": {"k": 61}}
    dense, sparse = query["prefetch"]
    assert (dense["limit"], dense["using"], dense["params"]["hnsw_ef"]) == (80, "dense", 256)
    assert (sparse["limit"], sparse["using"]) == (100, "sparse")
    for branch in (dense, sparse):
        assert branch["filter"]["must_not"][0]["match"] == {"any": ["r2"]}


def test_both_branches_are_one_request(server: Recorder) -> None:
    async def use() -> None:
        async with opened(server) as store:
            await store.create(DENSE_SPEC)
            await show(store, "r1", FOX)
            await store.search("main", request_for("fox"))
            server.requests.clear()
            await store.search("main", request_for("fox"))

    asyncio.run(use())
    operations = [operation.rpartition("/")[2] for operation, _ in server.requests]
    assert operations == ["batch", "scroll"]
    assert len(server.requests[0][1]["searches"]) == 2


def test_what_one_writer_publishes_another_store_sees_at_once(server: Recorder) -> None:
    async def use() -> None:
        async with opened(server) as writer, opened(server) as reader:
            await writer.create(DENSE_SPEC)
            await reader.create(DENSE_SPEC)
            await show(writer, "r1", FOX)
            for number in range(8):
                new = point_of(f"fox number {number}")
                await writer.stage("main", {f"n{number}": [new]})
                before = await found(reader, "fox")
                assert new.chunk.id not in before
                assert len(before) == 1
                old = f"n{number - 1}" if number else "r1"
                await writer.publish("main", {f"n{number}": old})
                assert await found(reader, "fox") == {new.chunk.id}

    asyncio.run(use())


def test_two_writers_and_a_search_never_see_half_a_document(server: Recorder) -> None:
    async def use() -> None:
        async with opened(server) as one, opened(server) as two, opened(server) as reader:
            for store in (one, two, reader):
                await store.create(DENSE_SPEC)

            def version(writer: str, number: int) -> list[Any]:
                return [point_of(f"{writer} fox {number} part {part}") for part in range(4)]

            whole = {
                (name, number): {point.chunk.id for point in version(name, number)}
                for name in "ab"
                for number in range(12)
            }
            for name, store in (("a", one), ("b", two)):
                await show(store, f"{name}0", *version(name, 0))

            async def write(store: QdrantStore, name: str) -> None:
                for number in range(1, 12):
                    await store.stage("main", {f"{name}{number}": version(name, number)})
                    await store.publish("main", {f"{name}{number}": f"{name}{number - 1}"})

            writers = asyncio.gather(write(one, "a"), write(two, "b"))
            seen = 0
            while not writers.done():
                for fusion in ("none", "rrf"):
                    request = request_for("fox", sparse=None, fusion=fusion)
                    (ranking,) = await reader.search("main", request)
                    ids = {hit.id for hit in ranking.hits}
                    shown = [version for version, parts in whole.items() if parts & ids]
                    assert all(whole[version] <= ids for version in shown)
                    assert len({name for name, _ in shown}) == len(shown)
                    seen += len(shown)
            await writers
            assert seen
            assert await reader.revisions("main") == {"a11": 4, "b11": 4}

    asyncio.run(use())


def test_a_writer_that_dies_between_two_requests_leaves_the_old_or_the_new(
    server: Recorder,
) -> None:
    old = [point_of(f"old fox {n}", f"same {n}") for n in range(3)]
    fresh = [point_of(f"new fox {n}", f"other {n}") for n in range(2)]

    async def lived(requests: int) -> bool:
        """Replace the document, with a server that is gone after so many requests."""
        async with opened(server) as store:
            await store.create(DENSE_SPEC)
            await show(store, "r1", *old)
            server.failing = [0] * requests + [403] * 99
            try:
                await show(store, "r2", *fresh, replaces="r1")
            except StoreError:
                return False
            finally:
                server.failing = []
        return True

    async def check() -> None:
        async with opened(server) as store:
            await store.create(DENSE_SPEC)
            ids = await found(store, "fox")
            assert ids in ({p.chunk.id for p in old}, {p.chunk.id for p in fresh})
            await store.publish("main", {"r2": "r1"})  # as after a crash
            await show(store, "r2", *fresh, replaces="r1")
            assert await found(store, "fox") == {p.chunk.id for p in fresh}
            await store.drop("main")

    requests = 0
    while not asyncio.run(lived(requests)):
        asyncio.run(check())
        requests += 1
    assert requests > 3


def test_what_belongs_to_others_is_left_alone(server: Recorder) -> None:
    server.engine.create_collection("main", vectors_config={})

    async def use() -> None:
        async with opened(server, owner="one") as one:
            for call in (one.create(DENSE_SPEC), one.drop("main")):
                with pytest.raises(UsageError, match="not made by Pincite"):
                    await call
        async with opened(server, owner="one", prefix="p-") as one:
            await one.create(DENSE_SPEC)
        async with opened(server, owner="two", prefix="p-") as two:
            for call in (two.create(DENSE_SPEC), two.drop("main")):
                with pytest.raises(UsageError, match="belongs to another index"):
                    await call

    asyncio.run(use())
    assert {c.name for c in server.engine.get_collections().collections} == {"main", "p-main"}


def test_a_server_that_is_busy_is_asked_again(server: Recorder) -> None:
    async def use() -> None:
        async with opened(server) as store:
            await store.create(DENSE_SPEC)
            await show(store, "r1", FOX)
            server.failing = [429, 503]
            assert await found(store, "fox") == {FOX.chunk.id}
            server.failing = [503] * TRIES
            with pytest.raises(StoreError, match="503"):
                await store.revisions("main")

    asyncio.run(use())


@pytest.mark.parametrize(
    ("status", "kind", "hint"),
    [
        (401, StoreError, "PINCITE_QDRANT_KEY"),
        (403, StoreError, "PINCITE"),
        (507, DiskFull, "room"),
    ],
)
def test_refusals_say_what_to_do(
    server: Recorder, status: int, kind: type[StoreError], hint: str
) -> None:
    async def use() -> None:
        async with opened(server) as store:
            server.failing = [status]
            with pytest.raises(kind) as caught:
                await store.create(DENSE_SPEC)
            assert hint in caught.value.hint

    asyncio.run(use())


def test_a_server_that_is_not_there_is_named() -> None:
    async def use() -> None:
        client = open_client("http://127.0.0.1:9", None, grpc_port=None, timeout_s=2)
        store = QdrantStore(Connection(client, "http://127.0.0.1:9", first_wait_s=0.001))
        with pytest.raises(StoreError, match=r"127\.0\.0\.1:9"):
            await store.create(DENSE_SPEC)
        await store.close()

    asyncio.run(use())


def test_a_key_is_never_sent_in_the_clear_to_another_machine() -> None:
    with pytest.raises(UsageError, match="unencrypted"):
        open_client("http://qdrant.example:6333", "secret", grpc_port=None, timeout_s=1)
    for address in ("qdrant.example", "ftp://qdrant.example", "https://"):
        with pytest.raises(UsageError, match="not the address"):
            open_client(address, None, grpc_port=None, timeout_s=1)


def test_words_may_be_counted_in_what_a_filter_lets_be_found(server: Recorder) -> None:
    """How common a word is elsewhere, a score does not tell."""
    here = Filter(must=(AnyOf("repo", ("here",)),))

    async def scores(filtered: bool, elsewhere: str, fusion: str = "none") -> list[float]:
        async with opened(server, filtered_idf=filtered) as store:
            await store.create(LEXICAL_SPEC)
            points = [point_of(text, text, dense=False, repo="here") for text in ("fox", "cow")]
            points += [
                point_of(elsewhere, f"{elsewhere}{n}", dense=False, repo="there") for n in range(8)
            ]
            await show(store, "r1", *points)
            request = request_for("fox", dense=None, filter=here, fusion=fusion)
            (ranking, *_) = await store.search("main", request)
            await store.drop("main")
        return [round(hit.score, 4) for hit in ranking.hits]

    async def use() -> None:
        rare, common = await scores(False, "hen"), await scores(False, "fox")
        assert rare != common
        rare, common = await scores(True, "hen"), await scores(True, "fox")
        assert rare == common
        assert await scores(True, "hen", "rrf")

    asyncio.run(use())
    sent = [body for name, body in server.requests if name.endswith("/points/query")]
    (sparse,) = sent[-1]["prefetch"]
    assert sparse["params"]["idf"]["corpus"]["must"]
