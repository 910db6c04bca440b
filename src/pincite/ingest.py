"""The write path: from sources to an index that mirrors them.

    find changes -> read -> analyse (sections, weights) -> complete (attributes, chunks)
                 -> embed -> write -> remove -> record

This module orders sources, `ingestion.batches` the steps of a batch, several at once, and
`ingestion.prepare` those of a file: `read`, `analyse` and `complete`.

Documents are recorded as soon as their batch is complete in the store, so an interrupted run
continues there. Large sources are indexed twice. The first run writes keywords only, which makes
everything searchable soon. The second run adds vectors, starting with the latest changes.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Container, Sequence
from contextlib import closing
from pathlib import Path

from pincite.chunkers import ChunkerConfig
from pincite.collection.members import members
from pincite.collection.no_documents import no_documents
from pincite.collection.union import UnionIndex
from pincite.encoders.by_name import Models
from pincite.encoders.sparse import sparse_of
from pincite.errors import PinciteError, ProviderError, SourcesMissing
from pincite.ingestion.analysis.early import reading_early
from pincite.ingestion.attributes.schema import known_types, settle_schema
from pincite.ingestion.batches import write_all
from pincite.ingestion.dense_model import open_dense, require_local
from pincite.ingestion.deps import IngestDeps
from pincite.ingestion.describe_images import open_vision
from pincite.ingestion.options import IndexOptions
from pincite.ingestion.refusals import Refusals
from pincite.ingestion.report import IngestReport, Progress, count_time
from pincite.ingestion.run import Refresh
from pincite.ingestion.run_progress import Counted
from pincite.ingestion.sources.changes import keep_unreachable, unread_commit
from pincite.ingestion.sources.left_out import record_left_out
from pincite.ingestion.sources.moved_sources import gone_sources
from pincite.ingestion.sources.open_sources import open_all, remember_refs
from pincite.ingestion.sources.revisions import made_with_no_other
from pincite.ingestion.sources.scan import Looked, look, look_at_all
from pincite.ingestion.sources.source_records import names_of, record_of_source, renamed
from pincite.ingestion.target import choose_target, find_base, goes_beside, of_model, settle_spec
from pincite.ingestion.tracing import watched_run
from pincite.ingestion.weigh import weigh_again, weigh_others
from pincite.model import CollectionSpec
from pincite.ports import CollectionInfo, LeasedIndex, Waiting
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
    options = replace(options, collection=options.collection or settings.indexed_collection)
    what = f"indexing {names_of(locations)} into {options.collection!r}"
    waiting = Waiting(options.wait_s, options.on_notice)
    async with (
        client.leases.take(options.collection, what, waiting),
        reading_early(settings, locations, options) as early,
    ):
        started_s = time.monotonic()
        infos = await client.collections()
        base = find_base(settings, infos, locations, options)
        if base is None:
            early.begin()
        held = members(infos, options.collection)
        options = replace(options, beside=goes_beside(settings, held, options))
        if options.rebuild:
            unsettle(settings.index, options.collection)
        known = known_types(settings.attributes, held, options)
        folder = settings.index
        ocr = settings.documents.ocr or None
        asked_for = refresh is None
        gone = await gone_sources(client, base, held) if asked_for else ()
        needed = bool(locations or options.rebuild or options.upgrade or refresh)
        missing: dict[str, PinciteError] | None = None if needed else {}
        with (
            open_all(
                locations,
                options,
                base,
                settings.sources,
                known,
                folder,
                refresh,
                ocr,
                gone,
                missing,
            ) as opened,
            closing(Refusals(folder, retry=options.retry or options.rebuild)) as refusals,
        ):
            await remember_refs(client, opened, held)
            schema = await settle_schema(settings, client, held, known, opened, options)
            async with (
                open_dense(settings, of_model(settings, held, options), options) as dense,
                open_vision(settings, asked_for=asked_for) as vision,
            ):
                if options.background and dense.name and asked_for:
                    require_local(dense.name)
                models = Models(settings)
                target = choose_target(infos, held, dense, options)
                spec = await settle_spec(
                    client, target, dense, models, options, opened, schema, progress
                )
                index = UnionIndex(client, spec.name, target.others)
                await index.share(schema.attributes, schema.require)
                deps = IngestDeps(
                    index,
                    await sparse_of(models, spec),
                    dense.encoder,
                    ChunkerConfig(),
                    dense.batch_chunks,
                    made_with_no_other if options.rebuild else index.made_with,
                    progress,
                    options.on_notice,
                    careful=not asked_for,
                    background=options.background,
                    vision=vision,
                    early=early.files,
                    refusals=refusals,
                    only=refresh.only if refresh else None,
                    stop=refresh.stop if refresh else None,
                )
                reports = await ingest_all(opened, spec, deps)
                formerly = base.sources if base and asked_for else ()
                for former in renamed(opened, formerly, settings.sources):
                    for info in held:
                        await client.forget(info.spec.name, former)
                await weigh_others(index, target.others, deps.sparse, progress)
                count_time(reports, time.monotonic() - started_s)
        if asked_for and not missing:
            written = members(await client.collections(), options.collection)
            if not any(info.documents for info in written):
                options.on_notice(no_documents([options.collection]))
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
        spec = _spec_in(await deps.index.collections(), spec.name)
        stage = "embed" if number in first else deps.stage
        later = replace(deps, stage=stage, progress=counted.source(number))
        valid = not first and names[source.source.name] == 1  # nothing else is written there
        known = seen[number] if valid else None
        try:
            report = await ingest(source, selection, spec, later, known)
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
) -> IngestReport:
    """Make the collection mirror the source: add, replace and remove documents. `looked` is the
    result of `look` if the caller has it already.

    The report names files that cannot be read; the others are indexed. Raises StoreError, DiskFull
    or IndexUnavailable. Documents that were recorded before an error stay.
    """
    started_s = time.monotonic()
    index, report = deps.index, IngestReport(spec.name, opened.source.name)
    infos = await index.collections()
    records, changes = looked or await look(opened, spec, deps, infos)
    if deps.careful:
        changes, notice = keep_unreachable(opened, changes, records, whole=deps.only is None)
        if notice is not None:
            deps.on_notice(notice)
    report.expect(changes, records)
    record = record_of_source(opened, selection, next(i for i in infos if i.spec.name == spec.name))
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
        done = finished(record, opened.within)
        await index.put_source(spec.name, done)
    if changes.pending or changes.removed or changes.touched or weighed:
        await index.settle(spec.name)
    report.duration_s = time.monotonic() - started_s
    return report
