"""An index folder to which records are written, and a log of what was written to the index."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, Coroutine, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from pincite.catalog.sqlite import SqliteCatalog
from pincite.daemon.file_leases import FileLeases
from pincite.encoders.by_name import Models
from pincite.errors import StoreError
from pincite.index.local import LocalIndex
from pincite.ingest import index_sources
from pincite.ingestion.options import IndexOptions
from pincite.ingestion.report import IngestReport
from pincite.model import Chunk, DocumentRecord, IndexedDocument, Notice
from pincite.ports import Store, Waiting
from pincite.records.delete import Chosen, delete
from pincite.records.report import DeleteReport, UpsertReport
from pincite.records.upsert import UpsertOptions, upsert
from pincite.settings.load import Settings, load_settings
from pincite.sources.record_store import RecordStore
from pincite.stores.memory import MemoryStore

T = TypeVar("T")


class Logging(LocalIndex):
    """An index that says what was written to it, and can be told to fail at a certain document."""

    def __init__(self, root: Path, store: Store) -> None:
        super().__init__(store, SqliteCatalog(":memory:"))
        self.leases = FileLeases(root)
        self.written: list[str] = []
        self.touched: list[str] = []
        self.fail_at = 10**9
        self.failure: StoreError = StoreError("the machine is on fire")

    async def replace(self, collection: str, documents: Sequence[IndexedDocument]) -> None:
        for one in documents:
            if len(self.written) >= self.fail_at:
                raise self.failure
            await super().replace(collection, [one])
            self.written.append(one.record.path)

    async def touch(self, collection: str, records: Sequence[DocumentRecord]) -> None:
        self.touched += [record.path for record in records]
        await super().touch(collection, records)


class Desk:
    """Records go over it."""

    def __init__(self, folder: Path, store: Store | None = None) -> None:
        self.root = folder / ".pincite"
        self.root.mkdir(exist_ok=True)
        self.settings: Settings = load_settings({}, folder, self.root)
        self.index = Logging(self.root, store or MemoryStore())
        self.notices: list[Notice] = []

    async def upsert(
        self, records: Iterable[object] | AsyncIterable[object], **values: Any
    ) -> UpsertReport:
        options = IndexOptions(lexical=True, on_notice=self.notices.append)
        asked = UpsertOptions(options, **values)
        return await upsert(self.settings, self.index, records, asked)

    async def delete(self, **values: Any) -> DeleteReport:
        models = Models(self.settings)
        chosen = Chosen("main", **values)
        return await delete(self.settings, self.index, models, chosen, Waiting(0))

    async def mirror(self, **values: Any) -> tuple[IngestReport, ...]:
        """As `pincite index` without a path."""
        options = IndexOptions(lexical=True, **values)
        return await index_sources(self.settings, self.index, (), options, lambda _: None)

    async def chunks(self) -> tuple[Chunk, ...]:
        if not await self.index.collections():
            return ()
        return await self.index.page("main", None, 10_000)

    async def texts(self) -> dict[str, str]:
        """The text of each record that has one chunk."""
        return {one.path: one.text for one in await self.chunks()}

    def kept(self) -> RecordStore:
        return RecordStore(self.root)


def run(work: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(work)


def tickets(count: int, **attributes: object) -> list[Mapping[str, object]]:
    """Records that differ in a word."""
    return [
        {"id": f"t{n}", "text": f"Ticket word{n} is about printers.", "attributes": attributes}
        for n in range(count)
    ]
