"""A folder of files, an index of it, and models that keep what they read."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from pincite.catalog.sqlite import SqliteCatalog
from pincite.chunkers import ChunkerConfig
from pincite.index.local import LocalIndex
from pincite.ingest import ingest
from pincite.ingestion.deps import IngestDeps
from pincite.ingestion.report import IngestReport
from pincite.model import Chunk, CollectionSpec, Matrix, Vector
from pincite.ports import DenseEncoder, Store
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.sources import Selection, SourceLimits, open_source
from pincite.stores.memory import MemoryStore
from pincite.stores.qdrant_edge.store import EdgeStore
from pincite.stores.sqlite.store import SqliteStore
from pincite.support.fields import replace
from pincite.testing.fakes import HashingEncoder

SPARSE = Bm25Encoder()


class Reading(HashingEncoder):
    """Keeps the texts that it was given."""

    def __init__(self, dimensions: int = 16) -> None:
        super().__init__(dimensions)
        self.read: list[str] = []

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        self.read += texts
        return await super().embed_documents(texts)


class Grouped(Reading):
    """Reads whole documents."""

    async def embed_grouped(self, documents: Sequence[Sequence[str]]) -> tuple[Matrix, ...]:
        return tuple([await self.embed_documents(chunks) for chunks in documents])


class Place:
    """A folder of files, and an index of it."""

    def __init__(self, folder: Path, store: Store) -> None:
        self.folder = folder
        self.store = store
        self.index = LocalIndex(store, SqliteCatalog(":memory:"))
        self._clock_ns = 1_000_000_000

    def write(self, path: str, text: str) -> None:
        """Write a file with a new time stamp of long ago."""
        (self.folder / path).write_text(text)
        self._clock_ns += 1_000
        os.utime(self.folder / path, ns=(self._clock_ns, self._clock_ns))

    async def run(self, dense: DenseEncoder | None, chunker: str = "") -> IngestReport:
        """Index the folder with a model, perhaps with chunks that are said to be cut otherwise."""
        await self.index.open()
        infos = await self.index.collections()
        made_with = (SPARSE.fingerprint, ChunkerConfig().fingerprint)
        spec = infos[0].spec if infos else CollectionSpec("main", *made_with)
        spec = replace(
            spec,
            chunker=chunker or spec.chunker,
            dense=dense.fingerprint if dense else None,
            dimensions=dense.dimensions if dense else 0,
        )
        await self.index.create(spec)
        limits, selection = SourceLimits(), Selection()
        with open_source(self.folder, name="acme", limits=limits, selection=selection) as opened:
            return await ingest(opened, selection, spec, IngestDeps(self.index, SPARSE, dense))

    async def held(self) -> dict[Chunk, Vector]:
        """All chunks with their vectors."""
        points = [point for _, point in await self.store.export("main", None, 10_000)]
        return {point.chunk: point.dense for point in points if point.dense is not None}


def functions(*names: str, lines: int = 60) -> str:
    """A file of functions."""
    return "".join(
        f"def {name}():\n" + "".join(f"    {name}_{n} = work({n})\n" for n in range(lines)) + "\n"
        for name in names
    )


@contextmanager
def memory(_: Path) -> Iterator[Store]:
    yield MemoryStore()


@contextmanager
def edge(folder: Path) -> Iterator[Store]:
    store = EdgeStore(folder / "collections")
    yield store
    asyncio.run(store.close())


@contextmanager
def sqlite(folder: Path) -> Iterator[Store]:
    yield SqliteStore(folder / "points.db")
