"""A store and a catalog behind one door."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

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
from pincite.ports.storage import CollectionInfo, SearchRequest, Stored


class Readable(Protocol):
    """What searches read. A collection of another program has no documents: where they are asked
    for it raises UsageError."""

    async def documents(
        self, collection: str, source: str | None = None
    ) -> tuple[DocumentRecord, ...]:
        """What is indexed, by (source, path)."""

    async def search(self, collection: str, request: SearchRequest) -> tuple[Ranking, ...]:
        """As `Store.search`; a revision that the filter asks for stands also for the one that has
        just taken its place."""

    async def load(
        self, collection: str, ids: Sequence[str], *, vectors: bool = False
    ) -> tuple[Stored, ...]:
        """As `Store.load`."""

    async def document(self, collection: str, source: str, path: str) -> tuple[Chunk, ...]:
        """All chunks of a document in the order of the file, () if it is not indexed."""

    async def page(self, collection: str, after: str | None, limit: int) -> tuple[Chunk, ...]:
        """As `Store.page`."""


class ReadableIndex(Readable, Protocol):
    """What reads look at: collections, and what is in them."""

    async def collections(self) -> tuple[CollectionInfo, ...]:
        """All collections by name."""

    async def sources(self, collection: str) -> tuple[SourceRecord, ...]:
        """What is known of a collection's sources, by name; () for an unknown collection."""


class Index(ReadableIndex, Protocol):
    """A store and a catalog that always agree: what ingestion writes and searches read.

    Methods that name a collection raise UsageError if there is none of that name, except where
    it says otherwise, and StoreError where it is broken or the engine fails. Methods that write
    raise DiskFull. A method that fails has changed nothing that searches see.
    """

    async def create(self, spec: CollectionSpec) -> None:
        """Create a collection, empty, or update the spec of one; see `Store.create`. The terms of
        a new one are counted from the beginning if its weights want the IDF; one that was made
        before there were counts becomes `counted` when its spec says so, which is right once every
        document has been given to `weigh`."""

    async def drop(self, collection: str) -> None:
        """Remove a collection with everything in it; unknown names are fine."""

    async def reset(self, spec: CollectionSpec) -> None:
        """Begin again: create the collection with this spec, without documents. One of that
        name loses its documents, damaged or not, and keeps its sources."""

    async def put_source(self, collection: str, record: SourceRecord) -> None:
        """Remember a source, so that it can be indexed again by name."""

    async def forget(self, collection: str, source: str) -> int:
        """Remove a source with its documents; returns how many documents there were."""

    async def replace(self, collection: str, documents: Sequence[IndexedDocument]) -> None:
        """Index documents, each as a whole, in place of the same (source, path). Their records are
        `embedded` where all of their points have dense vectors. When this returns
        they survive a killed process. Of each document searches see the old or the new, never both
        or a part; a crash may leave some old and others new. Safe to repeat. Raises UsageError
        where two have one (source, path) or one revision, InvalidPoint, DiskFull, StoreError; then
        the old ones are untouched."""

    async def embedded(self, collection: str, source: str, path: str) -> tuple[Stored, ...]:
        """The chunks of a document that have a dense vector, with it as `Store.vectors` gives it,
        in the order of the file; () if it is not indexed, and for a lexical collection."""

    async def touch(self, collection: str, records: Sequence[DocumentRecord]) -> None:
        """Update records whose content did not change (`ref`, `mtime_ns`, `size`, attributes);
        those of revisions that are not indexed are left out. Chunks show the new `ref` and
        attributes of their document."""

    async def remove(self, collection: str, revisions: Sequence[str]) -> None:
        """Remove documents; unknown revisions are fine."""

    async def weigh(
        self, collection: str, revision: str, vectors: Mapping[str, SparseVector]
    ) -> None:
        """Replace the sparse vectors of a document, one for each of its chunks by id, and count
        their terms. A revision that is not indexed is left out. Raises InvalidPoint before anything
        is written."""

    async def settle(self, collection: str) -> None:
        """A run of changes has ended: make it durable against a loss of power, and begin to
        optimise in the background where that pays."""


class LeasedIndex(Index, Protocol):
    """An index to which several processes may write: whoever does holds a lease."""

    @property
    def leases(self) -> Leases: ...


@dataclass(frozen=True, slots=True)
class Searchable:
    """A collection with the encoders that made it. `dense` is None for a lexical one. `code`
    says that nearly all of it is source code, `rung` what kind of model the dense one is, `kinds`
    are the kinds of sources in it. `depth` stands in for the limits of the profile unless it is 0,
    `weight` is what its fused scores are multiplied with. Who writes to a `foreign` one is not
    known. `store` is the kind of store that answers. `embedded` is the part of its chunks that have
    their dense vector already, 0..1. `exact` says that the store itself can compare a question with
    every vector; one that cannot hands all of them over where `SearchRequest.exact` is asked for.
    """

    spec: CollectionSpec
    index: Readable
    sparse: SparseEncoder
    dense: DenseEncoder | None = None
    code: bool = False
    rung: str = "bundled-model"
    kinds: frozenset[SourceType] = frozenset()
    depth: int = 0
    weight: float = 1.0
    foreign: bool = False
    store: str = "edge"
    embedded: float = 1.0
    exact: bool = True
