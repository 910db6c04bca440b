"""Prepare, embed and write batches of documents, several at the same time."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from pincite.chunkers.small_texts import SMALL
from pincite.ingestion.analysis.choose import open_analyser
from pincite.ingestion.attributes.schema import learn
from pincite.ingestion.batch import Prepared
from pincite.ingestion.deps import IngestDeps
from pincite.ingestion.embed import embed, embed_known
from pincite.ingestion.prepare import prepare_all
from pincite.ingestion.report import IngestReport, Progress
from pincite.ingestion.reuse import KnownVectors, count_reused, known_vectors
from pincite.ingestion.run import Stopped
from pincite.ingestion.sources.changes import Changes, unreachable
from pincite.model import CollectionSpec, DocumentRecord, IndexedDocument
from pincite.sources import OpenSource
from pincite.support.processes.thread_switching import frequent_switches

#: Batches that are being written: the store receives the next one while it writes one.
_WRITING = 2


async def write_all(
    opened: OpenSource,
    changes: Changes,
    records: Sequence[DocumentRecord],
    spec: CollectionSpec,
    deps: IngestDeps,
    report: IngestReport,
) -> CollectionSpec:
    """Index the pending files. Up to four batches are processed at once: one is prepared, one
    embedded, and two are written. Returns the spec with new types of attributes. Raises Stopped
    after a batch if the event `stop` of `deps` is set."""
    indexed = {record.path: record for record in records}
    removed = {record.content_hash for record in changes.removed}
    known = partial(known_vectors, indexed=indexed, opened=opened, spec=spec, deps=deps)
    pending, unread = changes.pending, dict[str, str]()
    if deps.stop is not None or deps.stage == "embed":  # it may end early: newest files first
        pending = tuple(sorted(pending, key=lambda entry: (-entry.mtime_ns, entry.path)))
    total_bytes = sum(entry.size for entry in pending)
    SMALL.expect(total_bytes)
    deps.progress(Progress(deps.stage, 0, len(pending)))
    with open_analyser(deps.chunker, deps.sparse, total_bytes) as analyser, frequent_switches():
        early = await deps.early(opened, spec) if pending else {}
        batches = prepare_all(opened, pending, spec, deps, analyser, early)
        embedding: asyncio.Task[tuple[Prepared, ...]] | None = None
        writing: deque[asyncio.Task[None]] = deque()
        preparing = asyncio.create_task(asyncio.to_thread(next, batches, None))
        try:
            while (batch := await preparing) is not None:
                if writing and deps.stop is not None and deps.stop.is_set():
                    await asyncio.gather(*writing)
                    raise Stopped
                embedding = asyncio.create_task(_embed(batch.documents, known, deps, report))
                preparing = asyncio.create_task(asyncio.to_thread(next, batches, None))
                embedded = await embedding
                while writing and (len(writing) == _WRITING or writing[0].done()):
                    await writing[0]
                    writing.popleft()
                spec = await learn(deps.index, spec, batch.new, deps.on_notice)
                writing.append(asyncio.create_task(_write(embedded, spec, deps, report)))
                kept = batch.unread(indexed) if deps.careful else {}
                unread.update(kept)
                report.count(batch, indexed, removed, kept)
                skipped = [one.path for one in batch.skipped if one.path not in kept]
                stale = [indexed[path].revision for path in skipped if path in indexed]
                if stale:  # their files changed and cannot be indexed now
                    await deps.index.remove(spec.name, stale)
                deps.progress(
                    Progress(deps.stage, batch.position, len(pending), report.chunks, batch.path)
                )
            while writing:
                await writing[0]
                writing.popleft()
        finally:
            left = [one for one in (preparing, embedding, *writing) if one is not None]
            for task in left:  # cancel all before waiting: the second write waits for the first
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)
    if unread:
        deps.on_notice(unreachable(opened, unread))
    return spec


async def _embed(
    documents: tuple[Prepared, ...],
    known: Callable[[Sequence[Prepared]], Awaitable[KnownVectors]],
    deps: IngestDeps,
    report: IngestReport,
) -> tuple[Prepared, ...]:
    if deps.dense is None:
        return documents
    started_s = time.monotonic()
    vectors = await known(documents)
    if deps.words_only:
        embedded = embed_known(documents, vectors)
    else:
        embedded = await embed(documents, deps.dense, vectors)
    report.encode_s += time.monotonic() - started_s
    report.reused += count_reused(documents, vectors)
    return embedded


async def _write(
    documents: tuple[Prepared, ...], spec: CollectionSpec, deps: IngestDeps, report: IngestReport
) -> None:
    await deps.index.replace(
        spec.name, [IndexedDocument(one.record, one.points) for one in documents]
    )
    report.chunks += sum(len(one.points) for one in documents)
    report.tokens += sum(one.record.tokens for one in documents)
