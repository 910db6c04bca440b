"""Translate between our types and Qdrant Edge's."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from uuid import UUID

import qdrant_edge as edge

from pincite.model import AttributeType, Hit, Point, SparseVector, Vector
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
from pincite.stores.payload import DENSE, REVISION, SPARSE
from pincite.stores.qdrant_edge.coarse import to_coarse
from pincite.stores.qdrant_edge.packed import pack, unpack
from pincite.stores.validate import is_id

#: Filters on other fields read every payload. No request is answered while a shard is opened, and
#: every index makes that longer: 100,000 points take 284 ms of processor time with seven indexes in
#: memory, of which `path` takes 130 and `revision` 60, and 72 ms with the first three of these
#: mapped from disk. `symbols` adds 10 ms (30 before the first optimising); without it, a question
#: for a name reads 100,000 payloads, which takes 340 ms.
INDEXED_FIELDS = (REVISION, "repo", "source_type", "symbols")

_MAPPED = edge.Memory.Cold
#: The index of each type of attribute. The integer index turns bounds into integers: 1e300 becomes
#: the largest one, which then matches. The float index compares as all other stores do.
_INDEXES: dict[AttributeType, Any] = {
    "keyword": edge.KeywordIndexParams,
    "keywords": edge.KeywordIndexParams,
    "integer": edge.FloatIndexParams,
    "float": edge.FloatIndexParams,
    "boolean": edge.BoolIndexParams,
    "date": edge.DatetimeIndexParams,
}
_KINDS: dict[AttributeType, Any] = {
    "keyword": edge.PayloadSchemaType.Keyword,
    "keywords": edge.PayloadSchemaType.Keyword,
    "integer": edge.PayloadSchemaType.Float,
    "float": edge.PayloadSchemaType.Float,
    "boolean": edge.PayloadSchemaType.Bool,
    "date": edge.PayloadSchemaType.Datetime,
}


def to_indexes(
    attributes: Mapping[str, AttributeType], there: Mapping[str, Any]
) -> list[edge.UpdateOperation]:
    """Return the operations that create missing indexes of attributes; `there` are existing
    ones."""
    return [
        edge.UpdateOperation.create_field_index(name, _INDEXES[kind](memory=_MAPPED))
        for name, kind in sorted(attributes.items())
        if there.get(name) != _KINDS[kind]
    ]


def to_point(point: Point, revision: str, key: UUID, *, aliased: bool) -> edge.Point:
    """Return a point in Qdrant Edge's form. `key` is the id of its chunk, unless it has an
    alias."""
    vector: dict[str, Any] = {SPARSE: to_sparse(point.sparse)}
    if point.dense is not None:
        vector[DENSE] = point.dense.tolist()
    coarse = None if point.dense is None else to_coarse(point.dense)
    held = pack(point, revision, aliased=aliased, coarse=coarse)
    place = payload.alias(point.chunk.id, revision) if aliased else key
    return edge.Point(place, vector, held)


def from_record(record: edge.Record, *, dense: bool) -> tuple[str, Point]:
    """Return revision and point of a record with payload and vectors."""
    held, vectors = unpack(record.id.hex, record.payload), record.vector
    sparse = vectors[SPARSE]
    values = vectors.get(DENSE) if dense else None
    point = Point(
        held.chunk,
        SparseVector(tuple(sparse.indices), tuple(sparse.values)),
        held.length,
        None if values is None else to_vector(values),
    )
    return held.revision, point


def without_alias(record: edge.Record) -> edge.Point:
    """Return an aliased point without its alias."""
    key, own = payload.without_alias(record.payload)
    return edge.Point(key, record.vector, own)


def to_sparse(vector: SparseVector) -> edge.SparseVector:
    """Return a sparse vector in Qdrant Edge's form."""
    return edge.SparseVector(list(vector.indices), list(vector.values))


def to_vector(values: Sequence[float]) -> Vector:
    """Return a list of floats, Qdrant Edge's form of a vector, as float32. This takes half the time
    of np.array."""
    import numpy as np  # late: an index for keyword search alone never needs it

    return np.frombuffer(struct.pack(f"{len(values)}f", *values), dtype=np.float32)


def to_filter(filter_: Filter, hidden: Iterable[str]) -> edge.Filter | None:
    """Return Qdrant Edge's filter, which also excludes hidden revisions."""
    must = [to_condition(item) for item in filter_.must]
    should = [to_condition(item) for item in filter_.should]
    must_not = [to_condition(item) for item in filter_.must_not]
    if hidden:
        must_not.append(among_values(REVISION, hidden))
    if not (must or should or must_not):
        return None
    return edge.Filter(must=must or None, should=should or None, must_not=must_not or None)


def to_condition(item: Condition) -> Any:
    """Return one condition in Qdrant Edge's form."""
    match item:
        case AnyOf():
            return among_values(item.field, item.values)
        case Range():
            return _within(item)
        case DateRange():
            dates = edge.RangeDateTime(gte=item.gte, gt=item.gt, lte=item.lte, lt=item.lt)
            return edge.FieldCondition(item.field, range=dates)
        case Is():  # a Python bool would count as an integer, which matches nothing
            import numpy as np

            return edge.FieldCondition(item.field, match=edge.MatchValue(np.bool_(item.value)))
        case Text():
            return edge.FieldCondition(item.field, match=edge.MatchText(item.text))
        case Phrase():
            return edge.FieldCondition(item.field, match=edge.MatchPhrase(item.text))
        case Prefix():
            return edge.FieldCondition(item.field, match=edge.MatchPrefix(item.prefix))
        case Exists():
            return edge.Filter(must_not=[edge.IsEmptyCondition(item.field)])
        case Ids():
            return edge.HasIdCondition({UUID(hex=key) for key in item.ids if is_id(key)})


def _within(item: Range) -> Any:
    number = item.exactly
    if number is None or abs(number) < ROUNDED:
        bounds = edge.RangeFloat(gte=item.gte, gt=item.gt, lte=item.lte, lt=item.lt)
        return edge.FieldCondition(item.field, range=bounds)
    low, high = around(number)
    near = edge.FieldCondition(item.field, range=edge.RangeFloat(gte=low, lte=high))
    return edge.Filter(must=[near, edge.FieldCondition(item.field, match=edge.MatchValue(number))])


def among_values(field: str, values: Iterable[str]) -> edge.FieldCondition:
    """Return the condition that the field is or contains one of these values."""
    return edge.FieldCondition(field, match=edge.MatchAny(list(values)))


def among(field: str, values: Iterable[str]) -> edge.Filter:
    """Return the filter for points with one of these values, hidden or not."""
    return edge.Filter(must=[among_values(field, values)])


class ScoredIds(NamedTuple):
    """The result of a query: Qdrant Edge's ids, best score first, and the scores. Qdrant Edge
    creates an id anew at each access, which takes a microsecond."""

    ids: list[UUID]
    scores: list[float]

    @classmethod
    def of(cls, points: Sequence[edge.ScoredPoint]) -> ScoredIds:
        """Read each point once."""
        return cls([point.id for point in points], [point.score for point in points])

    def hits(self) -> list[Hit]:
        """Return hits by (-score, id): Qdrant Edge leaves the order of equal scores open."""
        hits = list(map(Hit, [key.hex for key in self.ids], self.scores))
        if len(set(self.scores)) < len(hits):
            hits.sort(key=lambda hit: (-hit.score, hit.id))
        return hits


NOTHING = ScoredIds([], [])
