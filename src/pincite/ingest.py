"""The write path: from a source to an index that mirrors it. Nothing else knows its order.

    sources -> diff -> read -> chunk -> enrich -> encode -> upsert -> record

Reading and chunking of the next batch go on while one is encoded and the one before is written.
Every document is recorded as soon as it is whole in the store, so that a run that is cut off goes
on where it was.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Container
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial

from pincite.batches import Batch, Maker, Prepared
from pincite.diff import Diff, find_changes
from pincite.encoding import encode
from pincite.model import CollectionSpec, DocumentRecord, SourceRecord
from pincite.ports import DenseEncoder, Index
from pincite.providers.sparse.bm25 import round_average
from pincite.sources import OpenSource, Selection

_SAMPLE = 48  # documents that give the first estimate of the average length
_ANY = 100.0  # an average length while none is known
_NAMED = 50  # skipped files that the catalogue names


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is. `stage` is `diff`, `index` or `weigh`; totals count files or chunks."""

    stage: str
    done: int
    total: int
    chunks: int = 0
    path: str = ""


@dataclass(frozen=True, slots=True)
class IngestDeps:
    """What a run needs. `dense` is None for a lexical collection."""

    index: Index
    dense: DenseEncoder | None
    maker: Maker
    progress: Callable[[Progress], None] = lambda _: None


@dataclass(slots=True)
class IngestReport:
    """What a run did. `skipped` counts files by reason, `skipped_paths` names them as
    `code: path (detail)`; `noted` and `noted_paths` do so for what was remarkable about files that
    were indexed."""

    collection: str
    source: str
    new: int = 0
    changed: int = 0
    renamed: int = 0
    removed: int = 0
    unchanged: int = 0
    chunks: int = 0
    tokens: int = 0
    duration_s: float = 0.0
    encode_s: float = 0.0
    skipped: dict[str, int] = field(default_factory=dict)
    skipped_paths: list[str] = field(default_factory=list)
    noted: dict[str, int] = field(default_factory=dict)
    noted_paths: list[str] = field(default_factory=list)

    def skip(self, code: str, path: str, detail: str) -> None:
        """Count and name a file that was left out."""
        self.skipped[code] = self.skipped.get(code, 0) + 1
        self.skipped_paths.append(f"{code}: {path} ({detail})" if detail else f"{code}: {path}")

    def note(self, path: str, notes: str) -> None:
        """Count and name what is remarkable about an indexed file, as `DocumentRecord.notes`."""
        for line in notes.split("\n") if notes else ():
            code, _, detail = line.partition(": ")
            self.noted[code] = self.noted.get(code, 0) + 1
            self.noted_paths.append(f"{code}: {path} ({detail})" if detail else f"{code}: {path}")

    def count(self, batch: Batch, known: Container[str], removed: set[str]) -> None:
        """Take in a batch: `known` are the paths that were indexed before, `removed` the
        contents of those that are gone. A file that was opened and left out is no document."""
        for skip in batch.skipped:
            self.skip(skip.code, skip.path, skip.detail)
            if skip.path in known:
                self.changed -= 1
                self.removed += 1
            else:
                self.new -= 1
        renamed = 0
        for one in batch.documents:
            self.note(one.record.path, one.record.notes)
            if one.record.path not in known and one.record.content_hash in removed:
                removed.discard(one.record.content_hash)
                renamed += 1
        self.renamed += renamed
        self.new -= renamed
        self.removed -= renamed


async def ingest(
    opened: OpenSource, selection: Selection, spec: CollectionSpec, deps: IngestDeps
) -> IngestReport:
    """Make the collection mirror the source: add, replace and remove documents.

    A file that cannot be read is named in the report and costs only itself. Raises StoreError,
    DiskFull or IndexUnavailable; what was recorded until then stays.
    """
    started_s = time.monotonic()
    name = opened.source.name
    report = IngestReport(spec.name, name)
    records = await deps.index.documents(spec.name, name)
    deps.progress(Progress("diff", 0, len(records)))
    fingerprint = partial(deps.maker.fingerprints_of, opened)
    changes = await asyncio.to_thread(find_changes, opened, records, fingerprint)
    record = await _remembered(opened, selection, spec, deps)
    if changes.pending or changes.removed:
        await deps.index.put_source(spec.name, record)
    report.new, report.changed = changes.new, changes.changed
    report.unchanged, report.removed = changes.unchanged, len(changes.removed)
    new = {entry.path for entry in changes.pending} | {r.path for r in changes.removed}
    for known in records:
        if known.path not in new:
            report.note(known.path, known.notes)
    spec = await _write_all(opened, changes, spec, deps, report, {r.path: r for r in records})
    if changes.removed:
        await deps.index.remove(spec.name, [r.revision for r in changes.removed])
    if changes.touched:
        await deps.index.touch(spec.name, changes.touched)
    weighed = await weigh_again(spec.name, deps)
    for skip in changes.skipped:
        report.skip(skip.code, skip.path, skip.detail)
    await deps.index.put_source(
        spec.name,
        replace(
            record,
            complete=True,
            indexed_at=datetime.now(UTC).isoformat(timespec="seconds"),
            skipped=report.skipped,
            skipped_paths=tuple(report.skipped_paths[:_NAMED]),
            noted=report.noted,
            noted_paths=tuple(report.noted_paths[:_NAMED]),
        ),
    )
    if changes.pending or changes.removed or changes.touched or weighed:
        await deps.index.settle(spec.name)
    report.duration_s = time.monotonic() - started_s
    return report


async def _remembered(
    opened: OpenSource, selection: Selection, spec: CollectionSpec, deps: IngestDeps
) -> SourceRecord:
    """The record of the source, with the parts of it that were indexed before."""
    info = next(i for i in await deps.index.collections() if i.spec.name == spec.name)
    within = {opened.within}
    for known in info.sources:
        if known.source.name == opened.source.name:
            within.update(known.within)
    parts = ("",) if "" in within else tuple(sorted(within))
    return SourceRecord(opened.source, parts, selection.include, selection.exclude)


async def _write_all(
    opened: OpenSource,
    changes: Diff,
    spec: CollectionSpec,
    deps: IngestDeps,
    report: IngestReport,
    known: dict[str, DocumentRecord],
) -> CollectionSpec:
    """Three batches are under way at once: one read, one encoded, one written. The spec comes back
    with its average length, which is estimated while the first batch is encoded."""
    removed = {record.content_hash for record in changes.removed}
    batches = deps.maker.batches(opened, changes.pending, lambda: spec.average_length or _ANY)
    encoding: asyncio.Task[tuple[Prepared, ...]] | None = None
    writing: asyncio.Task[None] | None = None
    reading = asyncio.create_task(asyncio.to_thread(next, batches, None))
    try:
        while (batch := await reading) is not None:
            encoding = asyncio.create_task(_encode(batch, deps, report))
            if spec.average_length > 0:
                reading = asyncio.create_task(asyncio.to_thread(next, batches, None))
                encoded = await encoding
            else:  # what follows comes one by one: a sparse encoder need not be safe in two threads
                spec = await _with_average(opened, changes, spec, deps)
                again = partial(deps.maker.reweighed, average_length=spec.average_length)
                encoded = await asyncio.to_thread(again, await encoding)
                reading = asyncio.create_task(asyncio.to_thread(next, batches, None))
            if writing is not None:
                await writing
            writing = asyncio.create_task(_write(encoded, spec, deps, report))
            report.count(batch, known, removed)
            stale = [known[s.path].revision for s in batch.skipped if s.path in known]
            if stale:  # what was indexed under this path is not what is there now
                await deps.index.remove(spec.name, stale)
            deps.progress(
                Progress("index", batch.position, len(changes.pending), report.chunks, batch.path)
            )
        if writing is not None:
            await writing
    finally:
        for task in (reading, encoding, writing):
            if task is not None:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
    return spec


async def _encode(batch: Batch, deps: IngestDeps, report: IngestReport) -> tuple[Prepared, ...]:
    if deps.dense is None:
        return batch.documents
    started_s = time.monotonic()
    encoded = await encode(batch.documents, batch.texts, deps.dense)
    report.encode_s += time.monotonic() - started_s
    return encoded


async def _write(
    documents: tuple[Prepared, ...], spec: CollectionSpec, deps: IngestDeps, report: IngestReport
) -> None:
    for one in documents:
        await deps.index.replace(spec.name, one.record, one.points)
        report.chunks += len(one.points)
        report.tokens += one.record.tokens


async def _with_average(
    opened: OpenSource, changes: Diff, spec: CollectionSpec, deps: IngestDeps
) -> CollectionSpec:
    """A collection without an average length gets an estimate from a sample, so that no more
    than its first batch has to be weighed twice."""
    step = max(1, len(changes.pending) // _SAMPLE)
    sample = changes.pending[::step]
    lengths = await asyncio.to_thread(
        lambda: [
            point.length
            for batch in deps.maker.batches(opened, sample, lambda: _ANY)
            for document in batch.documents
            for point in document.points
        ]
    )
    mean = sum(lengths) / len(lengths) if lengths else 1.0
    spec = replace(spec, average_length=round_average(max(mean, 1.0)))
    await deps.index.create(spec)
    return spec


async def weigh_again(collection: str, deps: IngestDeps) -> bool:
    """Weigh all chunks for the average length of what is indexed now, unless they are, and count
    the terms of a collection that was made before they were counted. When this is cut off, the
    collection says that it is `mixed`, and the next run begins again. False if all was as it is to
    be."""
    info = next(i for i in await deps.index.collections() if i.spec.name == collection)
    spec, average = info.spec, average_of(info.tokens, info.chunks)
    if not spec.idf or not (spec.engine_idf or spec.mixed or average != spec.average_length):
        return False
    await deps.index.create(replace(spec, mixed=True))
    done = 0
    for record in await deps.index.documents(collection):
        chunks = await deps.index.document(collection, record.source, record.path)
        vectors = {c.id: deps.maker.weigh(c, average)[0] for c in chunks}
        await deps.index.weigh(collection, record.revision, vectors)
        done += len(chunks)
        deps.progress(Progress("weigh", done, info.chunks))
    await deps.index.create(replace(spec, average_length=average, mixed=False, counted=True))
    return True


def average_of(tokens: int, chunks: int) -> float:
    """The average length that a collection with so many tokens in its chunks is weighed with."""
    return round_average(max(tokens / chunks, 1.0)) if chunks else 0.0
