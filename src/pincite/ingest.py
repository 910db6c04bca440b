"""The write path: from sources to an index that mirrors them. Nothing else knows its order.

    sources -> diff -> read -> chunk -> enrich -> encode -> upsert -> record

Reading and chunking of the next batch go on while one is encoded and the one before is written.
Every document is recorded as soon as it is whole in the store, so that a run that is cut off goes
on where it was.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from pincite.chunkers import ChunkerConfig
from pincite.collection.members import as_one, members, require_base
from pincite.collection.union import UnionIndex
from pincite.daemon.client import RemoteIndex
from pincite.daemon.write_turns import Waiting, turn
from pincite.encoders.by_name import Models
from pincite.encoders.sparse import sparse_of
from pincite.errors import UsageError
from pincite.ingestion.changes import find_changes
from pincite.ingestion.dense_model import open_dense
from pincite.ingestion.options import IndexOptions
from pincite.ingestion.report import IngestReport, Progress
from pincite.ingestion.sources import open_all, renamed
from pincite.ingestion.target import (
    choose_target,
    goes_beside,
    make_preparer,
    of_model,
    refuse_beside,
    settle_spec,
)
from pincite.ingestion.write import IngestDeps, weigh_again, write_all
from pincite.model import CollectionSpec, SourceRecord
from pincite.settings.load import Settings
from pincite.sources import OpenSource, Selection

_NAMED = 50  # skipped files that the catalog names


async def index_sources(
    settings: Settings,
    client: RemoteIndex,
    locations: Sequence[str | Path],
    options: IndexOptions,
    progress: Callable[[Progress], None],
) -> tuple[IngestReport, ...]:
    """Index the sources one after the other; see `AsyncPincite.index`."""
    options = replace(options, collection=options.collection or settings.indexed_collection)
    what = f"indexing {_named(locations)} into {options.collection!r}"
    waiting = Waiting(options.wait_s, options.on_notice)
    async with turn(settings.index, options.collection, what, waiting):
        return await _index(settings, client, locations, options, progress)


def _named(locations: Sequence[str | Path]) -> str:
    return ", ".join(str(Path(each).absolute()) for each in locations) or "all that it knows"


async def _index(
    settings: Settings,
    client: RemoteIndex,
    locations: Sequence[str | Path],
    options: IndexOptions,
    progress: Callable[[Progress], None],
) -> tuple[IngestReport, ...]:
    infos = await client.collections()
    require_base(infos, options.collection)
    held = members(infos, options.collection)
    configured = any(each.collection == options.collection for each in settings.sources)
    if not held and not locations and not configured:
        raise UsageError(
            f"nothing is known of collection {options.collection!r} yet",
            hint=f"pincite index PATH --collection {options.collection}",
        )
    base = as_one(held, held[-1].spec) if held else None
    if base is not None and base.broken and not options.rebuild:
        raise UsageError(base.broken, hint=f"pincite collections rebuild {options.collection}")
    options = replace(options, beside=goes_beside(settings, held, options))
    with open_all(locations, options, base, settings.sources) as opened:
        async with open_dense(settings, of_model(settings, held, options), options) as dense:
            models = Models(settings.use, settings.models, offline=settings.offline)
            target = choose_target(infos, held, dense, options)
            if target.unseen and not options.rebuild:
                refuse_beside(target.unseen, target.like.spec if target.like else None)
            spec = await settle_spec(client, target, dense, models, options, opened)
            index = UnionIndex(client, spec.name, target.others)
            kept = () if options.rebuild else spec.formerly
            preparer = make_preparer(
                ChunkerConfig(),
                await sparse_of(models, spec),
                spec,
                dense,
                lambda *key: (*kept, *(() if options.rebuild else index.made_with(*key))),
            )
            deps = IngestDeps(index, dense.encoder, preparer, progress)
            reports = await ingest_all(opened, spec, deps)
            for former in renamed(opened, base.sources if base else (), settings.sources):
                for info in held:
                    await client.forget(info.spec.name, former)
            await _leave_others(index, spec, target.others, deps)
            return reports


async def _leave_others(
    index: UnionIndex, spec: CollectionSpec, others: Sequence[CollectionSpec], deps: IngestDeps
) -> None:
    """What is left in the other members is weighed for what is left."""
    gone = await index.let_go() if others else ()
    for other in others:
        if other.name not in gone and other.sparse == spec.sparse:
            await weigh_again(other.name, deps)


async def ingest_all(
    opened: Sequence[tuple[OpenSource, Selection]], spec: CollectionSpec, deps: IngestDeps
) -> tuple[IngestReport, ...]:
    """Sources into a collection that is there, each with the average length that the one before
    has left. Raises as `ingest`."""
    reports = []
    for source, selection in opened:
        infos = await deps.index.collections()
        spec = next(info.spec for info in infos if info.spec.name == spec.name)
        reports.append(await ingest(source, selection, spec, deps))
    return tuple(reports)


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
    fingerprint = partial(deps.preparer.fingerprints_of, opened)
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
    spec = await write_all(opened, changes, spec, deps, report, {r.path: r for r in records})
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
