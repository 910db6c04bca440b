"""`pincite.ports.Store` on Qdrant Edge.

Every method runs on the event loop's own thread: Qdrant Edge keeps Python's lock during a call, so
a thread pool would gain nothing, and calls that cannot interleave need no locks.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from uuid import UUID

import qdrant_edge as edge

from pincite.errors import StoreError
from pincite.model import (
    AttributeValue,
    Chunk,
    CollectionSpec,
    Point,
    Ranking,
    SparseVector,
    Vector,
)
from pincite.ports import SearchRequest, Stored
from pincite.stores import payload
from pincite.stores.attributes import check_changes
from pincite.stores.payload import ALIASED, REVISION
from pincite.stores.qdrant_edge import translate
from pincite.stores.qdrant_edge.generations import space_taken
from pincite.stores.qdrant_edge.layout import USUAL, EdgeLayout
from pincite.stores.qdrant_edge.packed import chunk_of
from pincite.stores.qdrant_edge.reading import Recent, next_page, points_of, read_chunks
from pincite.stores.qdrant_edge.search import search
from pincite.stores.qdrant_edge.shard import Shard
from pincite.stores.qdrant_edge.translate import among
from pincite.stores.qdrant_edge.writing import (
    change_payloads,
    counts,
    exact_vectors,
    finish_taking,
    owners,
    take_ids,
    write,
)
from pincite.stores.room import free_bytes
from pincite.stores.validate import (
    check_known,
    check_name,
    check_prefix,
    check_request,
    check_revisions,
    check_sparse,
    check_spec,
    is_id,
)

_BATCH = 128  # points per operation: 3 ms in Qdrant Edge, so that searches never wait long
_STAGED = 32  # points staged per operation; a search needs some turns between them
_REVISIONS = 64  # revisions removed per operation: 7 ms
_READ = 256  # chunks of a document read at once: 7 ms
_DROPPED = ".dropped"  # a name that no collection can have


class EdgeStore:
    """Collections as folders below `root`. Only one process at a time may hold a root."""

    def __init__(
        self,
        root: Path,
        free_bytes: Callable[[Path], int] = free_bytes,
        layout: EdgeLayout = USUAL,
    ) -> None:
        self._root = root
        self.layout = layout  # of generations optimised from now on
        self._free_bytes = free_bytes
        self._specs: dict[str, CollectionSpec] = {}
        self._shards: dict[str, Shard] = {}
        self._recent = Recent()
        shutil.rmtree(root / _DROPPED, ignore_errors=True)

    async def create(self, spec: CollectionSpec) -> None:
        check_name(spec.name)
        shard = self._shards.get(spec.name)
        if shard is None:
            root = self._root / spec.name
            shard = Shard(root, self._free_bytes, idf=spec.engine_idf, layout=self.layout)
            self._shards[spec.name] = shard
            finish_taking(shard)
            shard.read_ahead()
        check_spec(spec, shard.dimensions)
        async with shard.writing:
            shard.set_dimensions(spec.dimensions)
            shard.set_attributes(spec.attributes)
        await shard.set_idf(idf=spec.engine_idf, attributes=spec.attributes)
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

    async def stage(self, collection: str, revisions: Mapping[str, Sequence[Point]]) -> None:
        shard = self._shard(collection)
        await check_revisions(self._specs[collection], revisions)
        pairs = [(revision, point) for revision, points in revisions.items() for point in points]
        size = sum(len(p.chunk.text) + 12 * len(p.sparse.indices) + 2_000 for _, p in pairs)
        shard.require_space(4 * size)
        shard.hidden.update(revisions.keys() - counts(shard, REVISION, revisions).keys())
        for start in range(0, len(pairs), _STAGED):
            async with shard.writing:
                write(shard, pairs[start : start + _STAGED])
            await asyncio.sleep(0)  # let a search go first

    async def publish(self, collection: str, replaced: Mapping[str, str | None]) -> None:
        shard = self._shard(collection)
        gone = {old for old in replaced.values() if old is not None and old not in replaced}
        aliased = shard.hidden & counts(shard, ALIASED, replaced.keys() & shard.hidden).keys()
        async with shard.writing:
            shard.hidden.difference_update(replaced.keys() - aliased)
            shard.hidden.update(gone - {replaced[revision] for revision in aliased})
        for revision in sorted(aliased):
            async with shard.writing:
                take_ids(shard, revision)
                shard.hidden.discard(revision)
                shard.hidden.update(gone & {replaced[revision]})
            await asyncio.sleep(0)
        await self.remove(collection, gone)

    async def remove(self, collection: str, revisions: Iterable[str]) -> None:
        shard = self._shard(collection)
        gone = list(revisions)
        shard.hidden.update(gone)  # hidden even while the write has to wait
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
        wanted = vectors and self._specs[collection].dense is not None
        return self._recent.load(shard, ids, vectors=wanted)

    def forget(self) -> None:
        """Release cached chunks."""
        self._recent.clear()

    async def vectors(self, collection: str, ids: Sequence[str]) -> Mapping[str, Vector]:
        shard = self._shard(collection)
        if self._specs[collection].dense is None:
            return {}
        keys = [UUID(hex=key) for key in ids if is_id(key)]
        held = owners(shard, keys)
        return {
            key.hex: vector
            for key, vector in exact_vectors(shard, held).items()
            if held[key] not in shard.hidden
        }

    async def of_revision(self, collection: str, revision: str) -> tuple[Chunk, ...]:
        shard = self._shard(collection)
        state, ids = shard.state, points_of(shard, revision)
        chunks: list[Chunk] = []
        for start in range(0, len(ids), _READ):
            if start:
                await asyncio.sleep(0)  # let a search go first
            if self._shard(collection) is not shard or shard.state is not state:
                shard = self._shard(collection)  # written meanwhile: all again, at once
                chunks = read_chunks(shard, points_of(shard, revision))
                break
            chunks += read_chunks(shard, ids[start : start + _READ])
        if revision in shard.hidden:
            return ()
        return tuple(sorted(chunks, key=lambda chunk: (chunk.start, chunk.end)))

    async def revisions(self, collection: str) -> Mapping[str, int]:
        return counts(self._shard(collection), REVISION)

    async def staged(self, collection: str) -> frozenset[str]:
        return frozenset(self._shard(collection).hidden)

    async def page(self, collection: str, after: str | None, limit: int) -> tuple[Chunk, ...]:
        shard = self._shard(collection)
        check_prefix(after)
        records = next_page(shard, after, limit, vectors=False)
        return tuple(chunk_of(record.id, record.payload) for record in records)

    async def export(
        self, collection: str, after: str | None, limit: int
    ) -> tuple[tuple[str, Point], ...]:
        shard = self._shard(collection)
        check_prefix(after)
        dense = self._specs[collection].dense is not None
        records = next_page(shard, after, limit, vectors=True)
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
                for point_id, revision in owners(shard, some).items():
                    if revision not in shard.hidden:
                        sparse = translate.to_sparse(vectors[point_id.hex])
                        changes.append(edge.PointVectors(point_id, {payload.SPARSE: sparse}))
                if changes:
                    update = edge.UpdateOperation.update_vectors(changes)
                    shard.apply(update, written=len(changes), deleted=len(changes))
            await asyncio.sleep(0)

    async def set_attributes(
        self, collection: str, changes: Mapping[str, Mapping[str, AttributeValue | None]]
    ) -> None:
        shard = self._shard(collection)
        check_changes(self._specs[collection], changes)
        for together in payload.equal_changes(changes):
            values = payload.changed(changes[together[0]])
            while together:
                async with shard.writing:
                    together = change_payloads(shard, together, values, _BATCH)
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
        """Return the space that a collection takes on disk."""
        return space_taken(self._shard(collection).root)

    def optimising(self, collection: str) -> bool:
        """Return whether a child process is optimising this collection."""
        return self._shard(collection).optimising

    def require_room(self, collection: str) -> None:
        """See `Measured.require_room`."""
        if (shard := self._shards.get(collection)) is not None:
            shard.require_space(0)

    def _shard(self, collection: str) -> Shard:
        check_known(collection, self._specs)
        shard = self._shards.get(collection)
        if shard is None:
            raise StoreError(f"the store of the collection {collection!r} is closed")
        return shard
