"""Cache an index's lists of documents during one call."""

from __future__ import annotations

from collections.abc import Sequence

from pincite.model import Chunk, DocumentRecord, Ranking
from pincite.ports import Readable, SearchRequest, Stored


class ReadOnce:
    """`pincite.ports.Readable`, for one call: what comes meanwhile is not seen."""

    def __init__(self, index: Readable) -> None:
        self._index = index
        self._known: dict[tuple[str, str | None], tuple[DocumentRecord, ...]] = {}

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
        return await self._index.document(collection, source, path)

    async def chunk_ids(
        self, collection: str, documents: Sequence[tuple[str, str]]
    ) -> tuple[tuple[str, ...], ...]:
        """As `Readable.chunk_ids`."""
        return await self._index.chunk_ids(collection, documents)

    async def page(self, collection: str, after: str | None, limit: int) -> tuple[Chunk, ...]:
        """As `Readable.page`."""
        return await self._index.page(collection, after, limit)
