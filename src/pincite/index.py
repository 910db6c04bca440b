"""A store and a catalogue that always agree, whatever dies in between.

The order of writes is the whole trick. A document's points are staged, unseen; then its record is
committed to the catalogue, which is the moment when the new one counts; then the points are
published and those of its predecessor removed. After a crash at any point, the revisions that the
catalogue names are the truth: other points are leftovers, and a revision with too few points (only
a loss of power can do that) is forgotten, so that the next run of its source brings it back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Protocol

from pincite.errors import DiskFull, StoreError, UsageError
from pincite.model import (
    Chunk,
    CollectionSpec,
    DocumentRecord,
    Point,
    Ranking,
    SourceRecord,
    SparseVector,
)
from pincite.ports import Catalog, CollectionInfo, SearchRequest, Store, Stored


class Measured(Protocol):
    """What a store may tell of itself besides the contract."""

    def bytes(self, collection: str) -> int: ...
    def optimising(self, collection: str) -> bool: ...


class LocalIndex:
    """`pincite.ports.Index` over a store and a catalogue in this process."""

    def __init__(self, store: Store, catalog: Catalog, measured: Measured | None = None) -> None:
        self._store = store
        self._catalog = catalog
        self._measured = measured
        self._lost: dict[str, int] = {}
        self._broken: dict[str, StoreError] = {}
        self._writing: dict[str, asyncio.Lock] = {}

    async def open(self) -> None:
        """Open all collections and mend what a crash has left behind."""
        for spec in await self._catalog.specs():
            try:
                await self._store.create(spec)
                await self._reconcile(spec.name)
            except DiskFull:
                raise
            except StoreError as error:  # the others can still be searched, and this one rebuilt
                self._broken[spec.name] = error

    async def _reconcile(self, collection: str) -> None:
        held = await self._store.revisions(collection)
        records = await self._catalog.documents(collection)
        wanted = {record.revision: record.chunks for record in records if record.chunks}
        whole = {key for key, chunks in wanted.items() if held.get(key) == chunks}
        await self._store.remove(collection, sorted(held.keys() - whole))
        lost = sorted(wanted.keys() - whole)
        await self._catalog.delete(collection, lost)
        self._lost[collection] = len(lost)

    async def collections(self) -> tuple[CollectionInfo, ...]:
        infos = []
        for spec in await self._catalog.specs():
            documents, chunks, tokens = await self._catalog.totals(spec.name)
            usable = self._measured if spec.name not in self._broken else None
            infos.append(
                CollectionInfo(
                    spec=spec,
                    sources=await self._catalog.sources(spec.name),
                    documents=documents,
                    chunks=chunks,
                    tokens=tokens,
                    lost=self._lost.get(spec.name, 0),
                    bytes=usable.bytes(spec.name) if usable else 0,
                    optimising=usable.optimising(spec.name) if usable else False,
                    broken=self._broken[spec.name].message if spec.name in self._broken else "",
                )
            )
        return tuple(infos)

    async def create(self, spec: CollectionSpec) -> None:
        await self._store.create(spec)
        await self._catalog.put_spec(spec)

    async def drop(self, collection: str) -> None:
        await self._catalog.drop(collection)
        await self._store.drop(collection)
        self._lost.pop(collection, None)
        self._broken.pop(collection, None)

    async def reset(self, spec: CollectionSpec) -> None:
        records = await self._catalog.documents(spec.name)
        await self._catalog.delete(spec.name, [record.revision for record in records])
        await self._store.drop(spec.name)
        self._broken.pop(spec.name, None)
        await self.create(spec)

    async def put_source(self, collection: str, record: SourceRecord) -> None:
        await self._require(collection)
        await self._catalog.put_source(collection, record)
        if record.complete:
            self._lost.pop(collection, None)

    async def forget(self, collection: str, source: str) -> int:
        records = await self._catalog.documents(collection, source)
        await self.remove(collection, [record.revision for record in records])
        await self._catalog.drop_source(collection, source)
        return len(records)

    async def documents(
        self, collection: str, source: str | None = None
    ) -> tuple[DocumentRecord, ...]:
        return await self._catalog.documents(collection, source)

    async def replace(
        self, collection: str, record: DocumentRecord, points: Sequence[Point]
    ) -> None:
        self._usable(collection)
        async with self._writing.setdefault(collection, asyncio.Lock()):
            old = await self._catalog.revision(collection, record.source, record.path)
            try:
                await self._store.stage(collection, record.revision, points)
            except BaseException:
                if old != record.revision:
                    await self._store.remove(collection, [record.revision])
                raise
            await self._catalog.put(collection, [record])
            await self._store.publish(collection, record.revision, old)

    async def touch(self, collection: str, records: Sequence[DocumentRecord]) -> None:
        known = {r.revision: r for r in await self._catalog.documents(collection)}
        records = [record for record in records if record.revision in known]
        for record in records:
            if record.chunks and known[record.revision].ref != record.ref:
                await self._store.set_ref(collection, record.revision, record.ref)
        await self._catalog.put(collection, records)

    async def remove(self, collection: str, revisions: Sequence[str]) -> None:
        await self._catalog.delete(collection, revisions)
        await self._store.remove(collection, revisions)

    async def search(self, collection: str, request: SearchRequest) -> tuple[Ranking, ...]:
        self._usable(collection)
        return await self._store.search(collection, request)

    async def load(
        self, collection: str, ids: Sequence[str], *, vectors: bool = False
    ) -> tuple[Stored, ...]:
        self._usable(collection)
        return await self._store.load(collection, ids, vectors=vectors)

    async def page(self, collection: str, after: str | None, limit: int) -> tuple[Chunk, ...]:
        self._usable(collection)
        return await self._store.page(collection, after, limit)

    async def set_sparse(self, collection: str, vectors: Mapping[str, SparseVector]) -> None:
        await self._store.set_sparse(collection, vectors)

    async def settle(self, collection: str) -> None:
        await self._store.flush()
        await self._store.optimise(collection)

    async def close(self) -> None:
        """Let go of the store and the catalogue."""
        await self._store.close()
        await self._catalog.close()

    def _usable(self, collection: str) -> None:
        if collection in self._broken:
            raise self._broken[collection]

    async def _require(self, collection: str) -> None:
        names = [spec.name for spec in await self._catalog.specs()]
        if collection not in names:
            raise UsageError(
                f"there is no collection {collection!r}; there are: {', '.join(names) or 'none'}",
                hint=f"pincite index PATH --collection {collection}",
            )
