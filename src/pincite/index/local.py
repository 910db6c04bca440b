"""An index of a store and a catalog that agree, even after a crash.

The order of writes ensures this. First the points of documents are staged, which hides them from
searches. Then the records are committed to the catalog, and from this moment on the new revisions
are valid. Then the points are published, and those of the replaced revisions are removed. After a
crash at any step, the revisions in the catalog are the valid ones. Other points are leftovers. A
revision with too few points, which only a power failure can cause, is deleted from the catalog, so
that the next run of its source indexes it again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

from pincite.errors import (
    DiskFull,
    EnginePanicked,
    InvalidPoint,
    PinciteError,
    StoreError,
    UsageError,
)
from pincite.index.documents import AT_ONCE, every_record, require_fit
from pincite.index.idf import stored, with_idf
from pincite.index.optimise import Optimising
from pincite.index.recovery import reconcile
from pincite.index.refs import Refs
from pincite.index.replaced import Successors
from pincite.model import (
    AttributeValue,
    Chunk,
    CollectionSpec,
    DocumentRecord,
    IndexedDocument,
    Point,
    Ranking,
    SourceRecord,
    SparseVector,
    TermCounts,
)
from pincite.model.attributes import changes_between
from pincite.model.outline import OutlinedDocument
from pincite.ports import Catalog, CollectionInfo, Measured, SearchRequest, Store, Stored
from pincite.ports.outlines import OutlineCatalog
from pincite.scope.required import require_tags
from pincite.support.concurrency import run_to_completion
from pincite.support.fields import replace

if TYPE_CHECKING:
    from pincite.index.outlining import Outlining

_PAGE = 500  # records of documents that are read in one go: 5 ms
T = TypeVar("T")
log = logging.getLogger("pincite.index.local")


class LocalIndex:
    """`pincite.ports.Index` over a store and a catalog that no other process writes to. Call `open`
    first and `close` last."""

    def __init__(self, store: Store, catalog: Catalog, measured: Measured | None = None) -> None:
        self._store = store
        self._catalog = catalog
        self._measured = measured
        self._specs: dict[str, CollectionSpec] = {}
        self._lost: dict[str, int] = {}
        self._broken: dict[str, StoreError] = {}
        self._locks: dict[str, asyncio.Lock] = {}
        self._optimising = Optimising(store, lambda error: self.panicked(error))
        self._refs = Refs(catalog)
        self._outlines = catalog if isinstance(catalog, OutlineCatalog) else None
        self._outlining: Outlining | None = None
        self._successors = Successors()
        #: Whether anything was written since `flush` began.
        self.dirty = False

    async def open(self, *, repair: bool = True) -> None:
        """Open all collections, and with `repair` make store and catalog agree after a crash.
        Raises DiskFull and StoreError. A broken collection does not raise: `collections` reports
        it, and `reset` repairs it."""
        for spec in await self._catalog.specs():
            self._specs[spec.name] = spec
            try:
                await self._store.create(spec)
                if repair:
                    self._lost[spec.name] = await reconcile(self._store, self._catalog, spec.name)
            except DiskFull:
                raise
            except StoreError as error:
                self._broken[spec.name] = StoreError(error.message, hint=error.hint)

    async def collections(self) -> tuple[CollectionInfo, ...]:
        return tuple([await self._describe(spec) for spec in await self._catalog.specs()])

    async def sources(self, collection: str) -> tuple[SourceRecord, ...]:
        return await self._catalog.sources(collection)

    async def _describe(self, spec: CollectionSpec) -> CollectionInfo:
        """Return a collection with its contents; a broken one has no counts."""
        name = spec.name
        totals = await self._catalog.totals(name)
        broken = self._broken.get(name)
        measured = self._measured if broken is None else None
        return CollectionInfo(
            spec=spec,
            sources=await self._catalog.sources(name),
            documents=totals.documents,
            chunks=totals.chunks,
            tokens=totals.tokens,
            kinds=totals.kinds,
            lost=self._lost.get(name, 0),
            bytes=measured.bytes(name) if measured else 0,
            optimising=measured.optimising(name) if measured else False,
            broken=broken.message if broken else "",
            unembedded=0 if spec.dense is None else totals.unembedded,
        )

    async def create(self, spec: CollectionSpec) -> None:
        await self._write(spec.name, lambda: self._create(spec))

    async def _create(self, spec: CollectionSpec) -> None:
        known = self._specs.get(spec.name)
        if isinstance(self._broken.get(spec.name), DiskFull):
            self._broken.pop(spec.name)  # there may be room now
        if known is not None:
            self._usable(spec.name)
        else:
            await self._store.drop(spec.name)  # a crash may have left something
        if known is None or known.counted:
            spec = replace(spec, counted=spec.idf)
        await self._store.create(spec)
        await self._catalog.put_spec(spec)
        self._specs[spec.name] = spec

    async def drop(self, collection: str) -> None:
        if collection in self._specs:
            await self._write(collection, lambda: self._drop(collection))

    async def _drop(self, collection: str) -> None:
        await self._catalog.drop(collection)
        self._specs.pop(collection, None)
        self._lost.pop(collection, None)
        self._broken.pop(collection, None)
        await self._store.drop(collection)

    async def reset(self, spec: CollectionSpec) -> None:
        await self._write(spec.name, lambda: self._reset(spec))

    async def _reset(self, spec: CollectionSpec) -> None:
        if self._measured is not None:
            self._measured.require_room(spec.name)
        spec = replace(spec, counted=spec.idf)
        for source in await self._catalog.sources(spec.name):  # until a run reaches its end again
            await self._catalog.put_source(spec.name, replace(source, complete=False))
        records = await self._catalog.documents(spec.name)
        await self._catalog.delete(spec.name, [record.revision for record in records])
        self._lost.pop(spec.name, None)
        try:
            await self._store.drop(spec.name)
            await self._store.create(spec)
            await self._catalog.put_spec(spec)
        except StoreError as error:
            kind = DiskFull if isinstance(error, DiskFull) else StoreError
            self._broken[spec.name] = kind(error.message, hint=error.hint)
            raise
        self._specs[spec.name] = spec
        self._broken.pop(spec.name, None)

    async def put_source(self, collection: str, record: SourceRecord) -> None:
        self._require(collection)
        self.dirty = True
        await self._catalog.put_source(collection, record)
        if record.complete:
            self._lost.pop(collection, None)

    async def forget(self, collection: str, source: str) -> int:
        return await self._write(collection, lambda: self._forget(collection, source))

    async def _forget(self, collection: str, source: str) -> int:
        self._usable(collection)
        records = await self._catalog.documents(collection, source)
        await self._remove(collection, [record.revision for record in records])
        await self._catalog.drop_source(collection, source)
        return len(records)

    async def documents(
        self, collection: str, source: str | None = None
    ) -> tuple[DocumentRecord, ...]:
        return await every_record(self, collection, source, _PAGE)

    async def documents_after(
        self, collection: str, source: str | None, after: tuple[str, str] | None, limit: int
    ) -> tuple[DocumentRecord, ...]:
        """Return the next records of `documents`, after a (source, path)."""
        self._require(collection)
        return await self._catalog.documents(collection, source, after, limit)

    async def replace(self, collection: str, documents: Sequence[IndexedDocument]) -> None:
        await self._write(collection, lambda: self._replace(collection, documents))

    async def _replace(self, collection: str, documents: Sequence[IndexedDocument]) -> None:
        self._usable(collection)
        await require_fit(documents)
        if not documents:
            return
        counts: dict[str, TermCounts] = {}
        staged: dict[str, Sequence[Point]] = {}
        for number, (record, points) in enumerate(documents, start=1):
            if number % AT_ONCE == 0:
                await asyncio.sleep(0)  # a search may go first
            given = [point.sparse for point in points]
            vectors, counted = stored(self._specs[collection], record, given)
            counts.update(counted)
            staged[record.revision] = [
                Point(p.chunk, v, p.length, p.dense) for p, v in zip(points, vectors, strict=True)
            ]
        records = [
            replace(record, embedded=all(point.dense is not None for point in points))
            for record, points in documents
        ]
        places = {record.revision: (record.source, record.path) for record in records}
        held = await self._catalog.revisions_of(collection, places.values())
        replaced = {revision: held.get(place) for revision, place in places.items()}
        for revision, old in replaced.items():
            self._successors.add(collection, old, revision)
        try:
            await self._store.stage(collection, staged)
            await self._catalog.put(collection, records, counts, _in_order(staged))
        except BaseException:
            with suppress(PinciteError):  # what is left over is out of sight
                held = await self._catalog.revisions_of(collection, places.values())
                left = [
                    revision for revision, place in places.items() if held.get(place) != revision
                ]
                await self._store.remove(collection, left)
            raise
        await self._store.publish(collection, replaced)

    async def touch(self, collection: str, records: Sequence[DocumentRecord]) -> None:
        await self._write(collection, lambda: self._touch(collection, records))

    async def _touch(self, collection: str, records: Sequence[DocumentRecord]) -> None:
        self._require(collection)
        known = await self._catalog.records(collection, [r.revision for r in records])
        held = [record for record in records if record.revision in known]
        changes = {
            record.revision: change
            for record in held
            if (change := _changes(known[record.revision], record))
        }
        if changes:  # first: if this is cut off, the catalog says that it is still to be done
            self._usable(collection)
            if self._outlines is not None:  # chunks with different attributes are shown separately
                await self._outlines.forget_outlines(collection, changes)
            await self._store.set_attributes(collection, changes)
        await self._catalog.put(collection, held)

    async def remove(self, collection: str, revisions: Sequence[str]) -> None:
        await self._write(collection, lambda: self._remove(collection, revisions))

    async def _remove(self, collection: str, revisions: Sequence[str]) -> None:
        self._usable(collection)
        await self._catalog.delete(collection, revisions)
        await self._store.remove(collection, revisions)

    async def search(self, collection: str, request: SearchRequest) -> tuple[Ranking, ...]:
        self._usable(collection)
        spec, counted = self._specs[collection], None
        if spec.pending:  # it took the name of one that the caller has known
            raise UsageError(
                f"the collection {collection!r} is not complete yet", hint="pincite status"
            )
        require_tags(spec, request.filter)
        if request.sparse is not None and spec.counted:
            counted = await self._catalog.frequencies(collection, request.sparse.indices)
            request = replace(request, sparse=with_idf(request.sparse, counted))
        asked = self._successors.into(collection, request)
        found = await self._store.search(collection, asked)
        if counted is None or spec.require:  # they count what others have, too
            return found
        return tuple(replace(ranking, counted=counted) for ranking in found)

    async def load(
        self, collection: str, ids: Sequence[str], *, vectors: bool = False
    ) -> tuple[Stored, ...]:
        self._usable(collection)
        found = await self._store.load(collection, ids, vectors=vectors)
        return await self._refs.apply_to_stored(collection, found)

    async def document(self, collection: str, source: str, path: str) -> tuple[Chunk, ...]:
        self._usable(collection)
        found = await self._current(collection, (source, path))
        return tuple(await self._refs.apply(collection, found))

    async def _current(self, collection: str, place: tuple[str, str]) -> tuple[Chunk, ...]:
        """The chunks of a document, old or new while it is replaced. The revision that the catalog
        names may not be published yet, or be replaced while it is read."""
        revision = None
        held = await self._catalog.revisions_of(collection, [place])
        while held.get(place) not in (None, revision):
            revision = held[place]
            for one in (revision, *self._successors.before(collection, revision), revision):
                if found := await self._store.of_revision(collection, one):
                    return found
            held = await self._catalog.revisions_of(collection, [place])
        return ()

    async def chunk_ids(
        self, collection: str, documents: Sequence[tuple[str, str]]
    ) -> tuple[tuple[str, ...], ...]:
        self._usable(collection)
        held = await self._catalog.chunk_ids(collection, documents)
        return tuple(held.get(place, ()) for place in documents)

    async def outlines(
        self, collection: str, documents: Sequence[tuple[str, str]]
    ) -> tuple[OutlinedDocument | None, ...]:
        """See `Outlined.outlines`."""
        self._usable(collection)
        if self._outlines is None:
            return (None,) * len(documents)
        held = await self._outlines.outlines(collection, documents)
        return tuple(map(held.get, documents))

    async def embedded(self, collection: str, source: str, path: str) -> tuple[Stored, ...]:
        chunks = await self.document(collection, source, path)
        found = await self._store.vectors(collection, [chunk.id for chunk in chunks])
        return tuple(Stored(one, found[one.id]) for one in chunks if one.id in found)

    async def page(self, collection: str, after: str | None, limit: int) -> tuple[Chunk, ...]:
        self._usable(collection)
        found = await self._store.page(collection, after, limit)
        return tuple(await self._refs.apply(collection, found))

    async def weigh(
        self, collection: str, revision: str, vectors: Mapping[str, SparseVector]
    ) -> None:
        await self._write(collection, lambda: self._weigh(collection, revision, vectors))

    async def _weigh(
        self, collection: str, revision: str, vectors: Mapping[str, SparseVector]
    ) -> None:
        self._usable(collection)
        record = (await self._catalog.records(collection, [revision])).get(revision)
        if record is None:
            return
        if len(vectors) != record.chunks:
            raise InvalidPoint(f"{record.path!r} has {record.chunks} chunks, not {len(vectors)}")
        weights, counts = stored(self._specs[collection], record, tuple(vectors.values()))
        await self._store.set_sparse(collection, dict(zip(vectors, weights, strict=True)))
        await self._catalog.put(collection, [record], counts)

    async def flush(self) -> None:
        """Return when all writes so far would survive a power failure."""
        self.dirty = False
        try:
            await self._store.flush()
            await self._catalog.flush()
        except BaseException:
            self.dirty = True
            raise

    async def settle(self, collection: str) -> None:
        self._usable(collection)
        await self.flush()
        self._optimising.begin(collection)
        self.make_outlines(collection)

    def make_outlines(self, collection: str) -> None:
        """Make the missing outlines of documents in the background, while the index `is_quiet`."""
        if self._outlines is None:
            return
        if self._outlining is None:
            from pincite.index.outlining import Outlining

            self._outlining = Outlining(
                self._store,
                self._outlines,
                writing=self._lock_of,
                is_quiet=lambda: self.is_quiet,
                panicked=lambda error: self.panicked(error),
            )
        self._outlining.begin(collection)

    @property
    def is_quiet(self) -> bool:
        """Whether nobody uses the index, so that work in the background delays nobody."""
        return True

    def panicked(self, error: EnginePanicked) -> None:
        """Log that the engine panicked outside of a request. Requests will fail with the same
        error."""
        log.critical("the engine panicked: %s", error)

    @property
    def busy(self) -> bool:
        """Whether a background task is running."""
        return self._optimising.busy or (self._outlining is not None and self._outlining.busy)

    async def close(self) -> None:
        """Close the store and the catalog."""
        await self._optimising.stop()
        if self._outlining is not None:
            await self._outlining.stop()
        try:
            await self._store.close()
        finally:
            await self._catalog.close()

    async def _write(self, collection: str, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run one change of a collection at a time. It is completed even if its caller is
        cancelled."""
        async with self._lock_of(collection):
            self.dirty = True
            try:
                return await run_to_completion(work())
            finally:
                self._refs.forget(collection)

    def _lock_of(self, collection: str) -> asyncio.Lock:
        return self._locks.setdefault(collection, asyncio.Lock())

    def _require(self, collection: str) -> None:
        if collection not in self._specs:
            raise UsageError(
                f"no collection is named {collection!r}; known collections:"
                f" {', '.join(sorted(self._specs)) or 'none'}",
                hint=f"pincite index PATH --collection {collection}",
            )

    def _usable(self, collection: str) -> None:
        self._require(collection)
        if broken := self._broken.get(collection):
            raise type(broken)(broken.message, hint=broken.hint)


def _in_order(revisions: Mapping[str, Sequence[Point]]) -> dict[str, list[str]]:
    """Return the ids of the chunks of each revision in the order of their file."""
    return {
        revision: [
            chunk.id
            for chunk in sorted((p.chunk for p in points), key=lambda one: (one.start, one.end))
        ]
        for revision, points in revisions.items()
    }


def _changes(before: DocumentRecord, after: DocumentRecord) -> dict[str, AttributeValue | None]:
    """Return the changes of the attributes that all chunks of a document have."""
    return changes_between(before.all_attributes, after.all_attributes)
