"""The order of the write path, and what its steps hand on."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pincite.catalog.sqlite import SqliteCatalog
from pincite.chunkers import ChunkerConfig
from pincite.errors import DiskFull
from pincite.index.local import LocalIndex
from pincite.ingest import ingest
from pincite.ingestion.deps import IngestDeps
from pincite.ingestion.embed import embed
from pincite.ingestion.enrich import enrich
from pincite.ingestion.prepare import prepare_all
from pincite.ingestion.report import Progress
from pincite.model import CollectionSpec, DocumentRecord, IndexedDocument, Matrix, SourceRecord
from pincite.ports import Index
from pincite.sources import Entry, Selection, SourceLimits, open_source
from pincite.stores.memory import MemoryStore
from pincite.testing.fakes import CountingEncoder, HashingEncoder
from tests.time_limits import HANGS_S

_SPARSE = CountingEncoder()


class Noting(HashingEncoder):
    """Notes that it embeds."""

    def __init__(self, steps: list[str]) -> None:
        super().__init__()
        self.steps = steps

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        self.steps.append("embed")
        return await super().embed_documents(texts)


class Noted:
    """An index that notes what is written to it."""

    def __init__(self, steps: list[str]) -> None:
        self.steps = steps
        self.inner = LocalIndex(MemoryStore(), SqliteCatalog(":memory:"))

    async def put_source(self, collection: str, record: SourceRecord) -> None:
        self.steps.append("record: complete" if record.complete else "record: begun")
        await self.inner.put_source(collection, record)

    async def replace(self, collection: str, documents: Sequence[IndexedDocument]) -> None:
        self.steps += [f"write {record.path}" for record, _ in documents]
        await self.inner.replace(collection, documents)

    async def remove(self, collection: str, revisions: Sequence[str]) -> None:
        self.steps.append("remove")
        await self.inner.remove(collection, revisions)

    async def touch(self, collection: str, records: Sequence[DocumentRecord]) -> None:
        self.steps.append("touch")
        await self.inner.touch(collection, records)

    async def settle(self, collection: str) -> None:
        self.steps.append("settle")
        await self.inner.settle(collection)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


def write(folder: Path, path: str, text: str) -> None:
    """A file that was written long ago."""
    (folder / path).write_text(text)
    os.utime(folder / path, ns=(1_000_000_000, 1_000_000_000))


async def mirror(folder: Path, deps: IngestDeps) -> None:
    """Bring a collection up to date, which is made by the first call."""
    dense = deps.dense
    assert dense is not None
    infos = await deps.index.collections()
    spec = CollectionSpec(
        "main",
        _SPARSE.fingerprint,
        ChunkerConfig().fingerprint,
        dense.fingerprint,
        dense.dimensions,
    )
    if infos:
        spec = infos[0].spec
    else:
        await deps.index.create(spec)
    with open_source(folder, limits=SourceLimits(), selection=Selection()) as opened:
        await ingest(opened, Selection(), spec, deps)


def test_the_steps_have_one_order(tmp_path: Path) -> None:
    steps: list[str] = []

    def note(progress: Progress) -> None:
        if progress.stage == "diff":
            steps.append(progress.stage)

    async def work() -> None:
        noted: Any = Noted(steps)
        deps = IngestDeps(noted, _SPARSE, Noting(steps), progress=note)
        for name in ("changes", "goes", "stays", "touched"):
            write(tmp_path, f"{name}.md", f"# {name}\n\nturnstile")
        await mirror(tmp_path, deps)
        steps.clear()
        write(tmp_path, "changes.md", "# changes\n\n" + "much more of it " * 40)
        write(tmp_path, "new.md", "# new\n\ncrane")
        (tmp_path / "goes.md").unlink()
        os.utime(tmp_path / "touched.md", ns=(5, 5))
        await mirror(tmp_path, deps)

    asyncio.run(work())
    assert steps == [
        "diff",
        "record: begun",
        "embed",
        "write changes.md",
        "write new.md",
        "remove",
        "touch",
        "record: complete",
        "settle",
    ]


class Meeting:
    """Those who wait for each other."""

    def __init__(self, names: Sequence[str]) -> None:
        self.missing = set(names)
        self.all_there = asyncio.Event()

    def arrive(self, name: str) -> None:
        self.missing.discard(name)
        if not self.missing:
            self.all_there.set()

    async def join(self, name: str) -> None:
        """Raises TimeoutError where the others do not come."""
        self.arrive(name)
        async with asyncio.timeout(HANGS_S):
            await self.all_there.wait()


def test_four_batches_are_under_way_at_once(tmp_path: Path) -> None:
    async def work() -> None:
        meeting = Meeting(["first written", "second written", "third embedded", "fourth read"])
        loop = asyncio.get_running_loop()

        class Sparse(CountingEncoder):
            def encode_document(self, text: str, average_length: float) -> Any:
                if "delta" in text:
                    loop.call_soon_threadsafe(meeting.arrive, "fourth read")
                return super().encode_document(text, average_length)

        class Dense(HashingEncoder):
            async def embed_documents(self, texts: Sequence[str]) -> Matrix:
                if "gamma" in texts[0]:
                    await meeting.join("third embedded")
                return await super().embed_documents(texts)

        class Written(Noted):
            async def replace(self, collection: str, documents: Sequence[IndexedDocument]) -> None:
                name = {"a.md": "first written", "b.md": "second written"}
                if (path := documents[0].record.path) in name:
                    await meeting.join(name[path])
                await super().replace(collection, documents)

        index: Any = Written([])
        made_with = (_SPARSE.fingerprint, ChunkerConfig().fingerprint, Dense().fingerprint)
        await index.create(CollectionSpec("main", *made_with, Dense().dimensions))
        await mirror(tmp_path, IngestDeps(index, Sparse(), Dense(), batch_chunks=1))
        assert [r.path for r in await index.documents("main")] == list(files)

    files = {"a.md": "alpha", "b.md": "beta", "c.md": "gamma", "d.md": "delta"}
    for name, word in files.items():
        write(tmp_path, name, f"# {name}\n\n{word}")
    asyncio.run(work())


def test_two_batches_are_sent_at_most_and_none_after_an_error(tmp_path: Path) -> None:
    class Full(Noted):
        """An index whose disk is full at the first batch, once the second one has been sent."""

        def __init__(self) -> None:
            super().__init__([])
            self.second = asyncio.Event()
            self.waiting = self.most = 0

        async def replace(self, collection: str, documents: Sequence[IndexedDocument]) -> None:
            self.waiting += 1
            self.most = max(self.most, self.waiting)
            if documents[0].record.path == "m0.md":
                async with asyncio.timeout(HANGS_S):
                    await self.second.wait()
                await asyncio.sleep(0.2)  # long enough for a third, if it were sent
                raise DiskFull("the disk is full")
            self.second.set()
            await super().replace(collection, documents)
            await asyncio.sleep(0.2)
            self.waiting -= 1

    async def work() -> None:
        full: Any = Full()
        with pytest.raises(DiskFull):
            await mirror(tmp_path, IngestDeps(full, _SPARSE, HashingEncoder(), batch_chunks=1))
        assert full.most == 2
        assert [r.path for r in await full.documents("main")] == ["m1.md"]

    for number in range(6):
        write(tmp_path, f"m{number}.md", f"# m{number}\n\nlantern")
    asyncio.run(work())


def test_encoders_read_where_a_chunk_stands_and_citations_do_not(tmp_path: Path) -> None:
    page = "# Guide\n\nabout it\n\n## Keys\n\n" + "rotate " * 300
    write(tmp_path, "guide.md", page)
    batch = prepare_here(tmp_path)
    (document,) = batch.documents
    assert len(document.points) > 1
    for point, text in zip(document.points, document.texts, strict=True):
        assert text == enrich(point.chunk)
        assert text.startswith("guide.md > Guide")
        assert text.endswith(point.chunk.text)
        assert point.chunk.text == page[point.chunk.start : point.chunk.end]


def test_a_model_of_whole_documents_is_told_once_where_they_stand(tmp_path: Path) -> None:
    class Grouped(HashingEncoder):
        async def embed_grouped(self, documents: Sequence[Sequence[str]]) -> tuple[Matrix, ...]:
            read.append([list(chunks) for chunks in documents])
            return tuple([await self.embed_documents(chunks) for chunks in documents])

    read: list[list[list[str]]] = []
    write(tmp_path, "a.md", "# A\n\n" + "rotate " * 600)
    write(tmp_path, "b.md", "# B\n\nkey")
    batch = prepare_here(tmp_path)
    embedded = asyncio.run(embed(batch.documents, Grouped()))
    ((first, second),) = read
    assert first[0].startswith("a.md > A\n")
    assert second == [batch.documents[1].texts[0]]
    assert first[1:] == [point.chunk.text for point in batch.documents[0].points[1:]]
    for one, texts in zip(embedded, (first, second), strict=True):
        for point, text in zip(one.points, texts, strict=True):
            np.testing.assert_array_equal(point.dense, HashingEncoder().vector(text))


def prepare_here(folder: Path) -> Any:
    """All files of a folder as one batch."""
    index: Index = LocalIndex(MemoryStore(), SqliteCatalog(":memory:"))
    spec = CollectionSpec("main", _SPARSE.fingerprint, ChunkerConfig().fingerprint)
    with open_source(folder, limits=SourceLimits(), selection=Selection()) as opened:
        entries = [entry for entry in opened.entries() if isinstance(entry, Entry)]
        deps = IngestDeps(index, _SPARSE, HashingEncoder())
        (batch,) = prepare_all(opened, entries, spec, deps)
    return batch
