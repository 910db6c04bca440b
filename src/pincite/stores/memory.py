"""The reference store: the contract of `pincite.ports.Store` in plain Python.

Exact and slow: every search reads every point. Scores follow Qdrant: cosine for dense vectors, sums
of products with `idf = ln(1 + (N - n + 0.5) / (n + 0.5))` for sparse ones, where N counts the
points of the collection with any term and n those with this one (Robertson's, kept positive).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from pincite.model import (
    AttributeValue,
    Chunk,
    CollectionSpec,
    Point,
    Ranking,
    SignalName,
    SparseVector,
    Vector,
)
from pincite.ports import SearchRequest, Stored
from pincite.ports.predicate import matches
from pincite.stores.attributes import check_changes
from pincite.stores.payload import with_attributes
from pincite.stores.ranked import Known, Side, rankings_of
from pincite.stores.validate import (
    check_known,
    check_prefix,
    check_request,
    check_revisions,
    check_sparse,
    check_spec,
)
from pincite.support.fields import replace
from pincite.support.term_share import idf_of


class MemoryStore:
    """Points in dictionaries, not persistent."""

    def __init__(self) -> None:
        self._specs: dict[str, CollectionSpec] = {}
        self._points: dict[str, dict[str, dict[str, Point]]] = {}
        self._hidden: set[tuple[str, str]] = set()
        self._dimensions: dict[str, int] = {}

    async def create(self, spec: CollectionSpec) -> None:
        check_spec(spec, self._dimensions.get(spec.name, 0))
        self._specs[spec.name] = spec
        self._dimensions[spec.name] = spec.dimensions or self._dimensions.get(spec.name, 0)
        self._points.setdefault(spec.name, {})

    async def drop(self, collection: str) -> None:
        self._specs.pop(collection, None)
        self._points.pop(collection, None)
        self._dimensions.pop(collection, None)
        self._hidden = {item for item in self._hidden if item[0] != collection}

    async def stage(self, collection: str, revisions: Mapping[str, Sequence[Point]]) -> None:
        held = self._of(collection)
        await check_revisions(self._specs[collection], revisions)
        for revision, points in revisions.items():
            if not held.get(revision):
                self._hidden.add((collection, revision))
            held.setdefault(revision, {}).update({p.chunk.id: p for p in points})

    async def publish(self, collection: str, replaced: Mapping[str, str | None]) -> None:
        held = self._of(collection)
        shown = {r for r in replaced if (collection, r) in self._hidden}
        taken = {key: revision for revision in shown for key in held.get(revision, ())}
        self._hidden -= {(collection, revision) for revision in shown}
        for revision, points in held.items():
            for key in points.keys() & taken.keys():
                if taken[key] != revision:
                    del points[key]
        gone = [old for old in replaced.values() if old is not None and old not in replaced]
        await self.remove(collection, gone)

    async def remove(self, collection: str, revisions: Iterable[str]) -> None:
        for revision in revisions:
            self._of(collection).pop(revision, None)
            self._hidden.discard((collection, revision))

    async def search(self, collection: str, request: SearchRequest) -> tuple[Ranking, ...]:
        self._of(collection)
        check_request(self._specs[collection], request)
        points = [
            (revision, point)
            for revision, point in self._visible(collection)
            if matches(request.filter, revision, point.chunk)
        ]
        sides: dict[SignalName, Side] = {}
        if request.dense is not None:
            sides["dense"] = Known(
                {
                    p.chunk.id: _cosine(request.dense, p.dense)
                    for _, p in points
                    if p.dense is not None and self._specs[collection].dense is not None
                }
            )
        if request.sparse is not None:
            only = [point for _, point in points]
            sides["sparse"] = Known(self._products(collection, request.sparse, only))
        return await rankings_of(self._specs[collection], request, sides)

    async def load(
        self, collection: str, ids: Sequence[str], *, vectors: bool = False
    ) -> tuple[Stored, ...]:
        known = {point.chunk.id: point for _, point in self._visible(collection)}
        vectors = vectors and self._specs[collection].dense is not None
        return tuple(
            Stored(known[key].chunk, known[key].dense if vectors else None)
            for key in ids
            if key in known
        )

    async def vectors(self, collection: str, ids: Sequence[str]) -> Mapping[str, Vector]:
        found = await self.load(collection, ids, vectors=True)
        return {one.chunk.id: one.vector for one in found if one.vector is not None}

    async def of_revision(self, collection: str, revision: str) -> tuple[Chunk, ...]:
        chunks = [p.chunk for r, p in self._visible(collection) if r == revision]
        return tuple(sorted(chunks, key=lambda chunk: (chunk.start, chunk.end)))

    async def revisions(self, collection: str) -> Mapping[str, int]:
        return {name: len(points) for name, points in self._of(collection).items() if points}

    async def staged(self, collection: str) -> frozenset[str]:
        self._of(collection)
        return frozenset(name for place, name in self._hidden if place == collection)

    async def page(self, collection: str, after: str | None, limit: int) -> tuple[Chunk, ...]:
        check_prefix(after)
        chunks = sorted((p.chunk for _, p in self._visible(collection)), key=lambda c: c.id)
        return tuple(c for c in chunks if after is None or c.id > after)[:limit]

    async def export(
        self, collection: str, after: str | None, limit: int
    ) -> tuple[tuple[str, Point], ...]:
        check_prefix(after)
        found = sorted(self._visible(collection), key=lambda pair: pair[1].chunk.id)
        dense = self._specs[collection].dense is not None
        return tuple(
            (revision, point if dense else replace(point, dense=None))
            for revision, point in found
            if after is None or point.chunk.id > after
        )[:limit]

    async def set_sparse(self, collection: str, vectors: Mapping[str, SparseVector]) -> None:
        for key, vector in vectors.items():
            check_sparse(vector, f"chunk {key}")
        for revision, points in self._of(collection).items():
            if (collection, revision) not in self._hidden:
                for key in points.keys() & vectors.keys():
                    points[key] = replace(points[key], sparse=vectors[key])

    async def set_attributes(
        self, collection: str, changes: Mapping[str, Mapping[str, AttributeValue | None]]
    ) -> None:
        revisions = self._of(collection)
        check_changes(self._specs[collection], changes)
        for revision, attributes in changes.items():
            points = revisions.get(revision, {})
            for key, point in points.items():
                points[key] = replace(point, chunk=with_attributes(point.chunk, attributes))

    async def flush(self) -> None:
        """Do nothing: this store is not persistent."""

    async def optimise(self, collection: str) -> bool:
        self._of(collection)
        return False

    async def close(self) -> None:
        """Do nothing: there is nothing to close."""

    def _of(self, collection: str) -> dict[str, dict[str, Point]]:
        check_known(collection, self._specs)
        return self._points[collection]

    def _visible(self, collection: str) -> list[tuple[str, Point]]:
        return [
            (revision, point)
            for revision, points in self._of(collection).items()
            if (collection, revision) not in self._hidden
            for point in points.values()
        ]

    def _products(
        self, collection: str, query: SparseVector, points: Sequence[Point]
    ) -> dict[str, float]:
        total, having = 0, dict.fromkeys(query.indices, 0)
        for stored in self._points[collection].values():
            for point in stored.values():
                total += bool(point.sparse.indices)
                for index in point.sparse.indices:
                    if index in having:
                        having[index] += 1
        weights = dict(zip(query.indices, query.values, strict=True))
        if self._specs[collection].engine_idf:
            for index, n in having.items():
                weights[index] *= idf_of(total, n)
        scores = {}
        for point in points:
            sparse = point.sparse
            score = math.fsum(
                value * weights[index]
                for index, value in zip(sparse.indices, sparse.values, strict=True)
                if index in weights
            )
            if score > 0:
                scores[point.chunk.id] = score
        return scores


def _cosine(left: Vector, right: Vector) -> float:
    lengths = math.sqrt(float(left.dot(left)) * float(right.dot(right)))
    return float(left.dot(right)) / lengths if lengths else 0.0
