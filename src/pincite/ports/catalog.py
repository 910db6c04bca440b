"""The catalog: a database of collections, their sources and their documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import msgspec

from pincite.model import CollectionSpec, DocumentRecord, SourceRecord, SourceType, TermCounts


class Totals(msgspec.Struct, frozen=True):
    """The numbers of documents, chunks and tokens in a collection. `kinds` has the number of chunks
    by source type. `unembedded` is the number of chunks in documents that are not `embedded`."""

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
        """Return the specs of all collections, ordered by name."""

    async def put_spec(self, spec: CollectionSpec) -> None:
        """Insert a collection, or replace the one with the same name."""

    async def drop(self, collection: str) -> None:
        """Remove a collection with its documents and sources; unknown names are ignored."""

    async def sources(self, collection: str) -> tuple[SourceRecord, ...]:
        """Return all sources of a collection, ordered by name."""

    async def put_source(self, collection: str, record: SourceRecord) -> None:
        """Insert a source, or replace the one with the same name."""

    async def drop_source(self, collection: str, source: str) -> None:
        """Remove a source, but not its documents; unknown names are ignored."""

    async def documents(
        self,
        collection: str,
        source: str | None = None,
        after: tuple[str, str] | None = None,
        limit: int | None = None,
    ) -> tuple[DocumentRecord, ...]:
        """Return at most `limit` documents that follow `after`, ordered by (source, path). With a
        `source`, return only its documents; `after` must then belong to it."""

    async def revisions_of(
        self, collection: str, documents: Iterable[tuple[str, str]]
    ) -> Mapping[tuple[str, str], str]:
        """Return the indexed revision of each of these (source, path). Unknown documents are left
        out."""

    async def records(
        self, collection: str, revisions: Iterable[str]
    ) -> Mapping[str, DocumentRecord]:
        """Return the documents with these revisions, by revision. Unknown revisions are left
        out."""

    async def refs(
        self, collection: str, documents: Iterable[tuple[str, str]]
    ) -> Mapping[tuple[str, str], str]:
        """Return the `ref` of each of these (source, path). Unknown documents are left out."""

    async def chunk_ids(
        self, collection: str, documents: Iterable[tuple[str, str]]
    ) -> Mapping[tuple[str, str], tuple[str, ...]]:
        """Return the ids of all chunks of each of these (source, path), in the order given to
        `put`. Unknown documents and documents without ids are left out."""

    async def totals(self, collection: str) -> Totals:
        """Return the totals of a collection; all are 0 if it is unknown."""

    async def put(
        self,
        collection: str,
        records: Sequence[DocumentRecord],
        counts: Mapping[str, TermCounts] = {},  # never changed
        chunk_ids: Mapping[str, Sequence[str]] = {},  # never changed
    ) -> None:
        """Insert or replace the records by (source, path), all or none. `counts` has the term
        counts of each revision's chunks, `chunk_ids` the ids of all its chunks in the order of the
        file. A revision that is missing from either keeps its previous values. Ids are stored only
        if all of them have 32 lower-case hexadecimal digits."""

    async def frequencies(self, collection: str, terms: Iterable[int]) -> TermCounts:
        """Return the counts for these terms, summed over all documents and exact after every
        change. Terms that no chunk contains are left out."""

    async def delete(self, collection: str, revisions: Iterable[str]) -> None:
        """Remove documents; unknown revisions are ignored."""

    async def flush(self) -> None:
        """Return when everything written so far survives a loss of power."""

    async def close(self) -> None:
        """Close the database."""
