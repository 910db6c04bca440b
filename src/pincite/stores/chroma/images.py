"""The images of collections in memory: read again after a write by another process, and updated
with each own write.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pincite.stores.chroma.database import Database, State
from pincite.stores.chroma.records import Image, Record, from_record

if TYPE_CHECKING:
    from chromadb.api.models.Collection import Collection


class Images:
    """One image per collection, by Pincite's name of the collection."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._held: dict[str, Image] = {}

    async def of(self, collection: str, chroma: Collection, state: State) -> Image:
        """Return the image at this state; read it if it is missing. Raises StoreError."""
        image = self._held.get(collection)
        if image is None or image.version != state.version:
            rows = await self._database.read_all(chroma)
            found = (from_record(*row) for row in rows)
            image = Image(state.version, state.hidden, {record.key: record for record in found})
            self._held[collection] = image
        return image

    def carry(
        self, collection: str, before: Image, state: State, held: Mapping[str, Record]
    ) -> Image:
        """Return the image after an own change. It is cached only if nothing else was written since
        `before`; otherwise the next search reads everything again."""
        image = Image(state.version, state.hidden, held)
        if self._held.get(collection) is before:
            self._held[collection] = image
        return image

    def forget(self, *collections: str) -> None:
        """Remove the images of these collections, or all images."""
        for name in collections or tuple(self._held):
            self._held.pop(name, None)
