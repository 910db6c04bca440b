"""`pincite.ports.Store` on Qdrant Edge.

Every method runs on the event loop's own thread: the engine keeps Python's lock during a call, so a
thread pool would buy nothing, and calls that cannot interleave need no locks.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from uuid import UUID

import numpy as np
import qdrant_edge as edge

from pincite.model import (
    Chunk,
    CollectionSpec,
    Hit,
    Point,
    Ranking,
    SignalKind,
    SignalName,
    SparseVector,
)
from pincite.ports import AnyOf, Filter, SearchRequest, Stored
from pincite.stores.qdrant_edge import translate
from pincite.stores.qdrant_edge.shard import Shard
from pincite.stores.validate import check_known, check_points, check_sparse

_BATCH = 128  # points per operation: 3 ms of engine time, so that searches never wait long


class EdgeStore:
    """Collections as folders below `root`. One process at a time may hold a root."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._specs: dict[str, CollectionSpec] = {}
        self._shards: dict[str, Shard] = {}

    async def create(self, spec: CollectionSpec) -> None:
        known = self._specs.get(spec.name)
        if known is not None and (known.dense is None) != (spec.dense is None):
            self._shards.pop(spec.name).close()  # opened again with its dense vectors
        if spec.name not in self._shards:
            self._shards[spec.name] = Shard(self._root / spec.name, spec)
        self._specs[spec.name] = spec

    async def drop(self, collection: str) -> None:
        self._specs.pop(collection, None)
        shard = self._shards.pop(collection, None)
        if shard is not None:
            shard.close()
        shutil.rmtree(self._root / collection, ignore_errors=True)

    async def stage(self, collection: str, revision: str, points: Sequence[Point]) -> None:
        shard = self._shard(collection)
        check_points(self._specs[collection], points)
        size = sum(len(p.chunk.text) + 12 * len(p.sparse.indices) + 2_000 for p in points)
        shard.require_space(4 * size)
        if not shard.count(_of((revision,))):
            shard.hidden.add(revision)
        for start in range(0, len(points), _BATCH):
            batch = [translate.to_point(p, revision) for p in points[start : start + _BATCH]]
            await shard.update(edge.UpdateOperation.upsert_points(batch))
            await asyncio.sleep(0)  # a search may go first

    async def publish(self, collection: str, revision: str, replaces: str | None) -> None:
        shard = self._shard(collection)
        shard.hidden.discard(revision)
        if replaces is not None and replaces != revision:
            await self.remove(collection, [replaces])

    async def remove(self, collection: str, revisions: Iterable[str]) -> None:
        shard = self._shard(collection)
        for revision in revisions:
            shard.hidden.add(revision)  # out of sight even while the write has to wait
            gone = _of((revision,))
            delete = edge.UpdateOperation.delete_points_by_filter(gone)
            await shard.update(delete, deletes=shard.count(gone))
            shard.hidden.discard(revision)

    async def set_ref(self, collection: str, revision: str, ref: str) -> None:
        shard = self._shard(collection)
        await shard.update(
            edge.UpdateOperation.set_payload_by_filter(_of((revision,)), {"ref": ref})
        )

    async def search(self, collection: str, request: SearchRequest) -> tuple[Ranking, ...]:
        shard = self._shard(collection)
        filter_ = translate.to_filter(request.filter, frozenset(shard.hidden))
        heads: dict[SignalName, tuple[edge.Query, list[Hit]]] = {}
        if request.dense is not None:
            query = edge.Query.Nearest(request.dense, using=translate.DENSE)
            params = edge.SearchParams(hnsw_ef=request.hnsw_ef, exact=request.exact)
            limit = request.dense_limit
            heads["dense"] = (query, self._nearest(shard, query, limit, filter_, params))
        if request.sparse is not None:
            sparse = request.sparse
            vector = edge.SparseVector(list(sparse.indices), list(sparse.values))
            query = edge.Query.Nearest(vector, using=translate.SPARSE)
            limit = request.sparse_limit
            heads["sparse"] = (query, self._nearest(shard, query, limit, filter_, None))
        union = {hit.id for _, hits in heads.values() for hit in hits}
        rankings = []
        for name, (query, hits) in heads.items():
            missing = sorted(union - {hit.id for hit in hits}) if request.complete else []
            tail: list[Hit] = []
            if missing:
                ids = [UUID(hex=key) for key in missing]
                among = translate.only(ids, None)
                tail = self._nearest(shard, query, len(ids), among, None)
            kind: SignalKind = "cosine" if name == "dense" else "bm25"
            rankings.append(Ranking(collection, name, kind, (*hits, *tail), depth=len(hits)))
        return tuple(rankings)

    @staticmethod
    def _nearest(
        shard: Shard,
        query: edge.Query,
        limit: int,
        filter_: edge.Filter | None,
        params: edge.SearchParams | None,
    ) -> list[Hit]:
        request = edge.QueryRequest(limit=limit, query=query, filter=filter_, params=params)
        return translate.to_hits(shard.ask(lambda s: s.query(request)))

    async def load(
        self, collection: str, ids: Sequence[str], *, vectors: bool = False
    ) -> tuple[Stored, ...]:
        shard = self._shard(collection)
        with_vector = [translate.DENSE] if vectors and shard.has_dense else False
        keys = [UUID(hex=key) for key in ids]
        found = {
            record.id.hex: record
            for record in shard.ask(lambda s: s.retrieve(keys, True, with_vector))
            if record.payload[translate.REVISION] not in shard.hidden
        }
        return tuple(_stored(found[key]) for key in ids if key in found)

    async def revisions(self, collection: str) -> Mapping[str, int]:
        shard = self._shard(collection)
        request = edge.FacetRequest(translate.REVISION, limit=2**31, exact=True)
        return {hit.value: hit.count for hit in shard.ask(lambda s: s.facet(request)).hits}

    async def page(self, collection: str, after: str | None, limit: int) -> tuple[Chunk, ...]:
        shard = self._shard(collection)
        request = edge.ScrollRequest(
            offset=None if after is None else UUID(hex=after.ljust(32, "0")),
            limit=limit + 1,  # the first may be `after` itself
            filter=translate.to_filter(Filter(), frozenset(shard.hidden)),
            with_payload=True,
        )
        records, _ = shard.ask(lambda s: s.scroll(request))
        chunks = (translate.to_chunk(record.id, record.payload) for record in records)
        return tuple(chunk for chunk in chunks if chunk.id != after)[:limit]

    async def set_sparse(self, collection: str, vectors: Mapping[str, SparseVector]) -> None:
        shard = self._shard(collection)
        for key, vector in vectors.items():
            check_sparse(vector, f"chunk {key}")
        ids = [UUID(hex=key) for key in vectors]
        known = [record.id for record in shard.ask(lambda s: s.retrieve(ids, False, False))]
        changes = []
        for point_id in known:
            vector = vectors[point_id.hex]
            value = edge.SparseVector(list(vector.indices), list(vector.values))
            changes.append(edge.PointVectors(point_id, {translate.SPARSE: value}))
        if changes:
            await shard.update(edge.UpdateOperation.update_vectors(changes))

    async def flush(self) -> None:
        for shard in self._shards.values():
            shard.flush()

    async def optimise(self, collection: str) -> bool:
        shard = self._shard(collection)
        if shard.optimising or not shard.worth_optimising():
            return False
        await shard.optimise()
        return True

    async def close(self) -> None:
        while self._shards:
            self._shards.popitem()[1].close()

    def bytes(self, collection: str) -> int:
        """Space that a collection takes on disk."""
        return self._shard(collection).bytes()

    def optimising(self, collection: str) -> bool:
        """Is a child process optimising this collection?"""
        return self._shard(collection).optimising

    def _shard(self, collection: str) -> Shard:
        check_known(collection, self._shards)
        return self._shards[collection]


def _of(revisions: tuple[str, ...]) -> edge.Filter:
    return edge.Filter(must=[translate.condition(AnyOf(translate.REVISION, revisions))])


def _stored(record: edge.Record) -> Stored:
    values = (record.vector or {}).get(translate.DENSE)
    vector = None if values is None else np.asarray(values, dtype=np.float32)
    return Stored(translate.to_chunk(record.id, record.payload), vector)
