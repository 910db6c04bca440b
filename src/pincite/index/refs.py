"""Look up the current `ref` of indexed documents in the catalog."""

from __future__ import annotations

from collections.abc import Sequence
from operator import is_

from pincite.model import Chunk
from pincite.ports import Catalog, Stored
from pincite.support.fields import replace


class Refs:
    """A cache of the current `ref` of documents. A commit changes the `ref` of every document of a
    checkout. Writing it to every point would remove the points from the store's graph, so it is
    looked up in the catalog and cached until `forget`."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._known: dict[str, dict[tuple[str, str], str]] = {}

    def forget(self, collection: str) -> None:
        """Clear the cache after a write."""
        self._known.pop(collection, None)

    async def apply(self, collection: str, chunks: Sequence[Chunk]) -> list[Chunk]:
        """Return the same chunks with the current `ref` of their documents."""
        known = self._known.setdefault(collection, {})
        keys = [(chunk.repo, chunk.path) for chunk in chunks]
        if missing := {key for key in keys if key not in known}:
            known.update(await self._catalog.refs(collection, missing))
        return [
            chunk if (ref := known.get(key, chunk.ref)) == chunk.ref else replace(chunk, ref=ref)
            for key, chunk in zip(keys, chunks, strict=True)
        ]

    async def apply_to_stored(self, collection: str, found: Sequence[Stored]) -> tuple[Stored, ...]:
        """Return the same results with the current `ref` of their documents."""
        before = [one.chunk for one in found]
        chunks = await self.apply(collection, before)
        if all(map(is_, chunks, before)):
            return tuple(found)
        return tuple(
            one if chunk is one.chunk else Stored(chunk, one.vector)
            for one, chunk in zip(found, chunks, strict=True)
        )
