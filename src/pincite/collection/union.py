"""Write to the members of a base as one index: new documents go to one member, and a document is in
one member only."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from typing import Any, Concatenate, ParamSpec, TypeVar

from pincite.collection.members import all_sources
from pincite.model import (
    AttributeType,
    CollectionSpec,
    DocumentRecord,
    IndexedDocument,
    SourceRecord,
)
from pincite.ports import CollectionInfo, Index
from pincite.support.fields import replace

P = ParamSpec("P")
T = TypeVar("T")
_Method = Callable[Concatenate[Any, P], Coroutine[Any, Any, T]]


def passed_on(method: _Method[P, T]) -> _Method[P, T]:
    """Return a method that calls the same method of the index, because it concerns one member
    only."""
    called = method.__name__

    async def call(self: UnionIndex, /, *args: P.args, **kwargs: P.kwargs) -> T:
        result: T = await getattr(self._index, called)(*args, **kwargs)
        return result

    return call


class UnionIndex:
    """`pincite.ports.Index` for an indexing run into `target`. Requests about the target include
    the `others`; a document that is written is removed from the member that had it.

    The old copy is removed after the new one is written: a search in between may show both, and a
    crash in between leaves both until the next run of that source.
    """

    def __init__(self, index: Index, target: str, others: Sequence[CollectionSpec]) -> None:
        self._index = index
        self._target = target
        self._others = {spec.name: spec for spec in others}
        self._places: dict[tuple[str, str], tuple[str, str]] = {}

    sources = passed_on(Index.sources)
    search = passed_on(Index.search)
    load = passed_on(Index.load)
    document = passed_on(Index.document)
    chunk_ids = passed_on(Index.chunk_ids)
    page = passed_on(Index.page)
    embedded = passed_on(Index.embedded)
    drop = passed_on(Index.drop)
    reset = passed_on(Index.reset)
    forget = passed_on(Index.forget)
    weigh = passed_on(Index.weigh)

    def made_with(self, source: str, path: str) -> tuple[str, ...]:
        """Return `CollectionSpec.made_with` of the other member that has this document, () if none
        has it."""
        place = self._places.get((source, path))
        return self._others[place[0]].made_with if place else ()

    async def collections(self) -> tuple[CollectionInfo, ...]:
        """See `Index.collections`. The target has the sources of all members, but its own
        counts."""
        infos = await self._index.collections()
        ours = [i for i in infos if i.spec.name in self._others or i.spec.name == self._target]
        return tuple(
            info if info.spec.name != self._target else replace(info, sources=all_sources(ours))
            for info in infos
        )

    async def documents(
        self, collection: str, source: str | None = None
    ) -> tuple[DocumentRecord, ...]:
        """See `Index.documents`. Each document occurs once, from the target or else from the last
        member that has it."""
        found: dict[tuple[str, str], DocumentRecord] = {}
        for name in reversed(self._others):
            for record in await self._index.documents(name, source):
                key = (record.source, record.path)
                if key in found:
                    await self._index.remove(name, [record.revision])  # a crash has left it
                else:
                    found[key] = record
                    self._places[key] = (name, record.revision)
        ours = await self._index.documents(collection, source)
        found.update({(record.source, record.path): record for record in ours})
        await self._move_out((record.source, record.path) for record in ours)
        return tuple(found[key] for key in sorted(found))

    async def create(self, spec: CollectionSpec) -> None:
        """See `Index.create`. The other members get the attributes of the target, too."""
        await self._index.create(spec)
        if spec.name == self._target:
            await self.share(spec.attributes, spec.require)

    async def put_source(self, collection: str, record: SourceRecord) -> None:
        """See `Index.put_source`. Other members that have this source get the same record."""
        await self._index.put_source(collection, record)
        for info in await self._index.collections() if self._others else ():
            known = {one.source.name for one in info.sources}
            if info.spec.name in self._others and record.source.name in known:
                await self._index.put_source(info.spec.name, record)

    async def share(
        self, attributes: Mapping[str, AttributeType], require: tuple[str, ...]
    ) -> None:
        """Add these attributes and required attributes to the other members."""
        for name, spec in self._others.items():
            if require == spec.require and attributes.keys() <= spec.attributes.keys():
                continue
            infos = await self._index.collections()
            now = next(info.spec for info in infos if info.spec.name == name)
            merged = {**attributes, **now.attributes}
            self._others[name] = replace(now, attributes=merged, require=require)
            await self._index.create(self._others[name])

    async def replace(self, collection: str, documents: Sequence[IndexedDocument]) -> None:
        """See `Index.replace`."""
        await self._index.replace(collection, documents)
        await self._move_out((record.source, record.path) for record, _ in documents)

    async def _move_out(self, keys: Iterable[tuple[str, str]]) -> None:
        leaving: dict[str, list[str]] = {}
        for key in keys:
            if place := self._places.pop(key, None):
                leaving.setdefault(place[0], []).append(place[1])
        for name, revisions in leaving.items():
            await self._index.remove(name, revisions)

    async def touch(self, collection: str, records: Sequence[DocumentRecord]) -> None:
        """See `Index.touch`. Each member changes the documents that it has."""
        for name in (collection, *self._others):
            await self._index.touch(name, records)

    async def remove(self, collection: str, revisions: Sequence[str]) -> None:
        """See `Index.remove`. Each member removes the documents that it has."""
        for name in (collection, *self._others):
            await self._index.remove(name, revisions)

    async def settle(self, collection: str) -> None:
        """See `Index.settle`. All members are settled."""
        for name in (collection, *self._others):
            await self._index.settle(name)

    async def let_go(self) -> tuple[str, ...]:
        """Forget sources without documents in the other members, and drop members without
        documents. Returns the names of the dropped members."""
        dropped = []
        infos = await self._index.collections()
        known = {r.source.name for i in infos if i.spec.name == self._target for r in i.sources}
        for info in infos:
            name = info.spec.name
            if name not in self._others:
                continue
            for record in info.sources:  # a source without documents is recorded nowhere else
                if record.source.name not in known:
                    await self._index.put_source(self._target, record)
            if not info.documents:
                await self._index.drop(name)
                dropped.append(name)
                continue
            left = {record.source for record in await self._index.documents(name)}
            for record in info.sources:
                if record.source.name not in left:
                    await self._index.forget(name, record.source.name)
        return tuple(dropped)
