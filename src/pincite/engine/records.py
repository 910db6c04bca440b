"""Methods of an open index for records."""

from __future__ import annotations

from collections.abc import AsyncIterable, Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Literal, Unpack
from uuid import UUID

from pincite import asking
from pincite.engine.open_index import OpenIndex
from pincite.errors import UsageError
from pincite.ingestion.options import IndexOptions, RecordKeywords, record_options
from pincite.model import Record
from pincite.model.records import RECORDS
from pincite.ports import Waiting
from pincite.settings.defaults import WAIT_S
from pincite.support.arguments import progress_of, require_kind, shown
from pincite.support.fields import replace

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
        """Write records. Each one replaces the record with the same id.

        Arguments:
            records: `Record`s, or mappings with `id`, `text` or `pages`, and `title`, `url`,
                `attributes`, `language`; a list, an iterator of millions, or an async iterator.
                A single record is a list of one.
            collection: the target, by default the configured collection. It is created if it does
                not exist.
            source: the name that citations begin with. Ids are unique within it.
            batch: number of records to read, write and hold in memory at a time, at most 1,000,000.
            on_error: `report` lists invalid records in the report and writes the rest; `raise`
                stops at the first one, after writing those before it.
            progress: called repeatedly with the progress of the run.
            keywords: options of a new collection: `lexical` (True: no dense vectors),
                `model`, `sparse`, `language`, `upgrade`, `beside`, `wait_s` (seconds to wait for
                other writers), `on_notice`, `on_fetch`; see `index`.
            options: the same as one value, instead of `keywords`.

        Unchanged records are compared, not written. A record with new attributes and the same text
        is not embedded again. If a run is interrupted, the records written so far are complete,
        and the next call continues.

        Returns the numbers of records written, rewritten for their attributes, unchanged and
        refused, with the ids and reasons of the first refused ones. Raises UsageError,
        InvalidRecord if `on_error` is `raise`, FingerprintMismatch, DiskFull, StoreError.

        >>> tickets = [{"id": "7", "text": "The printer is on fire."}]
        >>> report = await pincite.upsert(tickets, collection="tickets")
        >>> (report.written + report.unchanged, report.failed_count)
        (1, 0)
        """
        from pincite.records.upsert import UpsertOptions, upsert  # the write path is heavy

        told = progress_of(progress)
        self.reopen()
        chosen = record_options(options, keywords)
        if collection and chosen.collection not in ("", collection):
            raise UsageError(
                f"collection={collection!r} and options.collection={chosen.collection!r}",
                hint="give one of them",
            )
        named = chosen.collection if collection == "" else collection
        self.foreign.refuse(named)
        chosen = replace(chosen, collection=named)
        asked = UpsertOptions(chosen, source, batch, on_error, told)
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
        """Delete records by their ids, or all that match a filter.

        Arguments:
            ids: an id that a record was written with, or several.
            where: a filter on attributes, `path`, `title` and `url`, such as `course = 'ml'`;
                instead of `ids`.
            tags: only records with these attributes. They must contain the required attributes of
                the collection.
            collection: the collection of the records, by default the configured one.
            source: the source that they were written to.
            waiting: how many seconds to wait for other writers.

        Returns the number of deleted records and the ids that do not exist. Raises UsageError,
        TagsRequired, IndexNotFound, StoreError.

        >>> tickets = [{"id": "7", "text": "The printer is on fire."}]
        >>> report = await pincite.upsert(tickets, collection="tickets")
        >>> report = await pincite.delete(ids=["7", "8"], collection="tickets")
        >>> (report.deleted, report.missing)
        (1, ('8',))
        """
        from pincite.records.delete import delete

        require_kind("waiting", waiting, Waiting, "a Waiting")
        self.reopen()
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
        """Count the records that `delete` would delete. With neither `ids` nor `where`, count all.

        Arguments:
            ids: as in `delete`.
            where: as in `delete`.
            tags: as in `delete`.
            collection: as in `delete`.
            source: as in `delete`.

        Raises the errors of `delete`.

        >>> tickets = [{"id": "7", "text": "The printer is on fire."}]
        >>> report = await pincite.upsert(tickets, collection="tickets")
        >>> await pincite.count_records(ids=["7", "8"], collection="tickets")
        1
        >>> await pincite.count_records(collection="tickets")
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
        """The selected records, checked. A text or a number is a single id."""
        from pincite.records.delete import Chosen

        self.foreign.refuse(collection)
        named = collection or self.settings.indexed_collection
        if isinstance(ids, (str, int, UUID)):
            ids = (ids,)
        elif ids is not None and (
            isinstance(ids, (bytes, Mapping)) or not isinstance(ids, Iterable)
        ):
            raise UsageError(f"ids is {shown(ids)}; it takes an id or a list of ids")
        require_kind("where", where, str, "a filter as text, such as \"course = 'ml'\"")
        given = None if ids is None else tuple(ids)
        return Chosen(named, source, given, where, asking.checked_tags(tags))
