"""Documents into the store, batch by batch, and the average length that they are weighed with."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from pincite.ingestion.changes import Diff
from pincite.ingestion.embed import encode
from pincite.ingestion.prepare import Batch, Prepared, Preparer
from pincite.ingestion.report import IngestReport, Progress
from pincite.model import CollectionSpec, DocumentRecord
from pincite.ports import DenseEncoder, Index
from pincite.providers.sparse.bm25 import round_average
from pincite.sources import OpenSource

_SAMPLE = 48  # documents that give the first estimate of the average length
_ANY = 100.0  # an average length while none is known


@dataclass(frozen=True, slots=True)
class IngestDeps:
    """What a run needs. `dense` is None for a lexical collection."""

    index: Index
    dense: DenseEncoder | None
    preparer: Preparer
    progress: Callable[[Progress], None] = lambda _: None


async def write_all(
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
    batches = deps.preparer.batches(opened, changes.pending, lambda: spec.average_length or _ANY)
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
                again = partial(deps.preparer.reweighed, average_length=spec.average_length)
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
            for batch in deps.preparer.batches(opened, sample, lambda: _ANY)
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
        vectors = {c.id: deps.preparer.weigh(c, average)[0] for c in chunks}
        await deps.index.weigh(collection, record.revision, vectors)
        done += len(chunks)
        deps.progress(Progress("weigh", done, info.chunks))
    await deps.index.create(replace(spec, average_length=average, mixed=False, counted=True))
    return True


def average_of(tokens: int, chunks: int) -> float:
    """The average length that a collection with so many tokens in its chunks is weighed with."""
    return round_average(max(tokens / chunks, 1.0)) if chunks else 0.0
