"""A store and a catalog behind one interface."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

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
    def name(self) -> str:
        """The name of the collection, as in its spec."""
        return self.spec.name

    @property
    def noun(self) -> str:
        """What the collection's documents are called: `record` if all of its sources are records,
        else `document`."""
        kinds = {one.source.kind for one in self.sources}
        return "record" if kinds == {"records"} else "document"

    @property
    def embedded_share(self) -> float:
        """The share of the collection's chunks that have dense vectors, 0..1; 1 for a lexical
        collection."""
        return 1 - self.unembedded / self.chunks if self.chunks else 1.0


class Readable(Protocol):
    """The read interface of searches. A collection of another program has no documents; methods
    about documents raise UsageError for it."""

    async def documents(
        self, collection: str, source: str | None = None
    ) -> tuple[DocumentRecord, ...]:
        """Return the indexed documents, ordered by (source, path)."""

    async def search(self, collection: str, request: SearchRequest) -> tuple[Ranking, ...]:
        """See `Store.search`. A revision in the filter also matches the revision that has just
        replaced it."""

    async def load(
        self, collection: str, ids: Sequence[str], *, vectors: bool = False
    ) -> tuple[Stored, ...]:
        """See `Store.load`."""

    async def document(self, collection: str, source: str, path: str) -> tuple[Chunk, ...]:
        """Return all chunks of a document in the order of the file, () if it is not indexed."""

    async def chunk_ids(
        self, collection: str, documents: Sequence[tuple[str, str]]
    ) -> tuple[tuple[str, ...], ...]:
        """Return the ids of all chunks of each of these (source, path), in the order of the file.
        The ids are () if the document is not indexed, was indexed by an earlier version, or has a
        chunk that may not be read; call `document` to tell these cases apart."""

    async def page(self, collection: str, after: str | None, limit: int) -> tuple[Chunk, ...]:
        """See `Store.page`."""


class ReadableIndex(Readable, Protocol):
    """Collections and their contents, read-only."""

    async def collections(self) -> tuple[CollectionInfo, ...]:
        """Return all collections, ordered by name."""

    async def sources(self, collection: str) -> tuple[SourceRecord, ...]:
        """Return the sources of a collection, ordered by name; () for an unknown collection."""


@runtime_checkable
class Paged(Protocol):
    """An index that lists documents in pages. So a document can be looked up without its chunks. A
    million documents do not fit into one message, and other requests wait while a message is
    built."""

    async def documents_after(
        self, collection: str, source: str | None, after: tuple[str, str] | None, limit: int
    ) -> tuple[DocumentRecord, ...]:
        """Return at most `limit` documents that follow the (source, path) `after`, in this order:
        the first ones if `after` is None, of all sources if `source` is None."""


class PagedIndex(ReadableIndex, Paged, Protocol):
    """A `ReadableIndex` that is `Paged`."""


class Index(ReadableIndex, Protocol):
    """A store and a catalog that always agree. Ingestion writes to it, searches read from it.

    Methods that name a collection raise UsageError if it does not exist, unless stated otherwise,
    and StoreError if it is broken or the engine fails. Methods that write raise DiskFull. A failed
    method has changed nothing that searches see.
    """

    async def create(self, spec: CollectionSpec) -> None:
        """Create an empty collection or update the spec of an existing one; see `Store.create`. A
        new collection counts terms from the beginning if its weights need the IDF. A collection
        that an earlier version created without term counts becomes `counted` when its spec says so.
        Set this only after `weigh` has processed every document."""

    async def drop(self, collection: str) -> None:
        """Remove a collection with its contents; unknown names are ignored."""

    async def reset(self, spec: CollectionSpec) -> None:
        """Start over: create the collection with this spec, without documents. An existing one
        loses its documents, damaged or not, and keeps its sources."""

    async def put_source(self, collection: str, record: SourceRecord) -> None:
        """Store a source, so that later runs can index it by its name."""

    async def forget(self, collection: str, source: str) -> int:
        """Remove a source with its documents. Returns the number of documents."""

    async def replace(self, collection: str, documents: Sequence[IndexedDocument]) -> None:
        """Index whole documents. Each one replaces the document with the same (source, path). Its
        record is `embedded` if all of its points have dense vectors. Once this returns, the
        documents survive a killed process. Searches see the old or the new version of a document,
        never both or a part; a crash may leave some old and others new. Safe to repeat. Raises
        UsageError if two documents have the same (source, path) or revision, InvalidPoint,
        DiskFull, StoreError; then the old ones are unchanged."""

    async def embedded(self, collection: str, source: str, path: str) -> tuple[Stored, ...]:
        """Return the chunks of a document that have a dense vector, each with its vector from
        `Store.vectors`, in the order of the file. () if the document is not indexed or the
        collection is lexical."""

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
        """End a run of changes: make them survive a loss of power, and start to optimise in the
        background if that is worthwhile."""


class LeasedIndex(Index, Protocol):
    """An index for several writing processes; the active writer holds a lease."""

    @property
    def leases(self) -> Leases: ...


class SearchableFacts(msgspec.Struct, frozen=True, kw_only=True):
    """Facts about a collection that a search needs in addition to the spec. All are sent to the
    daemon.

    `code`: nearly all of the collection is source code. `deep`: at least half of it is code. Such a
    collection gets as many hits and candidates as a collection of code, but is not ranked like one.
    `kinds`: the kinds of its sources. `rung`: the kind of its dense model. `embedded`: the share of
    chunks with a dense vector, 0..1. `depth`: the number of hits of each side, instead of the
    limits of the profile; 0 for those limits. `weight`: the factor for its fused scores. `foreign`:
    the collection belongs to another program. `store`: the kind of its store. `exact`: the store
    can compare a query with every vector; another store returns all vectors if
    `SearchRequest.exact` is set.
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
    """A collection with its index and its encoders. `dense` is None for a lexical collection."""

    spec: CollectionSpec
    index: Readable
    sparse: SparseEncoder
    dense: DenseEncoder | None = None

    @property
    def is_hurried(self) -> bool:
        """Whether the time budget ends the wait for a vector. A model of this process or of the
        daemon answers soon, and without keyword search there would be no result."""
        return bool(self.spec.sparse) and not self.rung.startswith("bundled")

    @property
    def facts(self) -> SearchableFacts:
        """Only the facts, without the spec, the index and the encoders."""
        names = SearchableFacts.__struct_fields__
        return SearchableFacts(**{name: getattr(self, name) for name in names})
