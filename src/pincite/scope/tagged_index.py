"""An index restricted to the documents that tags and bounds allow to read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import msgspec

from pincite.errors import UsageError
from pincite.model import Attributes, Chunk, CollectionSpec, DocumentRecord, Ranking, Scope
from pincite.ports import (
    EVERYTHING,
    CollectionInfo,
    Filter,
    Ids,
    Readable,
    Searchable,
    SearchRequest,
    Stored,
)
from pincite.ports.predicate import holds_of, matches
from pincite.scope.filter import check_scope_of, given_filter
from pincite.scope.schema import for_collection
from pincite.support.fields import replace

_PAGE = 256
_NONE: Attributes = MappingProxyType({})


class TaggedIndex(msgspec.Struct, frozen=True):
    """A `pincite.ports.ReadableIndex` restricted to the chunks that match `filters`, by collection.
    A document is returned if all of its chunks match. Any other document is treated as if it did
    not exist."""

    index: Readable
    infos: tuple[CollectionInfo, ...]
    filters: Mapping[str, Filter]

    @property
    def narrowed(self) -> bool:
        """Whether anything is restricted. If so, nothing may be revealed about the rest."""
        return any(one != EVERYTHING for one in self.filters.values())

    def keeps_back(self, collection: str) -> bool:
        """Return whether the collection may contain chunks that may not be read."""
        return self.filter_of(collection) != EVERYTHING

    def may_read(self, collection: str, chunk: Chunk) -> bool:
        """Return whether the chunk may be read."""
        return matches(self.filter_of(collection), "", chunk)

    async def collections(self) -> tuple[CollectionInfo, ...]:
        """Return the collections that the index was restricted to."""
        return self.infos

    async def documents(
        self, collection: str, source: str | None = None
    ) -> tuple[DocumentRecord, ...]:
        """See `Readable.documents`; only documents that may be read are returned."""
        filter_ = self.filter_of(collection)
        records = await self.index.documents(collection, source)
        if filter_ == EVERYTHING:
            return records
        found: list[DocumentRecord] = []
        for record in records:
            fits = fits_document(record, filter_)
            if fits is None:
                fits = bool(await self.document(collection, record.source, record.path))
            if fits:
                found.append(record)
        return tuple(found)

    async def search(self, collection: str, request: SearchRequest) -> tuple[Ranking, ...]:
        """See `Readable.search`; only chunks that may be read are found."""
        filter_ = self.filter_of(collection)
        asked = request.filter
        within = Filter((*asked.must, *filter_.must), asked.must_not, asked.should)
        return await self.index.search(collection, replace(request, filter=within))

    async def load(
        self, collection: str, ids: Sequence[str], *, vectors: bool = False
    ) -> tuple[Stored, ...]:
        """See `Readable.load`; only chunks that may be read are returned."""
        found = await self.index.load(collection, ids, vectors=vectors)
        return tuple(one for one in found if self.may_read(collection, one.chunk))

    async def document(self, collection: str, source: str, path: str) -> tuple[Chunk, ...]:
        """See `Readable.document`; () unless all chunks may be read."""
        chunks = await self.index.document(collection, source, path)
        return chunks if all(self.may_read(collection, one) for one in chunks) else ()

    async def chunk_ids(
        self, collection: str, documents: Sequence[tuple[str, str]]
    ) -> tuple[tuple[str, ...], ...]:
        """See `Readable.chunk_ids`; () for each document if the collection is restricted."""
        if self.keeps_back(collection):
            return ((),) * len(documents)
        return await self.index.chunk_ids(collection, documents)

    async def page(self, collection: str, after: str | None, limit: int) -> tuple[Chunk, ...]:
        """See `Readable.page`. Pages are read until `limit` chunks are found that may be read."""
        if self.filter_of(collection) == EVERYTHING:
            return await self.index.page(collection, after, limit)
        found: list[Chunk] = []
        while len(found) < limit:
            chunks = await self.index.page(collection, after, _PAGE)
            if not chunks:
                break
            found += [one for one in chunks if self.may_read(collection, one)]
            after = chunks[-1].id
        return tuple(found[:limit])

    async def beginning(self, collection: str, prefix: str, limit: int) -> tuple[Chunk, ...]:
        """Return at most `limit` chunks whose ids begin with `prefix`. Only the pages that contain
        them are read."""
        found: list[Chunk] = []
        after = prefix
        while len(found) < limit:
            chunks = await self.index.page(collection, after, limit)
            alike = [one for one in chunks if one.id.startswith(prefix)]
            found += [one for one in alike if self.may_read(collection, one)]
            if len(alike) < limit:
                break
            after = alike[-1].id
        return tuple(found[:limit])

    def filter_of(self, collection: str) -> Filter:
        """Return the filter that a chunk of the collection must match to be read."""
        return self.filters.get(collection, _NOTHING)


_NOTHING = Filter(must=(Ids(()),))


def within_tags(
    index: Readable,
    infos: Sequence[CollectionInfo],
    tags: Attributes,
    bounds: Attributes = _NONE,
) -> TaggedIndex:
    """Return the index restricted to what the tags and `bounds` of a scope allow to read in these
    collections. Raises TagsRequired if a collection requires other tags, UsageError for an invalid
    tag, both before anything is read."""
    filters = filters_of([info.spec for info in infos], tags, bounds)
    return TaggedIndex(index, tuple(infos), filters)


def searchables_within(
    collections: Sequence[Searchable], tags: Attributes, bounds: Attributes = _NONE
) -> tuple[Searchable, ...]:
    """Return the collections, each restricted to what the tags allow to read. Raises as
    `within_tags`."""
    filters = filters_of([one.spec for one in collections], tags, bounds)
    return tuple(replace(one, index=TaggedIndex(one.index, (), filters)) for one in collections)


def filters_of(
    specs: Sequence[CollectionSpec], tags: Attributes, bounds: Attributes = _NONE
) -> Mapping[str, Filter]:
    """Return the filter of the tags and bounds for each collection, by name. Raises as
    `within_tags`."""
    if not specs:
        return {}
    scope = Scope(tags=tags, bounds=bounds)
    given = given_filter(scope, check_scope_of(specs, scope))
    return {spec.name: for_collection(given, spec) for spec in specs}


def named_infos(
    infos: Sequence[CollectionInfo], names: Sequence[str]
) -> tuple[CollectionInfo, ...]:
    """Return the collections with these names, or all if there are no names. Raises UsageError for
    an unknown name."""
    known = {name for info in infos for name in (info.spec.name, info.spec.public_name)}
    for name in names:
        if name not in known:
            called = ", ".join(sorted({info.spec.public_name for info in infos}))
            raise UsageError(
                f"no collection is named {name!r}; known collections: {called or 'none'}",
                hint="pincite collections",
            )
    return tuple(
        info
        for info in infos
        if not names or info.spec.name in names or info.spec.public_name in names
    )


def fits_document(record: DocumentRecord, filter_: Filter) -> bool | None:
    """Return whether all chunks of a document match a filter that has only conditions on
    attributes. None if the chunks have to be read to tell."""
    of_chunks = record.chunk_attributes.split("\n")
    held = record.all_attributes
    unknown = False
    for one in filter_.must:
        if isinstance(one, Ids):
            return False
        if one.field in of_chunks:
            unknown = True
        elif not holds_of(one, held.get(one.field)):
            return False
    return None if unknown else True
