"""The reference store: what the contract of `pincite.ports.Store` means, without an engine.

Exact and slow; every search looks at every point. Scores follow Qdrant: cosine for dense vectors,
sums of products with `idf = ln(1 + (N - n + 0.5) / (n + 0.5))` for sparse ones, where N counts the
points of the collection with any term and n those with this one (Robertson's, kept positive).
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from pincite.model import (
    Chunk,
    CollectionSpec,
    Hit,
    Point,
    Ranking,
    SignalKind,
    SignalName,
    SparseVector,
    Vector,
)
from pincite.ports import AnyOf, Filter, SearchRequest, Stored
from pincite.stores.validate import (
    check_known,
    check_points,
    check_prefix,
    check_request,
    check_sparse,
    check_spec,
)


class MemoryStore:
    """Points in dictionaries, gone with the process."""

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

    async def stage(self, collection: str, revision: str, points: Sequence[Point]) -> None:
        revisions = self._of(collection)
        check_points(self._specs[collection], points)
        if not revisions.get(revision):
            self._hidden.add((collection, revision))
        revisions.setdefault(revision, {}).update({p.chunk.id: p for p in points})

    async def publish(self, collection: str, revision: str, replaces: str | None) -> None:
        revisions = self._of(collection)
        if (collection, revision) in self._hidden:
            self._hidden.discard((collection, revision))
            for other, points in revisions.items():
                if other != revision:
                    for key in points.keys() & revisions.get(revision, {}).keys():
                        del points[key]
        if replaces is not None and replaces != revision:
            await self.remove(collection, [replaces])

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
            if _matches(request.filter, revision, point.chunk)
        ]
        scores: dict[SignalName, dict[str, float]] = {}
        if request.dense is not None:
            scores["dense"] = {
                p.chunk.id: _cosine(request.dense, p.dense)
                for _, p in points
                if p.dense is not None and self._specs[collection].dense is not None
            }
        if request.sparse is not None:
            scores["sparse"] = self._products(collection, request.sparse, [p for _, p in points])
        limits = {"dense": request.dense_limit, "sparse": request.sparse_limit}
        heads = {name: _best(found)[: limits[name]] for name, found in scores.items()}
        if request.fusion != "none":
            return (_fused(collection, request, list(heads.values())),)
        union = {hit.id for hits in heads.values() for hit in hits} if request.complete else set()
        rankings = []
        for name, hits in heads.items():
            known = {hit.id for hit in hits}
            tail = {key: scores[name][key] for key in union - known if key in scores[name]}
            kind: SignalKind = "cosine" if name == "dense" else "bm25"
            if name == "sparse" and not self._specs[collection].idf:
                kind = "dot"
            rankings.append(
                Ranking(collection, name, kind, tuple(hits + _best(tail)), depth=len(hits))
            )
        return tuple(rankings)

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

    async def of_revision(self, collection: str, revision: str) -> tuple[Chunk, ...]:
        chunks = [p.chunk for r, p in self._visible(collection) if r == revision]
        return tuple(sorted(chunks, key=lambda chunk: (chunk.start, chunk.end)))

    async def revisions(self, collection: str) -> Mapping[str, int]:
        return {name: len(points) for name, points in self._of(collection).items() if points}

    async def page(self, collection: str, after: str | None, limit: int) -> tuple[Chunk, ...]:
        check_prefix(after)
        chunks = sorted((p.chunk for _, p in self._visible(collection)), key=lambda c: c.id)
        return tuple(c for c in chunks if after is None or c.id > after)[:limit]

    async def set_sparse(self, collection: str, vectors: Mapping[str, SparseVector]) -> None:
        for key, vector in vectors.items():
            check_sparse(vector, f"chunk {key}")
        for revision, points in self._of(collection).items():
            if (collection, revision) not in self._hidden:
                for key in points.keys() & vectors.keys():
                    points[key] = replace(points[key], sparse=vectors[key])

    async def flush(self) -> None:
        """Nothing to do: this store does not outlive its process."""

    async def optimise(self, collection: str) -> bool:
        self._of(collection)
        return False

    async def close(self) -> None:
        """Nothing to let go of."""

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
        if self._specs[collection].idf:
            for index, n in having.items():
                weights[index] *= math.log(1 + (total - n + 0.5) / (n + 0.5))
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


def _best(scores: Mapping[str, float]) -> list[Hit]:
    return [Hit(key, value) for key, value in sorted(scores.items(), key=lambda i: (-i[1], i[0]))]


def _fused(collection: str, request: SearchRequest, branches: Sequence[list[Hit]]) -> Ranking:
    """What engines do, with ties by id."""
    sums: dict[str, float] = {}
    for hits in branches:
        for hit, part in zip(hits, _parts(hits, request), strict=True):
            sums[hit.id] = sums.get(hit.id, 0.0) + part
    kind: SignalKind = "dbsf" if request.fusion == "dbsf" else "rrf"
    best = tuple(_best(sums)[: request.fusion_limit])
    return Ranking(collection, "fused", kind, best, len(best))


def _parts(hits: Sequence[Hit], request: SearchRequest) -> list[float]:
    if request.fusion == "rrf":
        return [1 / (request.fusion_k + rank) for rank in range(1, len(hits) + 1)]
    scores = [hit.score for hit in hits]
    deviation = statistics.stdev(scores) if len(scores) > 1 else 0.0
    if deviation == 0:
        return [0.5] * len(scores)
    low = statistics.fmean(scores) - 3 * deviation
    return [(score - low) / (6 * deviation) for score in scores]


def _cosine(left: Vector, right: Vector) -> float:
    lengths = math.sqrt(float(left.dot(left)) * float(right.dot(right)))
    return float(left.dot(right)) / lengths if lengths else 0.0


def _matches(filter_: Filter, revision: str, chunk: Chunk) -> bool:
    def holds(condition: AnyOf) -> bool:
        value = revision if condition.field == "revision" else getattr(chunk, condition.field)
        held = value if isinstance(value, tuple) else (value,)
        return any(item and item in condition.values for item in held)

    return all(map(holds, filter_.must)) and not any(map(holds, filter_.must_not))
