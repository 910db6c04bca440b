"""Indexing as `pincite index` does it, in this process: settings, options, a store in memory."""

from __future__ import annotations

import asyncio
import itertools
import os
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from pincite.catalog.sqlite import SqliteCatalog
from pincite.index.local import LocalIndex
from pincite.ingest import index_sources
from pincite.ingestion.options import IndexOptions
from pincite.ingestion.report import IngestReport
from pincite.model import AttributeValue, Chunk, CollectionSpec, DocumentRecord, Notice, Source
from pincite.ports import Waiting
from pincite.settings.load import load_settings
from pincite.stores.memory import MemoryStore


class Alone:
    """Leases where nobody else writes."""

    @asynccontextmanager
    async def take(self, _collection: str, _what: str, _waiting: Waiting) -> AsyncIterator[None]:
        yield

    def is_any_taken(self) -> bool:
        return False


class Index(LocalIndex):
    """An index of one writer. `left` is how many records may be touched before it fails."""

    def __init__(self) -> None:
        super().__init__(MemoryStore(), SqliteCatalog(":memory:"))
        self.leases = Alone()
        self.touched: list[str] = []
        self.left = 10**9

    async def touch(self, collection: str, records: Sequence[DocumentRecord]) -> None:
        some = records[: self.left]
        self.left -= len(some)
        await super().touch(collection, some)
        self.touched += [record.path for record in some]
        if len(some) < len(records):
            raise KeyboardInterrupt


@dataclass
class Desk:
    """A folder with files and settings, and an index."""

    folder: Path
    index: Index = field(default_factory=Index)
    notices: list[Notice] = field(default_factory=list)
    clock: Iterator[int] = field(default_factory=lambda: itertools.count(1_000_000_000, 1000))

    def write(self, path: str, text: str) -> None:
        place = self.folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
        stamp = next(self.clock)
        os.utime(place, ns=(stamp, stamp))

    def run(
        self,
        *paths: str,
        texts: Sequence[str] = (),
        rebuild: bool = False,
        include: tuple[str, ...] = (),
        exclude: tuple[str, ...] = (),
        file_types: tuple[str, ...] = (),
        **more: object,
    ) -> tuple[IngestReport, ...]:
        """Index; `more` are attributes, or `name` and `ref`."""
        name, ref = more.pop("name", None), more.pop("ref", None)
        options = IndexOptions(
            name=str(name) if name else None,
            ref=str(ref) if ref else None,
            lexical=True,
            rebuild=rebuild,
            include=include,
            exclude=exclude,
            file_types=file_types,
            attributes=more,
            attribute_texts=tuple(texts),
            on_notice=self.notices.append,
        )
        settings = load_settings({}, self.folder)
        places = [self.folder / path for path in paths]
        work = index_sources(settings, self.index, places, options, lambda _: None)
        return asyncio.run(work)

    def spec(self) -> CollectionSpec:
        (info,) = asyncio.run(self.index.collections())
        return info.spec

    def sources(self) -> dict[str, Source]:
        (info,) = asyncio.run(self.index.collections())
        return {record.source.name: record.source for record in info.sources}

    def records(self) -> dict[str, DocumentRecord]:
        return {r.path: r for r in asyncio.run(self.index.documents("main"))}

    def chunks(self) -> Sequence[Chunk]:
        return asyncio.run(self.index.page("main", None, 10_000))

    def attributes(self) -> dict[str, Mapping[str, AttributeValue]]:
        """What the chunks of each path have; all chunks of a path have the same."""
        found: dict[str, Mapping[str, AttributeValue]] = {}
        for chunk in self.chunks():
            assert found.setdefault(chunk.path, chunk.attributes) == chunk.attributes
        return found

    def said(self, code: str) -> list[str]:
        return [notice.message for notice in self.notices if notice.code == code]
