"""A store and a catalog behind one interface."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec

from pincite.model import (
    Chunk,
    CollectionSpec,
    DocumentRecord,
    IndexedDocument,
    Ranking,
    SourceRecord,
    SourceType,
    SparseVector,
)
from pincite.ports.encoders import DenseEncoder, SparseEncoder
from pincite.ports.leases import Leases
from pincite.ports.store import SearchRequest, Stored


class CollectionInfo(msgspec.Struct, frozen=True):
    """A collection and its contents. `lost` documents were damaged by a crash of the machine; the
    next run of their source restores them. `bytes` is the space on disk. `broken` is the reason why
    the collection cannot be searched, if any. `foreign` is the location of a collection of another
    program, which is never written to. `unembedded` is the number of chunks that have no dense
    vector yet, in a collection with dense vectors."""

    spec: CollectionSpec
    sources: tuple[SourceRecord, ...]
    documents: int
    chunks: int
    tokens: int
    kinds: Mapping[SourceType, int] = {}
    lost: int = 0
    bytes: int = 0
    optimising: bool = False
    broken: str = ""
    foreign: str = ""
    unembedded: int = 0

    @property
    def embedded_share(self) -> float:
        """The share of its chunks with dense vectors, 0..1; 1 for a lexical collection."""
        return 1 - self.unembedded / self.chunks if self.chunks else 1.0


class Readable(Protocol):
    """The read interface of searches. A collection of another program has no documents; methods
    about documents raise UsageError for it."""

    async def documents(
        self, collection: str, source: str | None = None
    ) -> tuple[DocumentRecord, ...]:
        """The indexed documents, ordered by (source, path)."""

    async def search(self, collection: str, request: SearchRequest) -> tuple[Ranking, ...]:
        """See `Store.search`. A revision in the filter also matches the one that has just replaced
        it."""

    async def load(
        self, collection: str, ids: Sequence[str], *, vectors: bool = False
    ) -> tuple[Stored, ...]:
        """See `Store.load`."""

    async def document(self, collection: str, source: str, path: str) -> tuple[Chunk, ...]:
        """All chunks of a document in the order of the file, () if it is not indexed."""

    async def chunk_ids(
        self, collection: str, documents: Sequence[tuple[str, str]]
    ) -> tuple[tuple[str, ...], ...]:
        """The ids of all chunks of each of these (source, path), in the order of the file. () for a
        document that is not indexed, that an earlier version indexed, or of which not every chunk
        may be read: `document` says which."""

    async def page(self, collection: str, after: str | None, limit: int) -> tuple[Chunk, ...]:
        """See `Store.page`."""


class ReadableIndex(Readable, Protocol):
    """Collections and their contents, read-only."""

    async def collections(self) -> tuple[CollectionInfo, ...]:
        """All collections by name."""

    async def sources(self, collection: str) -> tuple[SourceRecord, ...]:
        """The sources of a collection, by name; () for an unknown collection."""


class PagedIndex(ReadableIndex, Protocol):
    """The same, with pages of documents: one of them can be looked up without its chunks."""

    async def documents_after(
        self, collection: str, source: str | None, after: tuple[str, str] | None, limit: int
    ) -> tuple[DocumentRecord, ...]:
        """At most `limit` documents in the order of `documents`, after a (source, path)."""


class Index(ReadableIndex, Protocol):
    """A store and a catalog that always agree. Ingestion writes to it, searches read from it.

    Methods that name a collection raise UsageError if it does not exist, unless stated otherwise,
    and StoreError if it is broken or the engine fails. Methods that write raise DiskFull. A failed
    method has changed nothing that searches see.
    """

    async def create(self, spec: CollectionSpec) -> None:
        """Create an empty collection or update the spec of an existing one; see `Store.create`. A
        new collection counts terms from the beginning if its weights need the IDF. An older one
        becomes `counted` when its spec says so. Set this only after `weigh` has processed every
        document."""

    async def drop(self, collection: str) -> None:
        """Remove a collection with its contents; unknown names are ignored."""

    async def reset(self, spec: CollectionSpec) -> None:
        """Start over: create the collection with this spec, without documents. An existing one
        loses its documents, damaged or not, and keeps its sources."""

    async def put_source(self, collection: str, record: SourceRecord) -> None:
        """Store a source, so that it can be indexed again by name."""

    async def forget(self, collection: str, source: str) -> int:
        """Remove a source with its documents; returns the number of documents."""

    async def replace(self, collection: str, documents: Sequence[IndexedDocument]) -> None:
        """Index whole documents. Each one replaces the document with the same (source, path). Its
        record is `embedded` if all of its points have dense vectors. Once this returns, the
        documents survive a killed process. Searches see the old or the new version of a document,
        never both or a part; a crash may leave some old and others new. Safe to repeat. Raises
        UsageError if two documents have the same (source, path) or revision, InvalidPoint,
        DiskFull, StoreError; then the old ones are unchanged."""

    async def embedded(self, collection: str, source: str, path: str) -> tuple[Stored, ...]:
        """The chunks of a document that have a dense vector, with the vector of `Store.vectors`, in
        the order of the file; () if it is not indexed, and for a lexical collection."""

    async def touch(self, collection: str, records: Sequence[DocumentRecord]) -> None:
        """Update records whose content did not change (`ref`, `mtime_ns`, `size`, attributes);
        unknown revisions are ignored. Chunks get the new `ref` and attributes of their
        document."""

    async def remove(self, collection: str, revisions: Sequence[str]) -> None:
        """Remove documents; unknown revisions are ignored."""

    async def weigh(
        self, collection: str, revision: str, vectors: Mapping[str, SparseVector]
    ) -> None:
        """Replace the sparse vectors of a document, one for each of its chunks by id, and count
        their terms. An unknown revision is ignored. Raises InvalidPoint before anything is
        written."""

    async def settle(self, collection: str) -> None:
        """End a run of changes: make them durable against a loss of power, and start to optimise in
        the background if it is worthwhile."""


class LeasedIndex(Index, Protocol):
    """An index for several writing processes; the active writer holds a lease."""

    @property
    def leases(self) -> Leases: ...


class SearchableFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What a search knows of a collection besides its spec. The daemon is sent all of it.

    `code` says that nearly all of it is source code, `rung` is the kind of its dense model, `kinds`
    are the kinds of its sources. `depth` replaces the limits of the profile unless it is 0. Fused
    scores are multiplied by `weight`. The writers of a `foreign` one are unknown. `store` is the
    kind of its store. `embedded` is the share of chunks with a dense vector, 0..1. `exact` says
    that the store can compare a question with every vector; another store returns all vectors if
    `SearchRequest.exact` is set. `deep` says that at least half of it is code: it then has as many
    hits and candidates as a collection of code, without the ranking of one.
    """

    code: bool = False
    rung: str = "bundled-model"
    kinds: frozenset[SourceType] = frozenset()
    depth: int = 0
    weight: float = 1.0
    foreign: bool = False
    store: str = "edge"
    embedded: float = 1.0
    exact: bool = True
    deep: bool = False


class Searchable(SearchableFacts, frozen=True):
    """A collection with its encoders. `dense` is None for a lexical one."""

    spec: CollectionSpec
    index: Readable
    sparse: SparseEncoder
    dense: DenseEncoder | None = None

    @property
    def facts(self) -> SearchableFacts:
        """The facts alone, without the spec and the open parts."""
        names = SearchableFacts.__struct_fields__
        return SearchableFacts(**{name: getattr(self, name) for name in names})
