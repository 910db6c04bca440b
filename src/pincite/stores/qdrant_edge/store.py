"""`pincite.ports.Store` on Qdrant Edge.

Every method runs on the event loop's own thread: the engine keeps Python's lock during a call, so a
thread pool would buy nothing, and calls that cannot interleave need no locks.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from uuid import UUID

import qdrant_edge as edge

from pincite.model import Chunk, CollectionSpec, Point, Ranking, SparseVector
from pincite.ports import Filter, SearchRequest, Stored
from pincite.stores import payload
from pincite.stores.payload import ALIASED, OWN_ID, REVISION
from pincite.stores.qdrant_edge import translate
from pincite.stores.qdrant_edge.generations import space_taken
from pincite.stores.qdrant_edge.layout import EdgeLayout
from pincite.stores.qdrant_edge.search import search
from pincite.stores.qdrant_edge.shard import Shard
from pincite.stores.qdrant_edge.translate import among
from pincite.stores.validate import (
    check_known,
    check_name,
    check_points,
    check_prefix,
    check_request,
    check_sparse,
    check_spec,
    is_id,
)

_BATCH = 128  # points per operation: 3 ms of engine time, so that searches never wait long
_REVISIONS = 64  # revisions removed per operation: 7 ms
_ALL = 2**31
_DROPPED = ".dropped"  # a name that no collection can have


def free_bytes(path: Path) -> int:
    """Space left on the disk of `path`."""
    return shutil.disk_usage(path).free


class EdgeStore:
    """Collections as folders below `root`. One process at a time may hold a root."""

    def __init__(
        self,
        root: Path,
        free_bytes: Callable[[Path], int] = free_bytes,
        layout: EdgeLayout = EdgeLayout(),
    ) -> None:
        self._root = root
        self.layout = layout  #: of what is optimised from now on
        self._free_bytes = free_bytes
        self._specs: dict[str, CollectionSpec] = {}
        self._shards: dict[str, Shard] = {}
        shutil.rmtree(root / _DROPPED, ignore_errors=True)

    async def create(self, spec: CollectionSpec) -> None:
        check_name(spec.name)
        shard = self._shards.get(spec.name)
        if shard is None:
            root = self._root / spec.name
            shard = Shard(root, self._free_bytes, idf=spec.idf, layout=self.layout)
            self._shards[spec.name] = shard
            _finish_taking(shard)
            shard.read_ahead()
        check_spec(spec, shard.dimensions)
        async with shard.writing:
            shard.set_dimensions(spec.dimensions)
        self._specs[spec.name] = spec

    async def drop(self, collection: str) -> None:
        check_name(collection)
        self._specs.pop(collection, None)
        shard = self._shards.pop(collection, None)
        try:
            if shard is not None:
                await shard.close()
        finally:
            if (self._root / collection).exists():
                shutil.rmtree(self._root / _DROPPED, ignore_errors=True)
                (self._root / collection).rename(self._root / _DROPPED)
                shutil.rmtree(self._root / _DROPPED, ignore_errors=True)

    def keep_only(self, collections: Iterable[str]) -> None:
        """Remove the folders of all other collections, left behind by a crash."""
        if self._root.exists():
            for folder in self._root.iterdir():
                if folder.name not in collections:
                    shutil.rmtree(folder, ignore_errors=True)

    async def stage(self, collection: str, revision: str, points: Sequence[Point]) -> None:
        shard = self._shard(collection)
        check_points(self._specs[collection], points)
        size = sum(len(p.chunk.text) + 12 * len(p.sparse.indices) + 2_000 for p in points)
        shard.require_space(4 * size)
        if not shard.count(among(REVISION, [revision])):
            shard.hidden.add(revision)
        for start in range(0, len(points), _BATCH):
            async with shard.writing:
                _write(shard, revision, points[start : start + _BATCH])
            await asyncio.sleep(0)  # a search may go first

    async def publish(self, collection: str, revision: str, replaces: str | None) -> None:
        shard = self._shard(collection)
        gone = [replaces] if replaces is not None and replaces != revision else []
        async with shard.writing:
            if revision in shard.hidden:
                _take_ids(shard, revision)
                shard.hidden.discard(revision)
            shard.hidden.update(gone)
        await self.remove(collection, gone)

    async def remove(self, collection: str, revisions: Iterable[str]) -> None:
        shard = self._shard(collection)
        gone = list(revisions)
        shard.hidden.update(gone)  # out of sight even while the write has to wait
        for start in range(0, len(gone), _REVISIONS):
            some = gone[start : start + _REVISIONS]
            async with shard.writing:
                points = among(REVISION, some)
                delete = edge.UpdateOperation.delete_points_by_filter(points)
                if count := shard.count(points):
                    shard.apply(delete, deleted=count)
                shard.hidden.difference_update(some)
            await asyncio.sleep(0)

    async def search(self, collection: str, request: SearchRequest) -> tuple[Ranking, ...]:
        shard = self._shard(collection)
        check_request(self._specs[collection], request)
        return search(shard, self._specs[collection], request)

    async def load(
        self, collection: str, ids: Sequence[str], *, vectors: bool = False
    ) -> tuple[Stored, ...]:
        shard = self._shard(collection)
        vectors = vectors and self._specs[collection].dense is not None
        with_vector = [payload.DENSE] if vectors else False
        keys = [key for key in ids if is_id(key)]
        found: dict[str, Stored] = {}
        for key, held, named in shard.ask(
            lambda s: [(r.id, r.payload, r.vector) for r in s.retrieve(keys, True, with_vector)]
        ):
            if held[REVISION] not in shard.hidden:
                chunk = payload.to_chunk(key, held)
                values = named.get(payload.DENSE) if vectors else None
                vector = None if values is None else translate.to_vector(values)
                found[chunk.id] = Stored(chunk, vector)
        return tuple(found[key] for key in ids if key in found)

    async def of_revision(self, collection: str, revision: str) -> tuple[Chunk, ...]:
        shard = self._shard(collection)
        if revision in shard.hidden:
            return ()
        request = edge.ScrollRequest(
            limit=_ALL, filter=among(REVISION, [revision]), with_payload=True
        )
        records, _ = shard.ask(lambda s: s.scroll(request))
        chunks = (payload.to_chunk(record.id, record.payload) for record in records)
        return tuple(sorted(chunks, key=lambda chunk: (chunk.start, chunk.end)))

    async def revisions(self, collection: str) -> Mapping[str, int]:
        return _counts(self._shard(collection), REVISION)

    async def staged(self, collection: str) -> frozenset[str]:
        return frozenset(self._shard(collection).hidden)

    async def page(self, collection: str, after: str | None, limit: int) -> tuple[Chunk, ...]:
        shard = self._shard(collection)
        check_prefix(after)
        records = _next(shard, after, limit, vectors=False)
        return tuple(payload.to_chunk(record.id, record.payload) for record in records)

    async def export(
        self, collection: str, after: str | None, limit: int
    ) -> tuple[tuple[str, Point], ...]:
        shard = self._shard(collection)
        check_prefix(after)
        dense = self._specs[collection].dense is not None
        records = _next(shard, after, limit, vectors=True)
        return tuple(translate.from_record(record, dense=dense) for record in records)

    async def set_sparse(self, collection: str, vectors: Mapping[str, SparseVector]) -> None:
        shard = self._shard(collection)
        for key, vector in vectors.items():
            check_sparse(vector, f"chunk {key}")
        ids = [UUID(hex=key) for key in vectors if is_id(key)]
        for start in range(0, len(ids), _BATCH):
            async with shard.writing:
                some = ids[start : start + _BATCH]
                changes = []
                for point_id, revision in _owners(shard, some).items():
                    if revision not in shard.hidden:
                        sparse = translate.to_sparse(vectors[point_id.hex])
                        changes.append(edge.PointVectors(point_id, {payload.SPARSE: sparse}))
                if changes:
                    update = edge.UpdateOperation.update_vectors(changes)
                    shard.apply(update, written=len(changes), deleted=len(changes))
            await asyncio.sleep(0)

    async def flush(self) -> None:
        for shard in tuple(self._shards.values()):
            await shard.flush()

    async def optimise(self, collection: str) -> bool:
        shard = self._shard(collection)
        return shard.worth_optimising() and await shard.optimise()

    async def close(self) -> None:
        while self._shards:
            await self._shards.popitem()[1].close()

    def bytes(self, collection: str) -> int:
        """Space that a collection takes on disk."""
        return space_taken(self._shard(collection).root)

    def optimising(self, collection: str) -> bool:
        """Is a child process optimising this collection?"""
        return self._shard(collection).optimising

    def _shard(self, collection: str) -> Shard:
        check_known(collection, self._specs)
        return self._shards[collection]


def _next(shard: Shard, after: str | None, limit: int, *, vectors: bool) -> list[edge.Record]:
    request = edge.ScrollRequest(
        offset=None if after is None else UUID(hex=after.ljust(32, "0")),
        limit=limit + 1,  # the first may be `after` itself
        filter=translate.to_filter(Filter(), shard.hidden),
        with_payload=True,
        with_vector=vectors,
    )
    records, _ = shard.ask(lambda s: s.scroll(request))
    return [record for record in records if record.id.hex != after][:limit]


def _counts(shard: Shard, field: str) -> dict[str, int]:
    request = edge.FacetRequest(field, limit=_ALL, exact=True)
    hits = shard.ask(lambda s: s.facet(request)).hits
    return {hit.value: hit.count for hit in hits if hit.count}  # it remembers what was there


def _owners(shard: Shard, ids: Sequence[UUID]) -> dict[UUID, str]:
    """The revision to which each of these points belongs; unknown ones are left out."""
    only = edge.PayloadSelector.Include([REVISION])
    records = shard.ask(lambda s: s.retrieve(list(ids), only, False))
    return {record.id: record.payload[REVISION] for record in records}


def _write(shard: Shard, revision: str, points: Sequence[Point]) -> None:
    """Upsert, under aliases where another revision has the ids: the same file, indexed with other
    encoders. A point that has an alias already keeps it."""
    owners = _owners(shard, [UUID(hex=point.chunk.id) for point in points])
    taken = {key.hex for key, owner in owners.items() if owner != revision}
    again = len(owners) - len(taken)
    if shard.count(among(ALIASED, [revision])):
        aliases = {payload.alias(p.chunk.id, revision): p.chunk.id for p in points}
        taken |= {aliases[key] for key in _owners(shard, list(aliases))}
    made = [translate.to_point(p, revision, p.chunk.id in taken) for p in points]
    shard.apply(edge.UpdateOperation.upsert_points(made), written=len(made), deleted=again)


def _take_ids(shard: Shard, revision: str) -> None:
    """Give the aliased points of a revision their own ids."""
    if records := _aliased(shard, revision):
        owned = [translate.without_alias(record) for record in records]
        waiting = among(ALIASED, [revision])
        count = len(owned)
        shard.apply(edge.UpdateOperation.upsert_points(owned), written=count, deleted=count)
        shard.apply(edge.UpdateOperation.delete_points_by_filter(waiting), deleted=count)


def _finish_taking(shard: Shard) -> None:
    """After a crash: `_take_ids` has begun if a revision's own ids are its own. Otherwise its
    aliases stay out of sight until it is published or removed."""
    for revision in _counts(shard, ALIASED):
        own = [UUID(hex=r.payload[OWN_ID]) for r in _aliased(shard, revision)]
        if revision in _owners(shard, own).values():
            _take_ids(shard, revision)
        else:
            shard.hidden.add(revision)


def _aliased(shard: Shard, revision: str) -> list[edge.Record]:
    waiting = among(ALIASED, [revision])
    request = edge.ScrollRequest(limit=_ALL, filter=waiting, with_payload=True, with_vector=True)
    return list(shard.ask(lambda s: s.scroll(request))[0])
