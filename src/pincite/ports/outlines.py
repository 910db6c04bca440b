"""Outlines of documents, which a catalog may store and an index may return."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, runtime_checkable

from pincite.model.outline import Outline, OutlinedDocument
from pincite.ports.catalog import Catalog

_Place = tuple[str, str]  # source, path


@runtime_checkable
class OutlineCatalog(Catalog, Protocol):
    """A catalog that stores outlines by revision. It removes an outline with its revision, and
    whenever `put` replaces the chunks of the revision. Raises as `Catalog`."""

    async def outlines(
        self, collection: str, documents: Iterable[_Place]
    ) -> Mapping[_Place, OutlinedDocument]:
        """Return the outlines of these documents by (source, path). Documents without an outline,
        or without the ids of their chunks, are left out."""

    async def without_outline(
        self, collection: str, after: _Place, limit: int
    ) -> Sequence[tuple[str, str, str]]:
        """Return (source, path, revision) of at most `limit` documents that follow `after` and have
        no outline of the current version, ordered by (source, path)."""

    async def put_outline(self, collection: str, revision: str, outline: Outline | None) -> None:
        """Store the outline of a revision, None if it can have none. Unknown revisions are
        ignored."""

    async def forget_outlines(self, collection: str, revisions: Iterable[str]) -> None:
        """Remove the outlines of these revisions."""


@runtime_checkable
class Outlined(Protocol):
    """An index that returns outlines."""

    async def outlines(
        self, collection: str, documents: Sequence[_Place]
    ) -> tuple[OutlinedDocument | None, ...]:
        """Return the outline of each of these documents (source, path), in their order, None for
        one without an outline. Raises as `Readable.chunk_ids`."""
