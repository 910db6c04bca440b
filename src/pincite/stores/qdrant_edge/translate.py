"""Our nouns to the engine's and back. The payload keys are the same on every Qdrant store.

A point's id is its chunk's. While a staged chunk waits for an id that another revision still has,
it is kept under an alias, with its own id in the payload.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import fields
from hashlib import blake2b
from typing import Any
from uuid import UUID

import msgspec
import numpy as np
import qdrant_edge as edge

from pincite.model import Chunk, Hit, Point, SparseVector, Vector
from pincite.ports import Filter

DENSE, SPARSE = "dense", "sparse"
REVISION = "revision"
ALIASED = "aliased"  # the revision, on points under an alias only
OWN_ID = "own_id"
#: Filters on other fields look at every payload. Nobody is answered while a shard is opened, and
#: every index makes that longer: 100,000 points take 284 ms of processor time with seven indexes
#: in memory, of which `path` takes 130 and `revision` 60, and 72 ms with these mapped from disk.
INDEXED_FIELDS = (REVISION, "repo", "source_type", ALIASED)

_CHUNK_FIELDS = tuple(field.name for field in fields(Chunk) if field.name != "id")
_TUPLES = ("headings", "symbols")


def to_point(point: Point, revision: str, aliased: bool) -> edge.Point:
    """A point as the engine takes it. Fields without a value are left out of the payload."""
    chunk = point.chunk
    payload: dict[str, Any] = {REVISION: revision, "length": point.length}
    for name in _CHUNK_FIELDS:
        value = getattr(chunk, name)
        if value not in (None, "", ()):
            payload[name] = list(value) if name in _TUPLES else value
    key = UUID(hex=chunk.id)
    if aliased:
        payload |= {ALIASED: revision, OWN_ID: chunk.id}
        key = alias(chunk.id, revision)
    vector: dict[str, Any] = {SPARSE: to_sparse(point.sparse)}
    if point.dense is not None:
        vector[DENSE] = point.dense
    return edge.Point(key, vector, payload)


def alias(chunk_id: str, revision: str) -> UUID:
    """Where a chunk of a staged revision waits for its own id."""
    return UUID(bytes=blake2b(f"{revision}\0{chunk_id}".encode(), digest_size=16).digest())


def without_alias(record: edge.Record) -> edge.Point:
    """An aliased point as it is to be from now on."""
    payload = dict(record.payload)
    payload.pop(ALIASED)
    return edge.Point(UUID(hex=payload.pop(OWN_ID)), record.vector, payload)


def to_sparse(vector: SparseVector) -> edge.SparseVector:
    """A sparse vector as the engine takes it."""
    return edge.SparseVector(list(vector.indices), list(vector.values))


def to_chunk(point_id: UUID, payload: dict[str, Any]) -> Chunk:
    """The chunk of a stored point. `convert` takes 60 % of the time of `Chunk(**values)`."""
    return msgspec.convert({"text": "", **payload, "id": point_id.hex}, Chunk)


def to_vector(values: Sequence[float]) -> Vector:
    """A list of floats, which is how the engine hands out vectors: half the time of np.array."""
    return np.frombuffer(struct.pack(f"{len(values)}f", *values), dtype=np.float32)


def to_filter(filter_: Filter, hidden: Iterable[str]) -> edge.Filter | None:
    """The engine's filter, which also keeps hidden revisions out of sight."""
    must = [condition(item.field, item.values) for item in filter_.must]
    must_not = [condition(item.field, item.values) for item in filter_.must_not]
    if hidden:
        must_not.append(condition(REVISION, hidden))
    if not must and not must_not:
        return None
    return edge.Filter(must=must or None, must_not=must_not or None)


def condition(field: str, values: Iterable[str]) -> edge.FieldCondition:
    """Is or contains the field one of these values?"""
    return edge.FieldCondition(field, match=edge.MatchAny(list(values)))


def among(field: str, values: Iterable[str]) -> edge.Filter:
    """The points of which this is true, hidden or not."""
    return edge.Filter(must=[condition(field, values)])


def to_hits(points: Iterable[edge.ScoredPoint]) -> list[Hit]:
    """Hits by (-score, id): the engine leaves the order of equal scores open."""
    hits = [Hit(point.id.hex, float(point.score)) for point in points]
    return sorted(hits, key=lambda hit: (-hit.score, hit.id))
