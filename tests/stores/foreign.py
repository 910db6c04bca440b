"""Collections as other programs make them, on a recorded server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from qdrant_client import models

from pincite.model import CollectionSpec, Ranking
from pincite.ports import SearchRequest
from pincite.providers.sparse.engine_bm25 import EngineBm25Encoder
from pincite.stores.fields import LAYOUTS, FieldMap, Foreign
from pincite.stores.foreign_ids import PointIds
from pincite.stores.qdrant.connection import Connection, open_client
from pincite.stores.qdrant.foreign import ForeignCollection
from pincite.testing.fakes import HashingEncoder
from tests.stores.qdrant_http import Recorder, recording_server

ENCODER = HashingEncoder()
BM25 = EngineBm25Encoder()
READS = {
    "GET /collections/{collection_name}",
    "GET /collections/{collection_name}/exists",
    "POST /collections/{collection_name}/points",
    "POST /collections/{collection_name}/points/scroll",
    "POST /collections/{collection_name}/points/query/batch",
}
TEXTS = (
    "To rotate a key call rotate_key with the new secret.",
    "Backups run every night and are kept for thirty days.",
    "Invoices are sent on the first day of each month.",
)
AVERAGE_LENGTH = 6.0


def point(number: int | str, text: str, payload: Mapping[str, Any], **names: str) -> Any:
    """A point with a vector of its text; `dense` and `sparse` name the vectors."""
    dense = ENCODER.vector(text).tolist()
    vector: Any = {names["dense"]: dense} if "dense" in names else dense
    if "sparse" in names:
        sparse, _ = BM25.encode_document(text, AVERAGE_LENGTH)
        held = models.SparseVector(indices=list(sparse.indices), values=list(sparse.values))
        vector = {**vector, names["sparse"]: held}
    return models.PointStruct(id=number, vector=vector, payload=dict(payload))


def langchain(text: str, **metadata: object) -> dict[str, Any]:
    return {"page_content": text, "metadata": metadata}


def llamaindex(text: str, **metadata: object) -> dict[str, Any]:
    node = json.dumps({"text": text, "metadata": metadata, "class_name": "TextNode"})
    return {**metadata, "_node_content": node, "_node_type": "TextNode", "doc_id": "d1"}


def mcp_server_qdrant(text: str, **metadata: object) -> dict[str, Any]:
    return {"document": text, "metadata": metadata}


def put(
    server: Recorder,
    name: str,
    points: Iterable[Any],
    vectors: Any = None,
    distance: models.Distance = models.Distance.COSINE,
    sparse: str = "",
    *,
    idf: bool = True,
) -> None:
    """Make a collection behind the server's back."""
    params = models.VectorParams(size=ENCODER.dimensions, distance=distance)
    config = dict.fromkeys(vectors, params) if vectors else params
    modifier = models.Modifier.IDF if idf else None
    server.engine.create_collection(
        name,
        vectors_config=config,
        sparse_vectors_config={sparse: models.SparseVectorParams(modifier=modifier)}
        if sparse
        else None,
    )
    if made := list(points):
        server.engine.upsert(name, made)


@asynccontextmanager
async def opened(
    server: Recorder, collection: str, keys: Mapping[str, str] | str = "langchain", **values: Any
) -> AsyncIterator[ForeignCollection]:
    """The collection under the name `wiki`."""
    fields = FieldMap(LAYOUTS[keys] if isinstance(keys, str) else keys, "wiki")
    foreign = Foreign("wiki", collection, fields, **({"model": "hashing"} | values))
    spec = CollectionSpec("wiki", "", "", dense="hashing")
    client = open_client(server.url, None, grpc_port=None, timeout_s=30)
    connection = Connection(client, server.url, first_wait_s=0.001)
    try:
        yield ForeignCollection(connection, foreign, spec)
    finally:
        await connection.close()


def hex_of(number: int | str) -> str:
    """The id that a chunk has, of a point's."""
    return PointIds("wiki").chunk_id(number)


def embed(text: str) -> Any:
    """A query's vector."""
    return asyncio.run(ENCODER.embed_query(text))


@contextmanager
def reading_server() -> Iterator[Recorder]:
    """Whatever a test does there: everything that is asked follows the description and only
    reads."""
    with recording_server() as recorder:
        yield recorder
        assert recorder.wrong == []
        assert recorder.operations <= READS


def asking(text: str = "rotate the key", **values: Any) -> SearchRequest:
    """A request by meaning, unless it says more."""
    return SearchRequest(**({"dense": embed(text)} | values))


def search(
    server: Recorder, request: SearchRequest, name: str = "theirs", **values: Any
) -> tuple[Ranking, ...]:
    """What the collection answers."""

    async def ask() -> tuple[Ranking, ...]:
        async with opened(server, name, **values) as collection:
            return await collection.search("wiki", request)

    return asyncio.run(ask())


def load(server: Recorder, *ids: int | str, name: str = "theirs", **values: Any) -> tuple[Any, ...]:
    """What the collection has, with vectors."""

    async def ask() -> tuple[Any, ...]:
        async with opened(server, name, **values) as collection:
            return await collection.load("wiki", list(map(hex_of, ids)), vectors=True)

    return asyncio.run(ask())
