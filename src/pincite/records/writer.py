"""What an open index does with records."""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, Unpack
from uuid import UUID

from pincite.asking import checked_tags
from pincite.collection.opened import OpenIndex
from pincite.errors import UsageError
from pincite.ingestion.options import IndexOptions, RecordKeywords, record_options
from pincite.model import Record
from pincite.model.records import RECORDS
from pincite.ports import Waiting
from pincite.settings.defaults import WAIT_S
from pincite.support.arguments import require_kind, shown

if TYPE_CHECKING:
    from pincite.records.delete import Chosen
    from pincite.records.report import DeleteReport, UpsertProgress, UpsertReport


class RecordWriter(OpenIndex):
    """Writes and deletes records."""

    async def upsert(
        self,
        records: Iterable[object] | AsyncIterable[object] | Record,
        *,
        collection: str = "",
        source: str = RECORDS,
        batch: int = 1_000,
        on_error: Literal["report", "raise"] = "report",
        options: IndexOptions | None = None,
        progress: Callable[[UpsertProgress], None] | None = None,
        **keywords: Unpack[RecordKeywords],
    ) -> UpsertReport:
        """Write records, each in place of the one of the same id.

        Arguments:
            records: `Record`s, or mappings with `id`, `text` or `pages`, and `title`, `url`,
                `attributes`, `language`; a list, an iterator of millions, or an async iterator.
                One record in place of several is a list of it.
            collection: where they go, by default the configured collection. One that is not there
                is made.
            source: the name that citations begin with; ids are distinct within it.
            batch: how many are pulled, written and held in memory at a time.
            on_error: `report` names a record that cannot be in the report and writes the rest;
                `raise` ends with the first one, with those before it written.
            progress: called now and then with how far the run is.
            keywords: how a new collection is made: `lexical` (True leaves the dense model out),
                `model`, `sparse`, `language`, `upgrade`, `beside`, `wait_s` (seconds, for others
                who write), `on_notice`, `on_fetch`; see `index`.
            options: the same as one value, in place of `keywords`.

        A record that did not change costs a look; one of which only attributes changed is not
        embedded again. What is cut off is whole as far as it went, and the next call goes on.

        Returns how many were written, rewritten for their attributes, unchanged and refused, with
        the first of these by id and reason. Raises UsageError, InvalidRecord where that is wanted,
        FingerprintMismatch, DiskFull, StoreError.

        >>> tickets = [{"id": "7", "text": "The printer is on fire."}]
        >>> report = await pincite.upsert(tickets, collection="tickets")
        >>> (report.written + report.unchanged, report.failed_count)
        (1, 0)
        """
        from pincite.records.upsert import UpsertOptions, upsert  # the write path is heavy

        self._searchables = None
        chosen = record_options(options, keywords)
        if collection and chosen.collection not in ("", collection):
            raise UsageError(
                f"collection={collection!r} and options.collection={chosen.collection!r}",
                hint="give one of them",
            )
        chosen = replace(chosen, collection=collection or chosen.collection)
        self.foreign.refuse(chosen.collection)
        asked = UpsertOptions(chosen, source, batch, on_error, progress or _unheard)
        return await upsert(self.settings, self.client(create=True), records, asked)

    async def delete(
        self,
        *,
        ids: str | int | Iterable[str | int] | None = None,
        where: str = "",
        tags: Mapping[str, object] | None = None,
        collection: str = "",
        source: str = RECORDS,
        waiting: Waiting = Waiting(WAIT_S),
    ) -> DeleteReport:
        """Delete records: some by their ids, or all that a filter fits.

        Arguments:
            ids: the ids that they were written with, one or several.
            where: a filter on attributes, `path`, `title` and `url`, such as `course = 'ml'`; in
                place of `ids`.
            tags: only those that have these attributes. What the collection requires must be
                among them.
            collection: where they are, by default the configured collection.
            source: the source that they were written to.
            waiting: for how many seconds to wait for others who write to the collection.

        Returns how many were deleted, and the ids that are not there. Raises UsageError,
        TagsRequired, IndexNotFound, StoreError.

        >>> tickets = [{"id": "7", "text": "The printer is on fire."}]
        >>> report = await pincite.upsert(tickets, collection="tickets")
        >>> report = await pincite.delete(ids=["7", "8"], collection="tickets")
        >>> (report.deleted, report.missing)
        (1, ('8',))
        """
        from pincite.records.delete import delete

        self._searchables = None
        chosen = self._chosen(ids, where, tags, collection, source)
        return await delete(self.settings, self.client(), self._models, chosen, waiting)

    async def count_records(
        self,
        *,
        ids: str | int | Iterable[str | int] | None = None,
        where: str = "",
        tags: Mapping[str, object] | None = None,
        collection: str = "",
        source: str = RECORDS,
    ) -> int:
        """How many records `delete` would delete.

        Arguments:
            ids: as in `delete`.
            where: as in `delete`.
            tags: as in `delete`.
            collection: as in `delete`.
            source: as in `delete`.

        Raises as `delete` does.

        >>> tickets = [{"id": "7", "text": "The printer is on fire."}]
        >>> report = await pincite.upsert(tickets, collection="tickets")
        >>> await pincite.count_records(ids=["7", "8"], collection="tickets")
        1
        """
        from pincite.records.delete import count

        chosen = self._chosen(ids, where, tags, collection, source)
        return await count(self.settings, self.client(), chosen)

    def _chosen(
        self,
        ids: str | int | Iterable[str | int] | None,
        where: str,
        tags: Mapping[str, object] | None,
        collection: str,
        source: str,
    ) -> Chosen:
        """What is meant, checked. A text or a number is one id, not one of each letter."""
        from pincite.records.delete import Chosen

        named = collection or self.settings.indexed_collection
        self.foreign.refuse(named)
        if isinstance(ids, (str, int, UUID)):
            ids = (ids,)
        elif ids is not None and (
            isinstance(ids, (bytes, Mapping)) or not isinstance(ids, Iterable)
        ):
            raise UsageError(f"ids is {shown(ids)}; it takes an id or a list of ids")
        require_kind("where", where, str, "a filter as text, such as \"course = 'ml'\"")
        given = None if ids is None else tuple(ids)
        return Chosen(named, source, given, where, checked_tags(tags))


def _unheard(_: UpsertProgress) -> None:
    """Nobody listens."""
