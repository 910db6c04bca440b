"""Our nouns to the engine's and back. The payload keys are the same on every Qdrant store."""

from __future__ import annotations

from dataclasses import fields
from typing import Any
from uuid import UUID

import qdrant_edge as edge

from pincite.model import Chunk, Hit, Point
from pincite.ports import AnyOf, Filter

DENSE, SPARSE = "dense", "sparse"
REVISION = "revision"
INDEXED_FIELDS = (REVISION, "repo", "path", "ref", "source_type", "language", "symbols")

_CHUNK_FIELDS = tuple(field.name for field in fields(Chunk) if field.name != "id")
_TUPLES = ("headings", "symbols")


def to_payload(point: Point, revision: str) -> dict[str, Any]:
    """The stored form of a chunk. Fields without a value are left out."""
    chunk = point.chunk
    payload: dict[str, Any] = {}
    for name in _CHUNK_FIELDS:
        value = getattr(chunk, name)
        if value not in (None, "", ()):
            payload[name] = list(value) if name in _TUPLES else value
    return payload | {REVISION: revision, "length": point.length}


def to_chunk(point_id: UUID, payload: dict[str, Any]) -> Chunk:
    """The chunk of a stored point."""
    values = {name: payload[name] for name in _CHUNK_FIELDS if name in payload}
    for name in _TUPLES:
        values[name] = tuple(values.get(name, ()))
    return Chunk(id=point_id.hex, **{"text": "", **values})


def to_point(point: Point, revision: str) -> edge.Point:
    """A point as the engine takes it."""
    vector: dict[str, Any] = {SPARSE: to_sparse(point)}
    if point.dense is not None:
        vector[DENSE] = point.dense
    return edge.Point(UUID(hex=point.chunk.id), vector, to_payload(point, revision))


def to_sparse(point: Point) -> edge.SparseVector:
    """The sparse vector as the engine takes it."""
    return edge.SparseVector(list(point.sparse.indices), list(point.sparse.values))


def to_filter(filter_: Filter, hidden: frozenset[str]) -> edge.Filter | None:
    """The engine's filter, which also keeps staged revisions out of sight."""
    must = [condition(item) for item in filter_.must]
    must_not = [condition(item) for item in filter_.must_not]
    if hidden:
        must_not.append(condition(AnyOf(REVISION, tuple(sorted(hidden)))))
    if not must and not must_not:
        return None
    return edge.Filter(must=must or None, must_not=must_not or None)


def condition(item: AnyOf) -> edge.FieldCondition:
    """The engine's form of one condition."""
    return edge.FieldCondition(item.field, match=edge.MatchAny(list(item.values)))


def only(ids: list[UUID], filter_: edge.Filter | None) -> edge.Filter:
    """Restrict a filter to these points."""
    wanted = edge.HasIdCondition(set(ids))
    return edge.Filter(must=[wanted, filter_] if filter_ is not None else [wanted])


def to_hits(points: list[edge.ScoredPoint]) -> list[Hit]:
    """Hits by (-score, id): the engine leaves the order of equal scores open."""
    hits = [Hit(point.id.hex, float(point.score)) for point in points]
    return sorted(hits, key=lambda hit: (-hit.score, hit.id))
