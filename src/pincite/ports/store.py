"""Stores of points."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, Protocol

import msgspec

from pincite.model import (
    AttributeValue,
    Chunk,
    CollectionSpec,
    Point,
    Ranking,
    SparseVector,
    Vector,
)
from pincite.ports.filters import EVERYTHING, Condition, Filter
from pincite.support.fields import replace


class SearchRequest(msgspec.Struct, frozen=True):
    """A hybrid query: its dense and its sparse branch. A branch whose vector is None is not run.

    `complete` requests both scores of every chunk, even if only one branch found it. `hnsw_ef` and
    `exact` apply to the dense branch. Limits count hits, at least 1.

    With a `fusion`, the store fuses the branches and returns the best `fusion_limit`: `rrf` is the
    sum of 1 / (fusion_k + rank), rank from 1; `dbsf` adds up scores by their distribution (see
    `stages.fuse`). Then `complete` has no effect.

    `words` is the text of `sparse`, for stores with their own keyword ranking.
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

    def only(self, *conditions: Condition, most: int | None = None) -> SearchRequest:
        """Return the same request limited to chunks that also match all of these conditions. `most`
        is the new limit of each branch and of their fusion, at least 1; None keeps the limits."""
        within = replace(self.filter, must=(*self.filter.must, *conditions))
        if most is None:
            return replace(self, filter=within)
        return replace(self, filter=within, dense_limit=most, sparse_limit=most, fusion_limit=most)


class Stored(msgspec.Struct, frozen=True):
    """A chunk in the store, with its dense vector if requested and available. The vector is for
    comparing chunks with each other, and may be coarse: see `Store.load`."""

    chunk: Chunk
    vector: Vector | None = None


class Store(Protocol):
    """Collections of points. Searches see a document completely or not at all.

    A revision here is an indexed version of a document, not the `ref` of citations.

    Points are written in two steps. `stage` stores the points of revisions, invisible. `publish`
    makes the points of a revision visible and the points of the revision that it replaces
    invisible, atomically for every search that begins later, and then removes the old points. After
    a crash, `revisions` lists all stored revisions, visible or not. The caller publishes the
    revisions to keep again, and removes the others with `remove`.

    Methods that name a collection raise UsageError if it does not exist, and StoreError if the
    store fails. Methods that write raise DiskFull.
    """

    async def create(self, spec: CollectionSpec) -> None:
        """Create the collection, or update the spec of an existing one with that name.

        - `engine_idf` may change: concurrent searches see the old or the new value.
        - A lexical collection may become dense: its points have no dense vector until they are
          staged again. One that becomes lexical shows no dense vectors.
        - `attributes` may grow: stores with payload indexes create one for each, of its type.

        Raises StoreError if vectors of other dimensions exist, UsageError for an invalid name.
        """

    async def drop(self, collection: str) -> None:
        """Remove a collection and all of its points; unknown names are ignored."""

    async def stage(self, collection: str, revisions: Mapping[str, Sequence[Point]]) -> None:
        """Store the points of revisions, invisible. Several calls for one revision are allowed; of
        its points with the same id, the last one counts. Visible points of other revisions stay
        unchanged, even with the same ids. Other staged revisions must not have any of these ids. A
        visible revision may be staged again with its own points, which are replaced one by one.
        Raises InvalidPoint before anything is written, also if two of these revisions have the same
        id, and DiskFull."""

    async def publish(self, collection: str, replaced: Mapping[str, str | None]) -> None:
        """Make revisions visible. The revision that each one replaces, if any, is removed. An id
        that another revision also has belongs to the published one from now on. Each revision
        appears atomically; the revisions of one call may appear one after the other. A revision
        that is visible already stays visible, even if `replaced` names it as the one to replace.
        Safe to repeat."""

    async def remove(self, collection: str, revisions: Iterable[str]) -> None:
        """Remove all points of these revisions; unknown ones are ignored."""

    async def search(self, collection: str, request: SearchRequest) -> tuple[Ranking, ...]:
        """Return the requested rankings, `dense` and `sparse`, each ordered by (-score, id). With a
        `fusion` there is only `fused`, of kind `rrf` or `dbsf`, and the store may break ties in any
        order.

        Dense scores are cosines in -1..1. Sparse scores are positive sums of products, of the kind
        `bm25` if the spec needs the IDF, else `dot`. If its `engine_idf` is set, the store
        multiplies with `idf = ln(1 + (N - n + 0.5) / (n + 0.5))`: N is the number of points in the
        collection that have any term, n the number of points that have this term. Both counts may
        include staged points, and points removed or replaced since the last `optimise`. Scores
        agree with exact arithmetic to a relative 1e-4; ties at a limit may fall either way. An
        empty or lexical collection gives empty dense hits. Raises InvalidPoint for a query vector
        of the wrong shape, UsageError.
        """

    async def load(
        self, collection: str, ids: Sequence[str], *, vectors: bool = False
    ) -> tuple[Stored, ...]:
        """Return the visible chunks with these ids, in the order of `ids`. Missing chunks are left
        out. Vectors have norm 1. They may be coarse: each staged component is rounded to 1/127 of
        the largest one."""

    async def vectors(self, collection: str, ids: Sequence[str]) -> Mapping[str, Vector]:
        """Return the dense vectors of the visible points with these ids: float32, norm 1, equal to
        the staged vectors to 1e-6. Points without a vector are left out; a lexical collection has
        none."""

    async def of_revision(self, collection: str, revision: str) -> tuple[Chunk, ...]:
        """Return the visible chunks of one revision in the order of their file, () for an unknown
        one."""

    async def revisions(self, collection: str) -> Mapping[str, int]:
        """Return all revisions that have points, visible or not, with their numbers of points."""

    async def staged(self, collection: str) -> frozenset[str]:
        """Return the invisible revisions, as far as the store knows; some may have no points. A
        store that lost its list in a crash returns none."""

    async def page(self, collection: str, after: str | None, limit: int) -> tuple[Chunk, ...]:
        """Return at most `limit` visible chunks in order of id, starting after `after`: an id, the
        beginning of an id, or None for the first page. () if none is left. Raises UsageError."""

    async def export(
        self, collection: str, after: str | None, limit: int
    ) -> tuple[tuple[str, Point], ...]:
        """Return a page like `page`, but of whole points with their revisions. Dense vectors have
        norm 1 and equal the staged ones to 1e-6; sparse weights to float32."""

    async def set_sparse(self, collection: str, vectors: Mapping[str, SparseVector]) -> None:
        """Replace the sparse vectors of visible points; unknown ids are ignored. Raises
        InvalidPoint before anything is written."""

    async def set_attributes(
        self, collection: str, changes: Mapping[str, Mapping[str, AttributeValue | None]]
    ) -> None:
        """Set these attributes of all points of these revisions, visible or staged; None removes
        one. Vectors and everything else stay. A revision changes atomically for every search that
        begins later; unknown ones are ignored. Safe to repeat. Before anything is written, it
        raises UsageError for an invalid attribute name, and InvalidPoint for a name that the spec
        does not have or a value of another type."""

    async def flush(self) -> None:
        """Return when everything written so far survives a loss of power."""

    async def optimise(self, collection: str) -> bool:
        """Make later searches faster; reads and writes continue meanwhile. Returns False if there
        was no need, or if an optimisation is running already or was stopped. Raises DiskFull,
        StoreError; then nothing has changed."""

    async def close(self) -> None:
        """Flush and release all resources."""


class Measured(Protocol):
    """Optional measurements of a store; they are not part of the contract of `Store`."""

    def bytes(self, collection: str) -> int: ...
    def optimising(self, collection: str) -> bool: ...
    def require_room(self, collection: str) -> None:
        """Raise DiskFull unless an emptied collection could be written again."""
