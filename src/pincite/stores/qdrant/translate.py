"""Convert our types to the server's and back; payloads are those of `stores.payload`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np
from qdrant_client import models

from pincite.model import Hit, Point, SparseVector, Vector
from pincite.model.attributes import date_key
from pincite.ports import (
    AnyOf,
    Condition,
    DateRange,
    Exists,
    Filter,
    Ids,
    Is,
    Phrase,
    Prefix,
    Range,
    Text,
)
from pincite.stores import payload
from pincite.stores.attributes import ROUNDED, around
from pincite.stores.payload import DENSE, LENGTH, REVISION, SPARSE
from pincite.stores.validate import is_id


def to_point(point: Point, revision: str, *, aliased: bool) -> models.PointStruct:
    """Convert a point for the server. An empty sparse vector is left out."""
    vector: dict[str, Any] = {}
    if point.sparse.indices:
        vector[SPARSE] = to_sparse(point.sparse)
    if point.dense is not None:
        vector[DENSE] = point.dense.tolist()
    key = payload.key_of(point, revision, aliased=aliased)
    held = payload.with_content(payload.to_payload(point, revision, aliased=aliased))
    return models.PointStruct(id=str(key), vector=vector, payload=held)


def from_record(record: models.Record, *, dense: bool) -> tuple[str, Point]:
    """Return revision and point of a record with payload and vectors."""
    held = record.payload or {}
    sparse = _vectors(record).get(SPARSE)
    point = Point(
        payload.to_chunk(UUID(str(record.id)), held),
        SparseVector((), ()) if sparse is None else _from_sparse(sparse),
        held[LENGTH],
        to_vector(record) if dense else None,
    )
    return held[REVISION], point


def without_alias(record: models.Record) -> models.PointStruct:
    """Return an aliased point with its own id."""
    key, own = payload.without_alias(record.payload or {})
    return models.PointStruct(id=str(key), vector=dict(_vectors(record)), payload=own)


def to_sparse(vector: SparseVector) -> models.SparseVector:
    """Convert a sparse vector for the server."""
    return models.SparseVector(indices=list(vector.indices), values=list(vector.values))


def to_vector(record: models.Record) -> Vector | None:
    """Return the dense vector of a record as float32, or None if it has none. Servers normalise
    vectors."""
    values = _vectors(record).get(DENSE)
    if values is None:
        return None
    vector: Vector = np.array(values, dtype=np.float32)
    return vector


def _vectors(record: models.Record) -> Mapping[str, Any]:
    return record.vector if isinstance(record.vector, dict) else {}


def _from_sparse(sparse: Any) -> SparseVector:
    pairs = sorted(zip(sparse.indices, sparse.values, strict=True))
    return SparseVector(tuple(i for i, _ in pairs), tuple(float(v) for _, v in pairs))


def to_filter(filter_: Filter, hidden: Iterable[str] = ()) -> models.Filter | None:
    """Return the server's filter, which also excludes hidden revisions."""
    must = [to_condition(item) for item in filter_.must]
    should = [to_condition(item) for item in filter_.should]
    must_not = [to_condition(item) for item in filter_.must_not]
    if hidden:
        must_not.append(among_values(REVISION, sorted(hidden)))
    if not (must or should or must_not):
        return None
    return models.Filter(must=must or None, should=should or None, must_not=must_not or None)


def to_condition(item: Condition) -> Any:
    """Convert one condition."""
    match item:
        case AnyOf():
            return among_values(item.field, item.values)
        case Range():
            return _within(item)
        case DateRange():
            given = {"gte": item.gte, "gt": item.gt, "lte": item.lte, "lt": item.lt}
            dates = {n: datetime.fromisoformat(date_key(b)) for n, b in given.items() if b}
            return models.FieldCondition(key=item.field, range=models.DatetimeRange(**dates))
        case Is():
            return _match(item.field, models.MatchValue(value=item.value))
        case Text():
            return _match(item.field, models.MatchText(text=item.text))
        case Phrase():
            return _match(item.field, models.MatchPhrase(phrase=item.text))
        case Prefix():
            return _match(item.field, models.MatchPrefix(prefix=item.prefix))
        case Exists():
            return models.Filter(must_not=[missing(item.field)])
        case Ids():
            return among_ids(str(UUID(hex=key)) for key in item.ids if is_id(key))


def _within(item: Range) -> Any:
    number = item.exactly
    if number is None or abs(number) < ROUNDED:
        bounds = models.Range(gte=item.gte, gt=item.gt, lte=item.lte, lt=item.lt)
        return models.FieldCondition(key=item.field, range=bounds)
    low, high = around(number)
    near = models.FieldCondition(key=item.field, range=models.Range(gte=low, lte=high))
    return models.Filter(must=[near, _match(item.field, models.MatchValue(value=number))])


def _match(field: str, match: Any) -> models.FieldCondition:
    return models.FieldCondition(key=field, match=match)


def among_values(field: str, values: Iterable[str]) -> models.FieldCondition:
    """Return the condition that the field is one of these values, or contains one."""
    return _match(field, models.MatchAny(any=list(values)))


def among(field: str, values: Iterable[str]) -> models.Filter:
    """Return the filter for points with one of these values, hidden or not."""
    return models.Filter(must=[among_values(field, values)])


def among_ids(keys: Iterable[str]) -> models.HasIdCondition:
    """Return the condition that a point has one of these ids."""
    return models.HasIdCondition(has_id=list(keys))


def missing(field: str) -> models.IsEmptyCondition:
    """Return the condition that a point has no value in this field."""
    return models.IsEmptyCondition(is_empty=models.PayloadField(key=field))


def to_hits(points: Iterable[models.ScoredPoint]) -> list[Hit]:
    """Sort hits by (-score, id), because servers do not order equal scores."""
    hits = [Hit(UUID(str(point.id)).hex, float(point.score)) for point in points]
    return sorted(hits, key=lambda hit: (-hit.score, hit.id))
