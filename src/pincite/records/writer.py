"""What an open index does with records."""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from pincite.collection.opened import OpenIndex
from pincite.errors import UsageError
from pincite.ingestion.options import IndexOptions
from pincite.model.records import RECORDS
from pincite.ports import Waiting
from pincite.settings.defaults import WAIT_S

if TYPE_CHECKING:
    from pincite.records.report import DeleteReport, UpsertProgress, UpsertReport


class RecordWriter(OpenIndex):
    """Writes and deletes records."""

    async def upsert(
        self,
        records: Iterable[object] | AsyncIterable[object],
        *,
        collection: str = "",
        source: str = RECORDS,
        batch: int = 1_000,
        on_error: Literal["report", "raise"] = "report",
        options: IndexOptions | None = None,
        progress: Callable[[UpsertProgress], None] = lambda _: None,
    ) -> UpsertReport:
        """Write records, each in place of the one of the same id: `Record`s, or mappings with
        `id`, `text` or `pages`, and `title`, `url`, `attributes`, `language`.

        They are pulled `batch` by `batch`, so that an iterator of millions needs the memory of one.
        One that did not change costs a look; one of which only attributes changed is not embedded
        again. One that cannot be is named in the report and the rest is written, unless `on_error`
        is `raise`. When it is cut off, what was written is whole, and the next call goes on.
        `options` say how to make a collection that is new. Raises UsageError, InvalidRecord,
        FingerprintMismatch, DiskFull, StoreError.

        >>> await pincite.upsert([{"id": "7", "text": "The printer is on fire."}])
        """
        from pincite.records.upsert import UpsertOptions, upsert  # the write path is heavy

        self._searchables = None
        chosen = options or IndexOptions()
        if collection and chosen.collection not in ("", collection):
            raise UsageError(
                f"collection={collection!r} and options.collection={chosen.collection!r}",
                hint="give one of them",
            )
        chosen = replace(chosen, collection=collection or chosen.collection)
        self.foreign.refuse(chosen.collection)
        asked = UpsertOptions(chosen, source, batch, on_error, progress)
        return await upsert(self.settings, self.client(create=True), records, asked)

    async def delete(
        self,
        *,
        ids: Iterable[str | int] | None = None,
        where: str = "",
        tags: Mapping[str, object] | None = None,
        collection: str = "",
        source: str = RECORDS,
        waiting: Waiting = Waiting(WAIT_S),
    ) -> DeleteReport:
        """Delete records: those of these `ids`, or all that a filter fits, as in
        `where="course = 'ml'"`; of those only the ones with these `tags`. Ids that are not there
        are named in the report. Raises UsageError, IndexNotFound, StoreError.

        >>> await pincite.delete(ids=["7"])
        """
        from pincite.records.delete import Chosen, delete

        self._searchables = None
        named = collection or self.settings.indexed_collection
        self.foreign.refuse(named)
        chosen = Chosen(named, source, None if ids is None else tuple(ids), where, dict(tags or {}))
        return await delete(self.settings, self.client(), self._models, chosen, waiting)

    async def count_records(
        self,
        *,
        ids: Iterable[str | int] | None = None,
        where: str = "",
        tags: Mapping[str, object] | None = None,
        collection: str = "",
        source: str = RECORDS,
    ) -> int:
        """How many records `delete` would delete. Raises as it does."""
        from pincite.records.delete import Chosen, count

        named = collection or self.settings.indexed_collection
        self.foreign.refuse(named)
        chosen = Chosen(named, source, None if ids is None else tuple(ids), where, dict(tags or {}))
        return await count(self.settings, self.client(), chosen)
