"""The write path: from sources to an index that mirrors them.

    find changes -> read -> analyse (sections, weights) -> complete (attributes, chunks)
                 -> embed -> write -> remove -> record

This module orders sources, `ingestion.batches` the steps of a batch, several at once, and
`ingestion.prepare` those of a file: `read`, `analyse` and `complete`.

Documents are recorded as soon as their batch is complete in the store, so an interrupted run
continues there. Large sources are indexed twice. The first run writes keywords only, so searches
find all documents soon. The second run adds vectors, starting with the latest changes.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Container, Sequence
from contextlib import closing
from pathlib import Path

from pincite.collection.members import members
from pincite.collection.no_documents import no_documents
from pincite.errors import PinciteError, ProviderError, SourcesMissing
from pincite.ingestion.analysis.early import reading_early
from pincite.ingestion.batches import write_all
from pincite.ingestion.deps import IngestDeps
from pincite.ingestion.describe_images import vision_of
from pincite.ingestion.open_target import open_target
from pincite.ingestion.options import IndexOptions
from pincite.ingestion.refusals import Refusals
from pincite.ingestion.report import IngestReport, Progress, count_time
from pincite.ingestion.run import Refresh, begin_run
from pincite.ingestion.run_progress import Counted
from pincite.ingestion.sources.changes import keep_unreachable, unread_commit
from pincite.ingestion.sources.left_out import record_left_out
from pincite.ingestion.sources.moved_sources import gone_sources
from pincite.ingestion.sources.open_sources import open_all, remember_refs
from pincite.ingestion.sources.scan import Looked, look, look_at_all
from pincite.ingestion.sources.source_records import names_of, record_of_source, renamed
from pincite.ingestion.target import require_target
from pincite.ingestion.tracing import watched_run
from pincite.ingestion.weigh import weigh_again, weigh_others
from pincite.model import CollectionSpec
from pincite.ports import CollectionInfo, LeasedIndex
from pincite.settings.load import Settings
from pincite.sources import OpenSource, Selection
from pincite.sources.folder import FolderSource
from pincite.sources.records import unsettle
from pincite.support.fields import replace

_TOUCHED = 1_000  # records per message; an interrupted run continues after the last one


@watched_run
async def index_sources(
    settings: Settings,
    client: LeasedIndex,
    locations: Sequence[str | Path],
    options: IndexOptions,
    progress: Callable[[Progress], None],
    refresh: Refresh | None = None,
) -> tuple[IngestReport, ...]:
    """Index the sources one after the other; see `AsyncPincite.index`. A `refresh` takes no
    locations. Raises Stopped after a batch in which its `stop` is set."""
    what = f"indexing {names_of(locations)}"
    async with (
        begin_run(settings, client, options, what, progress, refresh) as run,
        reading_early(run, locations) as early,
    ):
        started_s = time.monotonic()
        run = run.at(await client.collections())
        require_target(run, locations)
        if not run.held:
            early.begin()
        if options.rebuild:
            unsettle(settings.index, run.collection)
        gone = await gone_sources(run) if run.asked_for else ()
        needed = bool(locations or options.rebuild or options.upgrade or refresh)
        missing: dict[str, PinciteError] | None = None if needed else {}
        retry = options.retry or options.rebuild
        with (
            open_all(run, locations, gone, missing) as opened,
            closing(Refusals(settings.index, retry=retry)) as refusals,
        ):
            await remember_refs(run, opened)
            if not run.held:
                run = run.in_language(await early.language(opened))
            async with open_target(run, opened) as target:
                vision = vision_of(run)
                deps = replace(target.deps, vision=vision, early=early.files, refusals=refusals)
                reports = await ingest_all(opened, target.spec, deps)
                formerly = run.sources if run.asked_for else ()
                for former in renamed(opened, formerly, settings.sources):
                    for info in run.held:
                        await client.forget(info.spec.name, former)
                await weigh_others(target.index, target.others, deps.sparse, progress)
                count_time(reports, time.monotonic() - started_s)
        if (
            run.asked_for
            and not missing
            and not any(one.chunks or one.unchanged for one in reports)
        ):
            written = members(await client.collections(), run.collection)
            if not any(info.documents for info in written):
                options.on_notice(no_documents([run.collection]))
        if missing:
            raise SourcesMissing(missing, len(missing) + len(reports), reports)
        return reports


async def ingest_all(
    opened: Sequence[tuple[OpenSource, Selection]], spec: CollectionSpec, deps: IngestDeps
) -> tuple[IngestReport, ...]:
    """Index sources into an existing collection. The vectors of large sources come last, after
    their keywords and the other sources. Raises the errors of `ingest`."""
    infos = await deps.index.collections()
    spec = _spec_in(infos, spec.name)
    seen = await look_at_all([source for source, _ in opened], spec, deps, infos)
    pending = {number: len(looked.changes.pending) for number, looked in enumerate(seen)}
    large = [
        number
        for number, looked in enumerate(seen)
        if deps.dense is not None and looked.pending_bytes > deps.much_bytes
    ]
    counted = Counted({number: pending[number] for number in large}, deps.progress)
    first: dict[int, IngestReport] = {}
    for number in large:
        spec = _spec_in(await deps.index.collections(), spec.name)
        words = replace(deps, words_only=True, progress=counted.source(number))
        first[number] = await ingest(*opened[number], spec, words)

    left = [number for number in pending if not (deps.background and number in first)]
    left.sort(key=first.__contains__)
    counted = Counted({number: pending[number] for number in left}, deps.progress)
    names = Counter(source.source.name for source, _ in opened)
    reports = dict(first)
    for number in left:
        source, selection = opened[number]
        if reports:
            infos = await deps.index.collections()
        spec = _spec_in(infos, spec.name)
        stage = "embed" if number in first else deps.stage
        later = replace(deps, stage=stage, progress=counted.source(number))
        valid = not first and names[source.source.name] == 1  # nothing else is written there
        known = seen[number] if valid else None
        try:
            report = await ingest(source, selection, spec, later, known, infos)
        except ProviderError:
            await _words_of_rest(opened, left, first, spec, deps)
            raise
        reports[number] = first[number].embedded(report) if number in first else report
    return tuple(reports[number] for number in pending)


async def _words_of_rest(
    opened: Sequence[tuple[OpenSource, Selection]],
    left: Sequence[int],
    first: Container[int],
    spec: CollectionSpec,
    deps: IngestDeps,
) -> None:
    """Index the keywords of what has no vectors, because the model has failed. Files that are
    finished stay as they are."""
    for number in left:
        if number not in first:
            spec = _spec_in(await deps.index.collections(), spec.name)
            await ingest(*opened[number], spec, replace(deps, words_only=True))


def _spec_in(infos: Sequence[CollectionInfo], collection: str) -> CollectionSpec:
    return next(info.spec for info in infos if info.spec.name == collection)


async def ingest(
    opened: OpenSource,
    selection: Selection,
    spec: CollectionSpec,
    deps: IngestDeps,
    looked: Looked | None = None,
    infos: Sequence[CollectionInfo] = (),
) -> IngestReport:
    """Make the collection mirror the source: add, replace and remove documents. `looked` is the
    result of `look`, and `infos` are the current collections, if the caller has them already.

    The report names files that cannot be read; the others are indexed. Raises StoreError, DiskFull
    or IndexUnavailable. Documents that were recorded before an error stay.
    """
    started_s = time.monotonic()
    index, report = deps.index, IngestReport(spec.name, opened.source.name)
    infos = infos or await index.collections()
    records, changes, began_ns = looked or await look(opened, spec, deps, infos)
    if deps.careful:
        changes, notice = keep_unreachable(opened, changes, records, whole=deps.only is None)
        if notice is not None:
            deps.on_notice(notice)
    report.expect(changes, records)
    info = next(one for one in infos if one.spec.name == spec.name)
    record = record_of_source(opened, selection, info, began_ns)
    if deps.only is None and (changes.pending or changes.removed or changes.rewritten):
        await index.put_source(spec.name, record)
    await write_all(opened, changes, records, spec, deps, report)
    if changes.removed:
        await index.remove(spec.name, [gone.revision for gone in changes.removed])
    for first in range(0, len(changes.touched), _TOUCHED):
        await index.touch(spec.name, changes.touched[first : first + _TOUCHED])
    if not deps.words_only and (notice := unread_commit(opened)):
        deps.on_notice(notice)
    weighed = await weigh_again(spec.name, index, deps.sparse, deps.progress)
    if deps.only is not None and isinstance(opened, FolderSource):
        await record_left_out(index, infos, report, changes, opened.among(deps.only.paths))
    for skip in changes.skipped:
        report.skip(skip.code, skip.path, skip.detail)
    if opened.source.kind == "records" and not deps.words_only:
        indexed = await index.documents(spec.name, opened.source.name)
        await asyncio.to_thread(opened.settle, indexed)
    if deps.only is None:
        finished = report.listed if deps.words_only else report.complete
        done = finished(record, opened.within, began_ns)
        await index.put_source(spec.name, done)
    if changes.pending or changes.removed or changes.touched or weighed:
        await index.settle(spec.name)
    report.duration_s = time.monotonic() - started_s
    return report
