"""The index for one request about citations, which reads everything at most once."""

from __future__ import annotations

from collections.abc import Sequence
from types import MappingProxyType

from pincite.index.documents import record_at
from pincite.model import Attributes, Chunk, DocumentRecord, Ranking
from pincite.ports import CollectionInfo, PagedIndex, SearchRequest, Stored
from pincite.scope.tagged_index import TaggedIndex, filters_of, fits_document


class ReadOnce:
    """A `pincite.ports.Readable` for one request. It caches the lists of documents, and the chunks
    of the last document; later changes of these are not seen."""

    def __init__(self, index: PagedIndex) -> None:
        self._index = index
        self._known: dict[tuple[str, str | None], tuple[DocumentRecord, ...]] = {}
        self._last: tuple[tuple[str, str, str], tuple[Chunk, ...]] | None = None

    async def record(self, collection: str, source: str, path: str) -> DocumentRecord | None:
        """Return the record of a document, None if it is not indexed. Reads no chunks."""
        return await record_at(self._index, collection, source, path)

    async def documents(
        self, collection: str, source: str | None = None
    ) -> tuple[DocumentRecord, ...]:
        """As `Readable.documents`."""
        if (collection, source) not in self._known:
            self._known[collection, source] = await self._index.documents(collection, source)
        return self._known[collection, source]

    async def search(self, collection: str, request: SearchRequest) -> tuple[Ranking, ...]:
        """As `Readable.search`."""
        return await self._index.search(collection, request)

    async def load(
        self, collection: str, ids: Sequence[str], *, vectors: bool = False
    ) -> tuple[Stored, ...]:
        """As `Readable.load`."""
        return await self._index.load(collection, ids, vectors=vectors)

    async def document(self, collection: str, source: str, path: str) -> tuple[Chunk, ...]:
        """As `Readable.document`."""
        key = collection, source, path
        if self._last is None or self._last[0] != key:
            self._last = None  # free the memory before the next document is read
            self._last = key, await self._index.document(collection, source, path)
        return self._last[1]

    async def chunk_ids(
        self, collection: str, documents: Sequence[tuple[str, str]]
    ) -> tuple[tuple[str, ...], ...]:
        """As `Readable.chunk_ids`."""
        return await self._index.chunk_ids(collection, documents)

    async def page(self, collection: str, after: str | None, limit: int) -> tuple[Chunk, ...]:
        """As `Readable.page`."""
        return await self._index.page(collection, after, limit)


class CitedIndex(TaggedIndex, frozen=True):
    """The documents of an index within tags and bounds, for one request about citations. `here` is
    the caller's current folder, None if paths do not count from it."""

    index: ReadOnce
    here: str | None = None

    async def record(self, collection: str, source: str, path: str) -> DocumentRecord | None:
        """Return the record of a document that has chunks within the tags and bounds, else None.
        The chunks are read only if the record does not decide this."""
        record = await self.index.record(collection, source, path)
        if record is None or not record.chunks:
            return None
        fits = fits_document(record, self.filter_of(collection))
        if fits is None:
            fits = bool(await self.document(collection, source, path))
        return record if fits else None


def cited_within(
    index: PagedIndex,
    infos: Sequence[CollectionInfo],
    tags: Attributes,
    bounds: Attributes = MappingProxyType({}),
    here: str | None = None,
) -> CitedIndex:
    """Return the documents of `within_tags`, as an index for one request about citations."""
    filters = filters_of([info.spec for info in infos], tags, bounds)
    return CitedIndex(ReadOnce(index), tuple(infos), filters, here)
