"""Where points are kept, and what is known of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from pincite.model import (
    AttributeValue,
    Chunk,
    CollectionSpec,
    DocumentRecord,
    Point,
    Ranking,
    SourceRecord,
    SourceType,
    SparseVector,
    TermCounts,
    Vector,
)
from pincite.ports.filters import EVERYTHING, Filter


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """Both branches of a hybrid query. A branch whose vector is None is not run.

    `complete` asks for the score on each side of every chunk that the other side found.
    `hnsw_ef` and `exact` apply to the dense branch; limits count hits, at least 1.

    With a `fusion` the store fuses the branches and returns the best `fusion_limit`: `rrf` is the
    sum of 1 / (fusion_k + rank), rank from 1; `dbsf` adds up scores by their distribution (see
    `stages.fuse`). Then `complete` means nothing.

    `words` is the text that `sparse` was made of, for stores that weigh words by themselves.
    """

    dense: Vector | None = None
    sparse: SparseVector | None = None
    dense_limit: int = 100
    sparse_limit: int = 100
    filter: Filter = EVERYTHING
    hnsw_ef: int = 128
    exact: bool = False
    complete: bool = True
    fusion: Literal["none", "rrf", "dbsf"] = "none"
    fusion_k: int = 60
    fusion_limit: int = 60
    words: str = ""


@dataclass(frozen=True, slots=True)
class Stored:
    """A chunk as the store holds it, with its dense vector where one was asked for and is. The
    vector is for comparing chunks with each other, and may be coarse: see `Store.load`."""

    chunk: Chunk
    vector: Vector | None = None


@dataclass(frozen=True, slots=True)
class Totals:
    """How many documents, chunks and tokens there are; `kinds` are the chunks by source type,
    `unembedded` those of documents that are not `embedded`."""

    documents: int = 0
    chunks: int = 0
    tokens: int = 0
    kinds: Mapping[SourceType, int] = field(default_factory=dict)
    unembedded: int = 0


@dataclass(frozen=True, slots=True)
class CollectionInfo:
    """A collection and what is in it. `lost` documents were damaged by a crash of the machine
    and come back with the next run of their source. `bytes` is the space on disk. `broken` says
    why the collection cannot be searched, if it cannot. `foreign` says where it is, if it was
    made by another program: it is read and never written to. `unembedded` is how many chunks have
    no dense vector yet, in a collection that has them."""

    spec: CollectionSpec
    sources: tuple[SourceRecord, ...]
    documents: int
    chunks: int
    tokens: int
    kinds: Mapping[SourceType, int] = field(default_factory=dict)
    lost: int = 0
    bytes: int = 0
    optimising: bool = False
    broken: str = ""
    foreign: str = ""
    unembedded: int = 0

    @property
    def embedded_share(self) -> float:
        """The part of its chunks that has dense vectors, 0..1; 1 for a lexical collection."""
        return 1 - self.unembedded / self.chunks if self.chunks else 1.0


class Store(Protocol):
    """Collections of points. Searches see a document whole or not at all.

    Points are written in two steps. `stage` stores the points of revisions, unseen; `publish`
    makes those of a revision visible and the one that it replaces invisible, at once for every
    search that begins later, and then removes the old one. After a crash `revisions` says what is
    there, staged or not; what is to stay is published again, and `remove` cleans up the rest.

    Methods that name a collection raise UsageError if there is none of that name, and StoreError
    where the store fails. Methods that write raise DiskFull.
    """

    async def create(self, spec: CollectionSpec) -> None:
        """Create the collection, or update the spec of an existing one of that name. Its
        `engine_idf` may change: searches go on, and see one or the other. A lexical
        one may become dense: its points have no dense vector until they are staged again. One
        that becomes lexical shows no dense vectors. Its `attributes` may become more: stores that
        have indexes of payloads make one of each, of its type. Raises StoreError where there are
        vectors of other dimensions, UsageError for a name that cannot be."""

    async def drop(self, collection: str) -> None:
        """Remove a collection and all of its points; unknown names are fine."""

    async def stage(self, collection: str, revisions: Mapping[str, Sequence[Point]]) -> None:
        """Store the points of revisions, unseen. May be called several times for one revision; of
        its points of one id the last one counts. Visible points of other revisions are not touched,
        even of the same ids; other staged revisions must not have any of these ids. A revision
        that is visible may be staged again with its own points, which are replaced one by one.
        Raises InvalidPoint before anything is written, also where two of these revisions have the
        same id, and DiskFull."""

    async def publish(self, collection: str, replaced: Mapping[str, str | None]) -> None:
        """Show revisions, each in place of the one that it replaces, if any, which is removed.
        Ids that another revision has, too, belong to the one that is shown from now on. Each
        revision is shown at once, those of a call perhaps one after the other. What is shown stays,
        even if another one is said to replace it. Safe to repeat."""

    async def remove(self, collection: str, revisions: Iterable[str]) -> None:
        """Remove all points of these revisions; unknown ones are fine."""

    async def search(self, collection: str, request: SearchRequest) -> tuple[Ranking, ...]:
        """Rankings `dense` and `sparse` (those that were asked for), each by (-score, id); with a
        `fusion` only `fused`, of kind `rrf` or `dbsf`, where the store may break ties as it likes.

        Dense scores are cosines in -1..1, sparse scores are positive sums of products, of the
        kind `bm25` where the spec wants the IDF and `dot` elsewhere. Where its `engine_idf` is set
        the store multiplies with `idf = ln(1 + (N - n + 0.5) / (n + 0.5))`: N counts the points of
        the collection that have any term, n those that have this one; both may include staged
        points, and such as were removed or replaced since the last `optimise`. Scores agree with
        exact arithmetic to 1e-4 of their size, ties at a limit may fall either way. An empty or
        lexical collection gives empty dense hits. Raises InvalidPoint for a query vector that does
        not fit, UsageError.
        """

    async def load(
        self, collection: str, ids: Sequence[str], *, vectors: bool = False
    ) -> tuple[Stored, ...]:
        """The visible chunks with these ids, in the order of `ids`; missing ones are left out.
        Vectors have norm 1. They may be coarse: each component of what was staged is rounded to
        1/127 of the largest one."""

    async def vectors(self, collection: str, ids: Sequence[str]) -> Mapping[str, Vector]:
        """The dense vectors of the visible points with these ids, float32, of norm 1 and equal to
        those that were staged to 1e-6. Those without one are left out, and so are all of a lexical
        collection."""

    async def of_revision(self, collection: str, revision: str) -> tuple[Chunk, ...]:
        """The visible chunks of one revision in the order of their file, () for an unknown one."""

    async def revisions(self, collection: str) -> Mapping[str, int]:
        """Every revision that has points, visible or not, and how many."""

    async def staged(self, collection: str) -> frozenset[str]:
        """The revisions that are out of sight, as far as the store knows; some that are named may
        have no points. A store that a crash makes forget which they were names none of them."""

    async def page(self, collection: str, after: str | None, limit: int) -> tuple[Chunk, ...]:
        """The next visible chunks by id, beginning behind `after`, which is an id or the beginning
        of one; None begins at the first. None left gives (). Raises UsageError."""

    async def export(
        self, collection: str, after: str | None, limit: int
    ) -> tuple[tuple[str, Point], ...]:
        """As `page`, whole points with their revisions. Dense vectors have norm 1 and are equal
        to those that were staged to 1e-6; sparse weights to float32."""

    async def set_sparse(self, collection: str, vectors: Mapping[str, SparseVector]) -> None:
        """Replace the sparse vectors of visible points; unknown ids are left out. Raises
        InvalidPoint before anything is written."""

    async def set_attributes(
        self, collection: str, changes: Mapping[str, Mapping[str, AttributeValue | None]]
    ) -> None:
        """Give all points of these revisions, visible or staged, these attributes in place of
        those of the same names, None for none. Vectors and all else stay. A revision changes at
        once for every search that begins later; unknown ones are fine. Safe to repeat. Before
        anything is written it raises UsageError for a name that no attribute can have, and
        InvalidPoint for another that the spec does not know and for a value of another type."""

    async def flush(self) -> None:
        """Return when everything written so far survives a loss of power."""

    async def optimise(self, collection: str) -> bool:
        """Make later searches faster; reads and writes go on meanwhile. False if there was no
        need, or if it is going on already or was stopped. Raises DiskFull, StoreError; then
        nothing has changed."""

    async def close(self) -> None:
        """Flush and let go of all resources."""


class Measured(Protocol):
    """What a store may tell of itself besides the contract."""

    def bytes(self, collection: str) -> int: ...
    def optimising(self, collection: str) -> bool: ...


class Catalog(Protocol):
    """What has been indexed: collections, sources and documents, in a database.

    Every change is durable against a killed process when the call returns. Methods that name a
    collection read nothing from one that is not there, and raise UsageError if they would write.
    Raises StoreError, DiskFull.
    """

    async def specs(self) -> tuple[CollectionSpec, ...]:
        """All collections by name."""

    async def put_spec(self, spec: CollectionSpec) -> None:
        """Insert or replace a collection."""

    async def drop(self, collection: str) -> None:
        """Forget a collection with its documents and sources; unknown names are fine."""

    async def sources(self, collection: str) -> tuple[SourceRecord, ...]:
        """By name."""

    async def put_source(self, collection: str, record: SourceRecord) -> None:
        """Insert or replace the source of that name."""

    async def drop_source(self, collection: str, source: str) -> None:
        """Forget a source, not its documents; unknown names are fine."""

    async def documents(
        self,
        collection: str,
        source: str | None = None,
        after: tuple[str, str] | None = None,
        limit: int | None = None,
    ) -> tuple[DocumentRecord, ...]:
        """By (source, path), those behind `after`, which is of the `source` if one is named, and no
        more than the `limit`."""

    async def revisions_of(
        self, collection: str, documents: Iterable[tuple[str, str]]
    ) -> Mapping[tuple[str, str], str]:
        """The revision under which each of these (source, path) is indexed; unknown ones are left
        out."""

    async def records(
        self, collection: str, revisions: Iterable[str]
    ) -> Mapping[str, DocumentRecord]:
        """The documents of these revisions, by revision; those that are not indexed are left
        out."""

    async def refs(
        self, collection: str, documents: Iterable[tuple[str, str]]
    ) -> Mapping[tuple[str, str], str]:
        """The `ref` of each of these (source, path); unknown ones are left out."""

    async def totals(self, collection: str) -> Totals:
        """How much there is, all 0 for an unknown collection."""

    async def put(
        self,
        collection: str,
        records: Sequence[DocumentRecord],
        counts: Mapping[str, TermCounts] = {},  # it is only read
    ) -> None:
        """Insert or replace the records of (source, path), all or none. `counts` are those of the
        terms in their chunks, by revision; without them a revision keeps the ones it has."""

    async def frequencies(self, collection: str, terms: Iterable[int]) -> TermCounts:
        """The sums of the counts of all documents, for these terms; exact after every change.
        Terms that no chunk has are left out."""

    async def delete(self, collection: str, revisions: Iterable[str]) -> None:
        """Forget documents; unknown revisions are fine."""

    async def flush(self) -> None:
        """Return when everything written so far survives a loss of power."""

    async def close(self) -> None:
        """Let go of the database."""
