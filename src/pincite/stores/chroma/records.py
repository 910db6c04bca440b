"""Convert points to Chroma's records and back, and keep an image of them in memory.

Chroma finds the nearest vectors, but never exactly. It has no sparse vectors and fewer filters than
Pincite. So the store keeps everything but the dense vectors in memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec
import numpy as np

from pincite.model import Chunk, CollectionSpec, Point, SparseVector, Vector
from pincite.ports import Filter, Range
from pincite.ports.predicate import matches
from pincite.stores import payload
from pincite.stores.payload import LENGTH, REVISION
from pincite.support.decodable import ready
from pincite.support.term_share import idf_of

HAS_DENSE = "has_dense"
_PAYLOAD = "payload"


class Kept(msgspec.Struct):
    """The fields of a record besides its text and its dense vector."""

    id: str
    payload: dict[str, Any]
    indices: tuple[int, ...]
    values: tuple[float, ...]


def key_of(revision: str, chunk_id: str) -> str:
    """Return the id of a record. Points of different revisions may have the same chunk id."""
    return f"{revision}/{chunk_id}"


def to_record(point: Point, revision: str) -> dict[str, Any]:
    """Return the metadata of a point."""
    held = payload.to_payload(point, revision, aliased=False)
    held.pop("text", None)
    kept = Kept(point.chunk.id, held, point.sparse.indices, point.sparse.values)
    return {
        REVISION: revision,
        HAS_DENSE: point.dense is not None,
        _PAYLOAD: msgspec.json.encode(kept).decode(),
    }


def metadata_of(record: Record) -> dict[str, Any]:
    """Return the metadata of a record."""
    point = Point(record.chunk, record.sparse, record.length)
    return {**to_record(point, record.revision), HAS_DENSE: record.dense}


def vector_of(point: Point, dimensions: int) -> Vector:
    """Return the vector of a point. A point without one gets a vector that is never read, because
    Chroma requires one for every record."""
    return blank(dimensions) if point.dense is None else point.dense


def blank(dimensions: int) -> Vector:
    """Return a unit vector with this number of dimensions, but at least one, for records without a
    dense vector."""
    vector: Vector = np.zeros(max(1, dimensions), dtype=np.float32)
    vector[0] = 1.0
    return vector


@dataclass(frozen=True, slots=True)
class Record:
    """A point without its dense vector."""

    key: str
    revision: str
    chunk: Chunk
    sparse: SparseVector
    length: int
    dense: bool


def from_record(key: str, metadata: Mapping[str, Any], document: str | None) -> Record:
    """Return the point of a record."""
    kept = msgspec.json.decode(metadata[_PAYLOAD], type=ready(Kept))
    return Record(
        key,
        metadata[REVISION],
        payload.chunk_of(kept.payload, kept.id, document or ""),
        SparseVector(kept.indices, kept.values),
        kept.payload[LENGTH],
        metadata[HAS_DENSE],
    )


@dataclass(frozen=True)
class Image:
    """All records of a collection at one version, and its hidden revisions."""

    version: str
    hidden: frozenset[str]
    records: Mapping[str, Record]

    @cached_property
    def visible(self) -> Mapping[str, Record]:
        """Return the visible records by chunk id, in the order of ids."""
        found = {r.chunk.id: r for r in self.records.values() if r.revision not in self.hidden}
        return dict(sorted(found.items()))

    def passing(self, filter_: Filter) -> Mapping[str, Record]:
        """Return the records that match the filter, by chunk id. Those of the last filter are
        remembered, because the terms of a question are looked up one by one. Equal filters may
        differ: an integer is compared exactly, the float that is equal to it is not."""
        exact = [one.exactly for one in filter_.conditions if isinstance(one, Range)]
        if not any(asked == (filter_, exact) for asked, _ in self._passing):
            found = {
                key: record
                for key, record in self.visible.items()
                if matches(filter_, record.revision, record.chunk)
            }
            self._passing[:] = [((filter_, exact), found)]
        return self._passing[0][1]

    @cached_property
    def _passing(self) -> list[tuple[tuple[Filter, list[int | None]], Mapping[str, Record]]]:
        """The last filter, with its exact numbers, and what matches it."""
        return []

    @cached_property
    def _total(self) -> int:
        return sum(bool(record.sparse.indices) for record in self.records.values())

    @cached_property
    def _postings(self) -> Mapping[int, list[tuple[str, float]]]:
        postings: dict[int, list[tuple[str, float]]] = {}
        for key, record in self.records.items():
            for index, value in zip(record.sparse.indices, record.sparse.values, strict=True):
                postings.setdefault(index, []).append((key, value))
        return postings

    def products(
        self, spec: CollectionSpec, query: SparseVector, passing: Iterable[Record]
    ) -> dict[str, float]:
        """Return the scores of the points in `passing` that share terms with the query, by chunk
        id; see `Store.search`."""
        sums: dict[str, float] = {}
        for index, value in zip(query.indices, query.values, strict=True):
            having = self._postings.get(index, [])
            idf = idf_of(self._total, len(having))
            factor = value * idf if spec.engine_idf else value
            for key, weight in having:
                sums[key] = sums.get(key, 0.0) + factor * weight
        return {r.chunk.id: sums[r.key] for r in passing if r.key in sums}
