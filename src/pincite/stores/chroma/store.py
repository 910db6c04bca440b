"""`pincite.ports.Store` on Chroma. Only one process at a time may write to a collection.

The hidden revisions are in the metadata of the collection, which one call replaces. So a document
appears and disappears as a whole.
"""

from __future__ import annotations

from collections.abc import Collection as Several
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from pincite.errors import StoreError, UsageError
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
from pincite.ports import EVERYTHING, SearchRequest, Stored
from pincite.stores.attributes import check_changes
from pincite.stores.chroma import records
from pincite.stores.chroma.database import Database, State, state_of
from pincite.stores.chroma.images import Images
from pincite.stores.chroma.nearest import Nearest, read_vectors
from pincite.stores.chroma.records import HAS_DENSE, Record, key_of
from pincite.stores.payload import with_attributes
from pincite.stores.ranked import Known, Side, rankings_of
from pincite.stores.validate import (
    check_known,
    check_name,
    check_prefix,
    check_request,
    check_revisions,
    check_sparse,
    check_spec,
)
from pincite.support.fields import replace

if TYPE_CHECKING:
    from chromadb.api.models.Collection import Collection

_SPACE = "cosine"


class ChromaStore:
    """Collections of a client, named `<prefix><name>.<dimensions>`, because Chroma cannot change
    the dimensions of a collection."""

    def __init__(self, database: Database, *, owner: str = "", prefix: str = "pincite-") -> None:
        self._database = database
        self._owner = owner
        self._prefix = prefix
        self._names: dict[str, str] = {}
        self._images = Images(database)

    async def create(self, spec: CollectionSpec) -> None:
        check_name(spec.name)
        found = await self._found(spec.name)
        known = max(found.values(), default=0)
        check_spec(spec, known)
        dimensions = known or spec.dimensions
        name = f"{self._prefix}{spec.name}.{dimensions}"
        if name in found:
            collection = await self._database.open(name)
            state = self._require_ours(collection)
        else:
            state = State(self._owner, spec, dimensions)
            collection = await self._database.create(name, state)
        for other in found.keys() - {name}:
            state = await self._move(other, collection, dimensions)
        await self._database.write_state(
            collection, replace(state, spec=spec, dimensions=dimensions)
        )
        self._names[spec.name] = name

    async def _move(self, source: str, target: Collection, dimensions: int) -> State:
        """Move the points of a lexical collection into one with dense vectors; safe to repeat."""
        old = await self._database.open(source)
        state = self._require_ours(old)
        rows = await self._database.read_all(old)
        if rows:
            blanks = np.stack([records.blank(dimensions)] * len(rows))
            keys, metadatas, documents = (list(column) for column in zip(*rows, strict=True))
            held = [dict(metadata) for metadata in metadatas]
            await self._database.upsert(target, keys, blanks, held, documents)
        await self._database.write_state(target, replace(state, dimensions=dimensions))
        await self._database.drop(source)
        return state

    async def _found(self, collection: str) -> dict[str, int]:
        """Return Chroma's names of a collection, with their dimensions."""
        found = {}
        for name in await self._database.names():
            start, _, dimensions = name.rpartition(".")
            if start == f"{self._prefix}{collection}" and dimensions.isdigit():
                found[name] = int(dimensions)
        return found

    def _require_ours(self, collection: Collection) -> State:
        state = state_of(collection)
        if state is None or state.owner != self._owner:
            raise UsageError(
                f"the collection {collection.name!r} of {self._database.where} belongs to"
                " another index; nothing was changed",
                hint="use another name, or give yours a prefix: [store] prefix in pincite.toml",
            )
        space = (collection.configuration_json.get("hnsw") or {}).get("space")
        if space != _SPACE:
            raise StoreError(
                f"the collection {collection.name!r} of {self._database.where} ranks by {space},"
                f" but Pincite ranks by {_SPACE}: the scores are not comparable",
                hint=(
                    "another program made this collection: delete it there, or set a prefix"
                    " in [store]"
                ),
            )
        return state

    async def drop(self, collection: str) -> None:
        check_name(collection)
        self._names.pop(collection, None)
        self._images.forget(collection)
        for name in await self._found(collection):
            self._require_ours(await self._database.open(name))
            await self._database.drop(name)

    async def stage(self, collection: str, revisions: Mapping[str, Sequence[Point]]) -> None:
        chroma, state = await self._open(collection)
        await check_revisions(state.spec, revisions)
        image = await self._images.of(collection, chroma, state)
        hidden = state.hidden
        if fresh := revisions.keys() - {record.revision for record in image.records.values()}:
            hidden |= fresh
            state = await self._change(chroma, state, hidden)
            image = self._images.carry(collection, image, state, image.records)
        last = {
            key_of(revision, point.chunk.id): (revision, point)
            for revision, points in revisions.items()
            for point in points
        }
        rows = {key: (records.to_record(p, r), p.chunk.text) for key, (r, p) in last.items()}
        if last:
            vectors = [records.vector_of(p, state.dimensions) for _, p in last.values()]
            metadatas, texts = (list(column) for column in zip(*rows.values(), strict=True))
            await self._database.upsert(chroma, list(rows), np.stack(vectors), metadatas, texts)
        state = await self._change(chroma, state, hidden)
        held = {key: records.from_record(key, *row) for key, row in rows.items()}
        self._images.carry(collection, image, state, {**image.records, **held})

    async def publish(self, collection: str, replaced: Mapping[str, str | None]) -> None:
        chroma, state = await self._open(collection)
        image = await self._images.of(collection, chroma, state)
        gone = {old for old in replaced.values() if old is not None and old not in replaced}
        taken: list[str] = []
        if shown := state.hidden & replaced.keys():
            mine = {r.chunk.id for r in image.records.values() if r.revision in shown}
            others = (r for r in image.records.values() if r.revision not in shown)
            taken = [record.key for record in others if record.chunk.id in mine]
            state = await self._change(chroma, state, (state.hidden - shown) | gone)
            self._images.carry(collection, image, state, image.records)
        if taken or gone:
            await self._remove(collection, chroma, state, gone, taken)

    async def remove(self, collection: str, revisions: Iterable[str]) -> None:
        chroma, state = await self._open(collection)
        await self._remove(collection, chroma, state, list(revisions))

    async def _remove(
        self,
        collection: str,
        chroma: Collection,
        state: State,
        gone: Several[str],
        taken: Iterable[str] = (),
    ) -> None:
        """Hide revisions, delete their records and those in `taken`, then forget the revisions."""
        image = await self._images.of(collection, chroma, state)
        state = await self._change(chroma, state, state.hidden | set(gone))
        image = self._images.carry(collection, image, state, image.records)
        left, deleted = dict(image.records), set(taken)
        deleted |= {key for key, record in left.items() if record.revision in set(gone)}
        await self._database.delete(chroma, list(deleted))
        state = await self._change(chroma, state, state.hidden - set(gone))
        for key in deleted:
            left.pop(key, None)
        self._images.carry(collection, image, state, left)

    async def search(self, collection: str, request: SearchRequest) -> tuple[Ranking, ...]:
        chroma, state = await self._open(collection)
        check_request(state.spec, request)
        image = await self._images.of(collection, chroma, state)
        passing = image.passing(request.filter)
        sides: dict[SignalName, Side] = {}
        if request.dense is not None:
            having = [r for r in passing.values() if r.dense and state.spec.dense is not None]
            whole = request.filter == EVERYTHING
            nearest = Nearest(self._database, chroma, request.dense, having, whole=whole)
            if request.exact:
                everyone = [record.chunk.id for record in having]
                sides["dense"] = Known(await nearest.of(everyone))
            else:
                sides["dense"] = nearest
        if request.sparse is not None:
            sides["sparse"] = Known(image.products(state.spec, request.sparse, passing.values()))
        return await rankings_of(state.spec, request, sides)

    async def load(
        self, collection: str, ids: Sequence[str], *, vectors: bool = False
    ) -> tuple[Stored, ...]:
        chroma, state = await self._open(collection)
        visible = (await self._images.of(collection, chroma, state)).visible
        found = {key: visible[key] for key in ids if key in visible}
        held: Mapping[str, Vector] = {}
        if vectors and state.spec.dense is not None:
            held = await read_vectors(
                self._database, chroma, [r for r in found.values() if r.dense]
            )
        return tuple(Stored(found[key].chunk, held.get(key)) for key in ids if key in found)

    async def vectors(self, collection: str, ids: Sequence[str]) -> Mapping[str, Vector]:
        found = await self.load(collection, ids, vectors=True)
        return {one.chunk.id: one.vector for one in found if one.vector is not None}

    async def of_revision(self, collection: str, revision: str) -> tuple[Chunk, ...]:
        chroma, state = await self._open(collection)
        visible = (await self._images.of(collection, chroma, state)).visible.values()
        chunks = (record.chunk for record in visible if record.revision == revision)
        return tuple(sorted(chunks, key=lambda chunk: (chunk.start, chunk.end)))

    async def revisions(self, collection: str) -> Mapping[str, int]:
        image = await self._images.of(collection, *await self._open(collection))
        counts: dict[str, int] = {}
        for record in image.records.values():
            counts[record.revision] = counts.get(record.revision, 0) + 1
        return counts

    async def staged(self, collection: str) -> frozenset[str]:
        _, state = await self._open(collection)
        return state.hidden

    async def page(self, collection: str, after: str | None, limit: int) -> tuple[Chunk, ...]:
        found = await self._next(collection, after, limit)
        return tuple(record.chunk for record in found)

    async def export(
        self, collection: str, after: str | None, limit: int
    ) -> tuple[tuple[str, Point], ...]:
        found = await self._next(collection, after, limit)
        chroma, state = await self._open(collection)
        held: Mapping[str, Vector] = {}
        if state.spec.dense is not None:
            held = await read_vectors(self._database, chroma, [r for r in found if r.dense])
        return tuple(
            (r.revision, Point(r.chunk, r.sparse, r.length, held.get(r.chunk.id))) for r in found
        )

    async def _next(self, collection: str, after: str | None, limit: int) -> list[Record]:
        image = await self._images.of(collection, *await self._open(collection))
        check_prefix(after)
        rest = (r for key, r in image.visible.items() if after is None or key > after)
        return [record for _, record in zip(range(limit), rest, strict=False)]

    async def set_sparse(self, collection: str, vectors: Mapping[str, SparseVector]) -> None:
        chroma, state = await self._open(collection)
        for key, vector in vectors.items():
            check_sparse(vector, f"chunk {key}")
        visible = (await self._images.of(collection, chroma, state)).visible
        changed = [
            (visible[key], Point(visible[key].chunk, vector, visible[key].length))
            for key, vector in vectors.items()
            if key in visible
        ]
        metadatas = {
            record.key: {**records.to_record(point, record.revision), HAS_DENSE: record.dense}
            for record, point in changed
        }
        await self._database.update(chroma, metadatas)
        await self._change(chroma, state, state.hidden)

    async def set_attributes(
        self, collection: str, changes: Mapping[str, Mapping[str, AttributeValue | None]]
    ) -> None:
        chroma, state = await self._open(collection)
        check_changes(state.spec, changes)
        image = await self._images.of(collection, chroma, state)
        for revision, attributes in changes.items():
            changed = [
                replace(record, chunk=with_attributes(record.chunk, attributes))
                for record in image.records.values()
                if record.revision == revision and attributes
            ]
            if not changed:
                continue
            await self._database.update(chroma, {r.key: records.metadata_of(r) for r in changed})
            state = await self._change(chroma, state, state.hidden)
            held = {**image.records, **{record.key: record for record in changed}}
            image = self._images.carry(collection, image, state, held)

    async def flush(self) -> None:
        """Do nothing: Chroma commits every write that it acknowledges."""

    async def optimise(self, collection: str) -> bool:
        """Return False: Chroma maintains its graph itself."""
        check_known(collection, self._names)
        return False

    async def close(self) -> None:
        self._images.forget()
        await self._database.close()

    async def _open(self, collection: str) -> tuple[Collection, State]:
        check_known(collection, self._names)
        chroma = await self._database.open(self._names[collection])
        return chroma, self._require_ours(chroma)

    async def _change(self, chroma: Collection, state: State, hidden: Several[str]) -> State:
        fresh = replace(state, hidden=frozenset(hidden))
        return await self._database.write_state(chroma, fresh)
