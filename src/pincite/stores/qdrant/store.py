"""`pincite.ports.Store` on a Qdrant server, for several concurrent writers and searches.

`control` explains how a document stays whole.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from qdrant_client import models

from pincite.model import (
    AttributeValue,
    Chunk,
    CollectionSpec,
    Point,
    Ranking,
    SparseVector,
    Vector,
)
from pincite.ports import EVERYTHING, SearchRequest, Stored
from pincite.stores import payload
from pincite.stores.attributes import check_changes
from pincite.stores.payload import ALIASED, DENSE, REVISION, SPARSE
from pincite.stores.qdrant import collections, control, translate, writing
from pincite.stores.qdrant.collections import Layout
from pincite.stores.qdrant.connection import Connection
from pincite.stores.qdrant.control import Removed
from pincite.stores.qdrant.scrolling import scroll
from pincite.stores.qdrant.search import Fusing, Searching
from pincite.stores.qdrant.translate import among
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

_TRIES = 3  # of a search during which revisions change
_KEPT = 32  # removed revisions that stay marked as hidden
_PAGE = 1_000
_REVISIONS = 64  # revisions removed per request


class QdrantStore:
    """Collections of a server with names that begin with `prefix`. `owner` is the index that they
    belong to. `consistency` is the read consistency, None for the first replica that answers."""

    def __init__(
        self,
        connection: Connection,
        *,
        owner: str = "",
        prefix: str = "",
        layout: Layout = Layout(),
        consistency: str | None = None,
        filtered_idf: bool = False,
    ) -> None:
        """Prepare the store. With `filtered_idf`, the IDF of BM25 counts words in the points that
        match a search's filter, otherwise in the whole collection."""
        self._connection = connection
        self._filtered_idf = filtered_idf
        self._owner = owner
        self._prefix = prefix
        self._layout = layout
        self._reading: dict[str, Any] = {}
        if consistency is not None:
            self._reading["consistency"] = models.ReadConsistencyType(consistency)
        self._specs: dict[str, CollectionSpec] = {}
        self._hidden: dict[str, frozenset[str]] = {}
        self._removed: dict[str, Removed] = {}

    async def create(self, spec: CollectionSpec) -> None:
        check_name(spec.name)
        name = f"{self._prefix}{spec.name}"
        found = await collections.look(self._connection, name)
        check_spec(spec, found.dimensions if found else 0)
        if found is None:
            await collections.make(self._connection, name, spec, self._owner, self._layout)
            made = collections.made_by_layout(self._layout)
            tenant = self._layout.tenant
            await collections.index(self._connection, name, spec.attributes, made, tenant)
        else:
            collections.require_ours(self._connection, name, found, self._owner)
            if spec.dimensions and not found.dimensions:
                await collections.add_dense(self._connection, name, spec.dimensions)
            await collections.change(self._connection, name, spec, self._owner)
            there, tenant = found.indexes, self._layout.tenant
            await collections.index(self._connection, name, spec.attributes, there, tenant)
        self._specs[spec.name] = spec
        if found is not None:
            await writing.finish_taking(self._connection, name)
        self._hidden[spec.name] = await self._read_hidden(name)
        self._removed.setdefault(spec.name, Removed())

    async def attach(self, spec: CollectionSpec) -> None:
        """Use a collection without writing to it. Raises UsageError for a collection of another
        index. If the collection is missing, its first request fails."""
        name = f"{self._prefix}{spec.name}"
        found = await collections.look(self._connection, name)
        if found is not None:
            collections.require_ours(self._connection, name, found, self._owner)
            self._hidden[spec.name] = await self._read_hidden(name)
        self._hidden.setdefault(spec.name, frozenset())
        self._removed.setdefault(spec.name, Removed())
        self._specs[spec.name] = spec

    async def drop(self, collection: str) -> None:
        check_name(collection)
        name = f"{self._prefix}{collection}"
        self._specs.pop(collection, None)
        found = await collections.look(self._connection, name)
        if found is not None:
            collections.require_ours(self._connection, name, found, self._owner)
            await self._connection.ask(f"drop {name}", lambda c: c.delete_collection(name))

    async def stage(self, collection: str, revisions: Mapping[str, Sequence[Point]]) -> None:
        name = self._name(collection)
        await check_revisions(self._specs[collection], revisions)
        self._removed[collection].discard(revisions)
        await writing.stage(self._connection, name, revisions)

    async def publish(self, collection: str, replaced: Mapping[str, str | None]) -> None:
        name = self._name(collection)
        hidden = await self._read_hidden(name)
        steps = {r: old if old not in replaced else None for r, old in replaced.items()}
        shown = [revision for revision in steps if revision in hidden]
        waiting = await writing.counts(self._connection, name, ALIASED, shown)
        alone = [[revision] for revision in shown if revision in waiting]
        rest = [revision for revision in shown if revision not in waiting]
        groups = (rest[i : i + _KEPT] for i in range(0, len(rest), _KEPT))  # marks of one are kept
        for group in (*groups, *alone):
            if group in alone:
                await writing.take_ids(self._connection, name, group)
            some = {revision: steps[revision] for revision in group}
            gone = [old for old in some.values() if old is not None]
            await self._remove(collection, writing.publication(some), gone)
        await self.remove(collection, [o for r, o in steps.items() if o and r not in hidden])

    async def remove(self, collection: str, revisions: Iterable[str]) -> None:
        self._name(collection)
        gone = list(revisions)
        for start in range(0, len(gone), _REVISIONS):
            some = gone[start : start + _REVISIONS]
            await self._remove(collection, writing.removal(some), some)

    async def _remove(
        self,
        collection: str,
        operations: Sequence[models.UpdateOperation],
        gone: Iterable[str],
        keep: int = _KEPT,
    ) -> None:
        """Apply the removal of these revisions, and forget those removed some time ago."""
        removed = self._removed[collection]
        if stale := removed.take(keep):
            operations = [*operations, control.forget(stale)]
        if operations:
            await writing.apply(self._connection, self._name(collection), operations)
        removed.add(gone)

    async def search(self, collection: str, request: SearchRequest) -> tuple[Ranking, ...]:
        name, spec = self._name(collection), self._specs[collection]
        check_request(spec, request)
        kind = Fusing if request.fusion != "none" else Searching
        searching = kind(
            *(self._connection, name, spec, request, self._reading),
            filtered_idf=self._filtered_idf,
        )
        hidden = self._hidden[collection]
        for left in reversed(range(_TRIES)):
            heads = await searching.found(hidden)
            tails, now = await asyncio.gather(searching.tails(heads), self._read_hidden(name))
            seen = {revision for head in heads for revision in head.revisions.values()}
            if left and (hidden - now or seen & now):
                hidden = now
                continue
            self._hidden[collection] = now
            return searching.rankings(heads, tails, now)
        raise AssertionError  # the last try returns

    async def load(
        self, collection: str, ids: Sequence[str], *, vectors: bool = False
    ) -> tuple[Stored, ...]:
        name = self._name(collection)
        vectors = vectors and self._specs[collection].dense is not None
        keys = [str(UUID(hex=key)) for key in dict.fromkeys(ids) if is_id(key)]
        if not keys:
            return ()
        records, hidden = await asyncio.gather(
            self._connection.ask(
                f"read {name}",
                lambda client: client.retrieve(
                    name,
                    keys,
                    with_payload=True,
                    with_vectors=[DENSE] if vectors else False,
                    **self._reading,
                ),
            ),
            self._read_hidden(name),
        )
        found: dict[str, Stored] = {}
        for record in records:
            held = record.payload or {}
            if REVISION in held and held[REVISION] not in hidden:
                chunk = payload.to_chunk(UUID(str(record.id)), held)
                found[chunk.id] = Stored(chunk, translate.to_vector(record) if vectors else None)
        return tuple(found[key] for key in ids if key in found)

    async def vectors(self, collection: str, ids: Sequence[str]) -> Mapping[str, Vector]:
        found = await self.load(collection, ids, vectors=True)
        return {one.chunk.id: one.vector for one in found if one.vector is not None}

    async def of_revision(self, collection: str, revision: str) -> tuple[Chunk, ...]:
        name = self._name(collection)
        if revision in await self._read_hidden(name):
            return ()
        records = await scroll(self._connection, name, among(REVISION, [revision]))
        chunks = (payload.to_chunk(UUID(str(r.id)), r.payload or {}) for r in records)
        return tuple(sorted(chunks, key=lambda chunk: (chunk.start, chunk.end)))

    async def revisions(self, collection: str) -> Mapping[str, int]:
        return await writing.counts(self._connection, self._name(collection), REVISION)

    async def staged(self, collection: str) -> frozenset[str]:
        return await self._read_hidden(self._name(collection))

    async def page(self, collection: str, after: str | None, limit: int) -> tuple[Chunk, ...]:
        records = await self._next(collection, after, limit, vectors=False)
        return tuple(payload.to_chunk(UUID(str(r.id)), r.payload or {}) for r in records)

    async def export(
        self, collection: str, after: str | None, limit: int
    ) -> tuple[tuple[str, Point], ...]:
        records = await self._next(collection, after, limit, vectors=True)
        dense = self._specs[collection].dense is not None
        return tuple(translate.from_record(record, dense=dense) for record in records)

    async def _next(
        self, collection: str, after: str | None, limit: int, *, vectors: bool
    ) -> list[models.Record]:
        name = self._name(collection)
        check_prefix(after)
        hidden = await self._read_hidden(name)
        filter_ = translate.to_filter(EVERYTHING, hidden) or models.Filter()
        filter_.must_not = [*(filter_.must_not or []), translate.missing(REVISION)]
        records, _ = await self._connection.ask(
            f"read {name}",
            lambda client: client.scroll(
                name,
                scroll_filter=filter_,
                offset=None if after is None else str(UUID(hex=after.ljust(32, "0"))),
                limit=limit + 1,  # the first may be `after` itself
                with_payload=True,
                with_vectors=vectors,
                **self._reading,
            ),
        )
        return [record for record in records if UUID(str(record.id)).hex != after][:limit]

    async def set_sparse(self, collection: str, vectors: Mapping[str, SparseVector]) -> None:
        name = self._name(collection)
        for key, vector in vectors.items():
            check_sparse(vector, f"chunk {key}")
        ids = [str(UUID(hex=key)) for key in vectors if is_id(key)]
        hidden = await self._read_hidden(name)
        for start in range(0, len(ids), _PAGE):
            owners = await writing.owners(self._connection, name, ids[start : start + _PAGE])
            changes = [
                models.PointVectors(
                    id=str(key), vector={SPARSE: translate.to_sparse(vectors[key.hex])}
                )
                for key, revision in owners.items()
                if revision not in hidden
            ]
            if changes:
                await self._connection.ask(
                    f"write to {name}",
                    lambda client, c=changes: client.update_vectors(  # type: ignore[misc]
                        name, c, wait=True
                    ),
                )

    async def set_attributes(
        self, collection: str, changes: Mapping[str, Mapping[str, AttributeValue | None]]
    ) -> None:
        name = self._name(collection)
        check_changes(self._specs[collection], changes)
        for together in payload.equal_changes(changes):
            values = payload.changed(changes[together[0]])
            for start in range(0, len(together), _REVISIONS):
                some = together[start : start + _REVISIONS]
                await writing.change_payloads(self._connection, name, some, values)

    async def flush(self) -> None:
        """Delete all marks of removed revisions. Acknowledged writes are already in the server's
        log."""
        for collection in self._specs:
            await self._remove(collection, [], [], keep=0)

    async def optimise(self, collection: str) -> bool:
        """Return False: servers optimise by themselves."""
        self._name(collection)
        return False

    async def close(self) -> None:
        await self._connection.close()

    def _name(self, collection: str) -> str:
        check_known(collection, self._specs)
        return f"{self._prefix}{collection}"

    async def _read_hidden(self, name: str) -> frozenset[str]:
        return await control.read_hidden(self._connection, name, self._reading)
