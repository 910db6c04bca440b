"""Catalogs of what is indexed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import msgspec

from pincite.model import CollectionSpec, DocumentRecord, SourceRecord, SourceType, TermCounts


class Totals(msgspec.Struct, frozen=True):
    """Numbers of documents, chunks and tokens. `kinds` counts chunks by source type, `unembedded`
    those of documents that are not `embedded`."""

    documents: int = 0
    chunks: int = 0
    tokens: int = 0
    kinds: Mapping[SourceType, int] = {}
    unembedded: int = 0


class Catalog(Protocol):
    """A database of collections, sources and documents that are indexed.

    Every change survives a killed process once the call returns. For an unknown collection, methods
    that read return nothing, and methods that write raise UsageError. Raises StoreError, DiskFull.
    """

    async def specs(self) -> tuple[CollectionSpec, ...]:
        """All collections by name."""

    async def put_spec(self, spec: CollectionSpec) -> None:
        """Insert or replace a collection."""

    async def drop(self, collection: str) -> None:
        """Remove a collection with its documents and sources; unknown names are ignored."""

    async def sources(self, collection: str) -> tuple[SourceRecord, ...]:
        """All sources by name."""

    async def put_source(self, collection: str, record: SourceRecord) -> None:
        """Insert or replace the source of that name."""

    async def drop_source(self, collection: str, source: str) -> None:
        """Remove a source, not its documents; unknown names are ignored."""

    async def documents(
        self,
        collection: str,
        source: str | None = None,
        after: tuple[str, str] | None = None,
        limit: int | None = None,
    ) -> tuple[DocumentRecord, ...]:
        """Documents by (source, path), starting after `after`, at most `limit`. If a `source` is
        given, `after` must belong to it."""

    async def revisions_of(
        self, collection: str, documents: Iterable[tuple[str, str]]
    ) -> Mapping[tuple[str, str], str]:
        """The indexed revision of each of these (source, path); unknown ones are left out."""

    async def records(
        self, collection: str, revisions: Iterable[str]
    ) -> Mapping[str, DocumentRecord]:
        """The documents of these revisions, by revision; unknown ones are left out."""

    async def refs(
        self, collection: str, documents: Iterable[tuple[str, str]]
    ) -> Mapping[tuple[str, str], str]:
        """The `ref` of each of these (source, path); unknown ones are left out."""

    async def chunk_ids(
        self, collection: str, documents: Iterable[tuple[str, str]]
    ) -> Mapping[tuple[str, str], tuple[str, ...]]:
        """The ids of all chunks of each of these (source, path), as `put` was given them. Unknown
        documents, and those without ids, are left out."""

    async def totals(self, collection: str) -> Totals:
        """The totals of a collection; all 0 for an unknown one."""

    async def put(
        self,
        collection: str,
        records: Sequence[DocumentRecord],
        counts: Mapping[str, TermCounts] = {},  # it is only read
        chunk_ids: Mapping[str, Sequence[str]] = {},  # as well
    ) -> None:
        """Insert or replace the records of (source, path), all or none. By revision, `counts` are
        the counts of terms in their chunks, and `chunk_ids` the ids of all chunks in the order of
        the file. A revision without new ones keeps its own. Ids are kept if all have 32 lower-case
        hexadecimal digits."""

    async def frequencies(self, collection: str, terms: Iterable[int]) -> TermCounts:
        """The sums of the counts of all documents for these terms, exact after every change. Terms
        without chunks are left out."""

    async def delete(self, collection: str, revisions: Iterable[str]) -> None:
        """Remove documents; unknown revisions are ignored."""

    async def flush(self) -> None:
        """Return when everything written so far survives a loss of power."""

    async def close(self) -> None:
        """Close the database."""
