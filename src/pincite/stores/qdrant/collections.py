"""Create, recognise and change collections on a Qdrant server.

The metadata of a collection names its index. Collections of another index or another program are
neither written to nor dropped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import msgspec
from qdrant_client import models

from pincite.errors import StoreError, UsageError
from pincite.model import AttributeType, CollectionSpec
from pincite.stores.payload import ALIASED, CONTENT, CONTROL, DENSE, REVISION, SPARSE
from pincite.stores.qdrant.connection import Connection

_METADATA = "pincite"
_COUNTED = ("chunk_index", "integer")  # other programs expect an integer
_KEYWORDS = (REVISION, "repo", "source_type", "path", "language", "symbols", "url")
_OURS = (ALIASED, CONTROL)
_NUMBERS = ("start_line", "end_line")
_TEXTS = ("text", "title")

#: Integers have the index of floats: that of integers turns bounds into integers, and 1e300 into
#: the largest one.
_OF_TYPES: Mapping[AttributeType, models.PayloadSchemaType] = {
    "keyword": models.PayloadSchemaType.KEYWORD,
    "keywords": models.PayloadSchemaType.KEYWORD,
    "integer": models.PayloadSchemaType.FLOAT,
    "float": models.PayloadSchemaType.FLOAT,
    "boolean": models.PayloadSchemaType.BOOL,
    "date": models.PayloadSchemaType.DATETIME,
}


@dataclass(frozen=True, slots=True)
class Layout:
    """The distribution and storage of collections; see deploy/README.md. 0 stands for the server's
    default.

    `quantization` is none, scalar (int8, a quarter of the memory) or binary. Points with the same
    value of the field `tenant` are stored together on disk, for searches within one value.
    `segments` is the number of segments that the server aims at.
    """

    shards: int = 0
    replicas: int = 0
    write_consistency: int = 0
    on_disk: bool = False
    quantization: Literal["none", "scalar", "binary"] = "none"
    tenant: Literal["", "repo", "path", "source_type", "language", "user_id", "space_id"] = ""
    segments: int = 0


@dataclass(frozen=True, slots=True)
class ServerCollection:
    """The state of a collection on the server. `owner` is None if Pincite did not make it."""

    owner: str | None
    dimensions: int
    indexes: Mapping[str, models.PayloadSchemaType]


async def look(connection: Connection, name: str) -> ServerCollection | None:
    """Return the collection with this name, or None if it does not exist."""
    if not await connection.ask(f"look for {name}", lambda c: c.collection_exists(name)):
        return None
    info = await connection.ask(f"look at {name}", lambda c: c.get_collection(name))
    ours = (info.config.metadata or {}).get(_METADATA)
    vectors = info.config.params.vectors
    dense = vectors.get(DENSE) if isinstance(vectors, dict) else None
    return ServerCollection(
        ours["owner"] if isinstance(ours, dict) else None,
        dense.size if dense else 0,
        {name: index.data_type for name, index in (info.payload_schema or {}).items()},
    )


def require_ours(connection: Connection, name: str, found: ServerCollection, owner: str) -> None:
    """Raise UsageError for a collection of another index or program."""
    if found.owner == owner:
        return
    whose = "was not made by Pincite" if found.owner is None else "belongs to another index"
    raise UsageError(
        f"the collection {name!r} of {connection.where} {whose}; nothing was changed",
        hint="use another name, or give yours a prefix: [store] prefix in pincite.toml",
    )


async def make(
    connection: Connection, name: str, spec: CollectionSpec, owner: str, layout: Layout
) -> None:
    """Create a collection with its indexes. If it appears meanwhile, it is used."""
    disk = layout.on_disk or None
    dense = {DENSE: _dense(spec.dimensions, layout)} if spec.dimensions else {}
    index = models.SparseIndexParams(on_disk=disk)
    sparse = {SPARSE: models.SparseVectorParams(modifier=_modifier(spec), index=index)}
    try:
        await connection.ask(
            f"create {name}",
            lambda client: client.create_collection(
                name,
                vectors_config=dense,
                sparse_vectors_config=sparse,
                shard_number=layout.shards or None,
                replication_factor=layout.replicas or None,
                write_consistency_factor=layout.write_consistency or None,
                on_disk_payload=disk,
                optimizers_config=_optimizers(layout),
                metadata=_metadata(spec, owner),
            ),
        )
    except StoreError:
        if not await connection.ask(f"look for {name}", lambda c: c.collection_exists(name)):
            raise
    for field, schema in _indexes(layout.tenant, spec.fields).items():
        await connection.ask(
            f"index {field} of {name}",
            lambda client, f=field, s=schema: client.create_payload_index(  # type: ignore[misc]
                name, f, s, wait=True
            ),
        )


def made_by_layout(layout: Layout) -> Mapping[str, models.PayloadSchemaType]:
    """Return the attribute indexes that `make` has created, so that `index` does not create them
    again."""
    return {layout.tenant: models.PayloadSchemaType.KEYWORD} if layout.tenant else {}


async def index(
    connection: Connection,
    name: str,
    attributes: Mapping[str, AttributeType],
    there: Mapping[str, models.PayloadSchemaType],
    tenant: str = "",
) -> None:
    """Create the attribute indexes that are not in `there`."""
    kinds = models.PayloadSchemaType
    for field, kind in sorted(attributes.items()):
        wanted = kinds.INTEGER if (field, kind) == _COUNTED else _OF_TYPES[kind]
        if there.get(field) != wanted:
            schema = _of_tenant() if field == tenant and kind == "keyword" else wanted
            await connection.ask(
                f"index {field} of {name}",
                lambda client, f=field, s=schema: client.create_payload_index(  # type: ignore[misc]
                    name, f, s, wait=True
                ),
            )


def _of_tenant() -> models.KeywordIndexParams:
    return models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True)


async def change(connection: Connection, name: str, spec: CollectionSpec, owner: str) -> None:
    """Write the spec into the collection."""
    metadata = _metadata(spec, owner)
    sparse = {SPARSE: models.SparseVectorParams(modifier=_modifier(spec))}
    await connection.ask(
        f"update {name}",
        lambda client: client.update_collection(
            name, metadata=metadata, sparse_vectors_config=sparse
        ),
    )


async def add_dense(connection: Connection, name: str, dimensions: int) -> None:
    """Give a lexical collection dense vectors; needs Qdrant 1.19."""
    config = models.DenseVectorConfig(size=dimensions, distance=models.Distance.COSINE)
    await connection.ask(
        f"add dense vectors to {name}",
        lambda client: client.create_vector_name(
            name, DENSE, models.DenseVectorNameConfig(dense=config), wait=True
        ),
    )


def _optimizers(layout: Layout) -> models.OptimizersConfigDiff | None:
    if not layout.segments:
        return None
    return models.OptimizersConfigDiff(default_segment_number=layout.segments)


def _dense(dimensions: int, layout: Layout) -> models.VectorParams:
    quantization: Any = None
    if layout.quantization == "scalar":
        kind = models.ScalarType.INT8
        quantization = models.ScalarQuantization(
            scalar=models.ScalarQuantizationConfig(type=kind, always_ram=True)
        )
    elif layout.quantization == "binary":
        quantization = models.BinaryQuantization(
            binary=models.BinaryQuantizationConfig(always_ram=True)
        )
    return models.VectorParams(
        size=dimensions,
        distance=models.Distance.COSINE,
        on_disk=layout.on_disk or None,
        quantization_config=quantization,
    )


def _indexes(tenant: str, fields: str) -> dict[str, Any]:
    kinds = models.PayloadSchemaType
    text = models.TextIndexParams(
        type=models.TextIndexType.TEXT,
        tokenizer=models.TokenizerType.WORD,
        lowercase=True,
        phrase_matching=True,
    )
    return (
        dict.fromkeys((*_KEYWORDS, *_OURS), kinds.KEYWORD)
        | dict.fromkeys(_NUMBERS, kinds.INTEGER)
        | dict.fromkeys((*_TEXTS, *((CONTENT,) if fields == "workspace" else ())), text)
        | ({tenant: _of_tenant()} if tenant else {})
    )


def _modifier(spec: CollectionSpec) -> models.Modifier:
    return models.Modifier.IDF if spec.engine_idf else models.Modifier.NONE


def _metadata(spec: CollectionSpec, owner: str) -> dict[str, Any]:
    return {_METADATA: {"owner": owner, "spec": msgspec.to_builtins(spec)}}
