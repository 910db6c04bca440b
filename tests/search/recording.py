"""An index that keeps what it is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pincite.model import (
    Chunk,
    DocumentRecord,
    Ranking,
    SignalKind,
)
from pincite.ports import Readable, SearchRequest, Stored
from pincite.support.fields import replace


@dataclass
class Recording:
    """An index that keeps what it is asked. `kind` is what its dense scores are said to be."""

    index: Readable
    searched: list[SearchRequest] = field(default_factory=list)
    loaded: list[Sequence[str]] = field(default_factory=list)
    kind: SignalKind = "cosine"
    error: Exception | None = None

    async def search(self, collection: str, request: SearchRequest) -> tuple[Ranking, ...]:
        self.searched.append(request)
        if self.error is not None:
            raise self.error
        found = await self.index.search(collection, request)
        return tuple(replace(r, kind=self.kind) if r.signal == "dense" else r for r in found)

    async def load(
        self, collection: str, ids: Sequence[str], *, vectors: bool = False
    ) -> tuple[Stored, ...]:
        self.loaded.append(ids)
        return await self.index.load(collection, ids, vectors=vectors)

    async def document(self, collection: str, source: str, path: str) -> tuple[Chunk, ...]:
        return await self.index.document(collection, source, path)

    async def chunk_ids(
        self, collection: str, documents: Sequence[tuple[str, str]]
    ) -> tuple[tuple[str, ...], ...]:
        return await self.index.chunk_ids(collection, documents)

    async def documents(
        self, collection: str, source: str | None = None
    ) -> tuple[DocumentRecord, ...]:
        return await self.index.documents(collection, source)

    async def page(self, collection: str, after: str | None, limit: int) -> tuple[Chunk, ...]:
        return await self.index.page(collection, after, limit)
