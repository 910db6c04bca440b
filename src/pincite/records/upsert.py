"""Write records: store them, index them, and skip unchanged ones.

    accept a batch -> keep what changed -> prepare, embed, write (as files) -> settled

A record is stored in the index folder before it is indexed. A run that is interrupted in between
leaves it pending there, and the next run begins with pending records.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any, Literal, get_args

from pincite.collection.members import as_one, require_base
from pincite.errors import DiskFull, InvalidRecord, UsageError
from pincite.ingestion.attributes.schema import learn
from pincite.ingestion.batches import write_all
from pincite.ingestion.open_target import OpenTarget, open_target
from pincite.ingestion.options import IndexOptions
from pincite.ingestion.report import Progress
from pincite.ingestion.run import IndexRun, begin_run
from pincite.ingestion.sources.changes import Changes
from pincite.ingestion.sources.revisions import fingerprints, revision_of
from pincite.ingestion.weigh import weigh_again
from pincite.model import (
    AttributeType,
    CollectionSpec,
    KeptRecord,
    Notice,
    Record,
    SourceRecord,
)
from pincite.model.records import RECORDS
from pincite.ports import CollectionInfo, LeasedIndex
from pincite.records.batches import Given, batches_of, language_of
from pincite.records.kept_texts import KeptTexts, would_add_member
from pincite.records.normalise import MOST_TITLE_CHARS, accept, place_of
from pincite.records.purge import remove_going
from pincite.records.report import MOST_NAMED, Counts, RecordFailure, UpsertProgress, UpsertReport
from pincite.settings.load import Settings
from pincite.sources import Entry
from pincite.sources.record_places import has_records, open_record_store
from pincite.sources.record_store import RecordState, RecordStore
from pincite.sources.records import RecordsSource, source_of_records
from pincite.support.arguments import require_choice, require_count
from pincite.support.counted import counted
from pincite.support.fields import replace
from pincite.support.terminal import hidden_in

BATCH = 1_000  # records; an interrupted run repeats at most this many
_MOST_AT_ONCE = 1_000_000  # a whole batch is in memory
_CUT_NAMED = 3  # records with a cut title named in the notice
OnError = Literal["report", "raise"]


@dataclass(frozen=True, slots=True)
class UpsertOptions:
    """How to write records. `index` has the collection, and the options for a new one. Duplicates
    are only found within a batch of `batch` records. With `on_error="raise"` the first invalid
    record ends the run; those before it are written."""

    index: IndexOptions = field(default_factory=IndexOptions)
    source: str = RECORDS
    batch: int = BATCH
    on_error: OnError = "report"
    progress: Callable[[UpsertProgress], None] = lambda _: None


async def upsert(
    settings: Settings,
    client: LeasedIndex,
    records: Iterable[object] | AsyncIterable[object] | Record,
    options: UpsertOptions,
) -> UpsertReport:
    """Write the records; see `AsyncPincite.upsert`. Raises UsageError for a source of another kind,
    InvalidRecord if `on_error` is "raise", and the errors of indexing; batches written before an
    error stay complete."""
    started_s = time.monotonic()
    _require_options(options)
    source = options.source
    async with aclosing(batches_of(records, options.batch)) as batches:
        first = await anext(batches, None)
        async with begin_run(settings, client, options.index, "writing records") as run:
            run = run.at(await client.collections())
            name = run.collection
            require_base(run.infos, name)
            _require_own(run.held, source)
            if first is None and not run.held:
                return UpsertReport(name, source, duration_s=time.monotonic() - started_s)
            if not run.held and run.options.language == "auto":
                chosen = replace(run.options, language=language_of(first or ()))
                run = replace(run, options=chosen)
            kept, first = await _kept_texts(run, settings, source, first, batches)
            if first is None and kept:
                took: dict[str, Any] = {**kept, "duration_s": time.monotonic() - started_s}
                return UpsertReport(name, source, **took)
            async with open_target(run) as target:
                with await asyncio.to_thread(open_record_store, settings.index) as store:
                    declared = frozenset(settings.attributes)
                    work = _Run(target.spec, target, store, options, name, declared)
                    work.totals.update(kept)
                    work.read = sum(kept.values())
                    try:
                        await work.begin(run.held)
                        await work.resume()
                        if first is not None:
                            await work.write(first)
                            async for batch in batches:
                                await work.write(batch)
                        return await work.end(started_s)
                    except DiskFull as error:
                        raise await work.out_of_room(error) from error


async def _kept_texts(
    run: IndexRun,
    settings: Settings,
    source: str,
    first: list[Given] | None,
    batches: AsyncIterator[list[Given]],
) -> tuple[dict[str, int], list[Given] | None]:
    """Write records of which only the attributes have changed, if the run would otherwise add a
    collection for nothing. Return the counts of these records for the report, and the first batch
    with others, None if there is none."""
    if first is None or not would_add_member(run) or not has_records(settings.index):
        return {}, first
    with await asyncio.to_thread(open_record_store, settings.index) as store:
        kept = KeptTexts(run, store, source)
        left: list[Given] | None = first
        while left is not None and not (left := await kept.take(left)):
            left = await anext(batches, None)
    return {"rewritten": kept.rewritten, "unchanged": kept.unchanged}, left


def _require_options(options: UpsertOptions) -> None:
    require_count("batch", options.batch, most=_MOST_AT_ONCE)
    require_choice("on_error", options.on_error, get_args(OnError))
    require_name(options.source)


def require_name(source: str) -> None:
    """Raise UsageError for an invalid name of a source of records."""
    if not isinstance(source, str) or not source.strip() or len(source) > 200:
        raise UsageError(f"{source!r} cannot name a source: use up to 200 characters")
    if hidden := hidden_in(source):
        raise UsageError(
            f"{source!r} cannot name a source: {hidden} is not allowed in it",
            hint="remove the character",
        )


def _require_own(held: Sequence[CollectionInfo], source: str) -> None:
    for info in held:
        for record in info.sources:
            if record.source.name == source and record.source.kind != "records":
                raise UsageError(
                    f"source {source!r} of {info.spec.public_name!r} does not hold records: it"
                    f" is indexed from {record.source.location}",
                    hint="give the records their own source: source=NAME or --source NAME",
                )


@dataclass
class _Run:
    """The state of one call of `upsert`."""

    spec: CollectionSpec
    target: OpenTarget
    store: RecordStore
    options: UpsertOptions
    collection: str
    declared: frozenset[str] = frozenset()  # attributes with a type in the settings
    failures: list[RecordFailure] = field(default_factory=list)
    cut_count: int = 0  # records whose title is too long
    cut: list[str] = field(default_factory=list)  # the first of their ids
    totals: dict[str, int] = field(default_factory=dict)
    read: int = 0

    def __post_init__(self) -> None:
        self.source = source_of_records(self.collection, self.options.source)
        self.opened = RecordsSource(self.source, self.store, owned=False)
        self.deps = self.target.deps

    def add(self, what: str, count: int) -> None:
        self.totals[what] = self.totals.get(what, 0) + count

    async def begin(self, held: Sequence[CollectionInfo]) -> None:
        """Make the states of stored records consistent with the index, and add the source to it."""
        name, index = self.source.name, self.deps.index
        if not held:
            self.store.unsettle(self.collection)
        elif as_one(held, held[-1].spec).lost:
            known = await index.documents(self.spec.name, name)
            await asyncio.to_thread(self.store.unsettle, self.collection, name, known)
        elif self.target.others:
            await index.documents(self.spec.name, name)  # the union learns their members
        await index.put_source(self.spec.name, SourceRecord(self.source))

    async def resume(self) -> None:
        """Finish an earlier run: remove marked records, and index pending ones."""
        specs = (self.spec, *self.target.others)
        going = (self.store, self.collection, self.source.name)
        await remove_going(self.deps.index, specs, *going)
        after, most = "", self.options.batch
        page = partial(self.store.page, self.collection, self.source.name, pending=True)
        while waiting := await asyncio.to_thread(page, after, most):
            after = waiting[-1].path
            await self._index(waiting, {one.path: (one.path, 0) for one in waiting})
            self.add("resumed", len(waiting))

    async def write(self, batch: Sequence[Given]) -> None:
        """Store and index new and changed records. Raises InvalidRecord if `on_error` is
        "raise"."""
        accepted, refused = await self._accept(batch)
        records = {record.path: record for _, record in accepted}
        places = {record.path: (record.id, position) for position, record in accepted}
        known = await asyncio.to_thread(self._states, list(records))
        changed = [
            one
            for one in records.values()
            if not (
                (state := known.get(one.path))
                and state.settled
                and self._is_same(state, one)
                and state.attributes == one.attributes
            )
        ]
        self.add("unchanged", len(records) - len(changed))
        if changed:
            name = self.source.name
            await asyncio.to_thread(self.store.put, self.collection, name, changed)
            states = await asyncio.to_thread(self._states, [one.path for one in changed])
            rewritten, left_out = await self._index(list(states.values()), places)
            self.add("rewritten", rewritten)
            self.add("written", len(changed) - rewritten - left_out)
        last = accepted[-1][1].id if accepted else ""
        self.read += len(batch)
        self._tell("write", self.read, last)
        if refused is not None:
            raise refused

    async def _accept(
        self, batch: Sequence[Given]
    ) -> tuple[list[tuple[int, KeptRecord]], InvalidRecord | None]:
        found: list[tuple[int, KeptRecord]] = []
        new: dict[str, AttributeType] = {}
        first_at: dict[str, int] = {}
        seen_in: dict[str, str] = {}
        refused: InvalidRecord | None = None
        for position, given in batch:
            try:
                types = {**self.spec.attributes, **new} if new else self.spec.attributes
                one = accept(given, position, types, self.spec.require, self.declared)
                if one.record.path in first_at:
                    raise InvalidRecord(
                        f"{place_of(given, position)} ({one.record.id!r}):"
                        f" {place_of(given, first_at[one.record.path])} has the same id and was"
                        " used",
                        code="duplicate_id",
                        id=one.record.id,
                        position=position,
                    )
            except InvalidRecord as error:
                named = (error.id, error.position, error.code, error.message, error.hint)
                self._fail(RecordFailure(*named))
                if self.options.on_error == "raise":
                    refused = error
                    break
                continue
            first_at[one.record.path] = position
            if one.title_cut:
                self.cut_count += 1
                if len(self.cut) < _CUT_NAMED:
                    self.cut.append(one.record.id)
            seen_in.update(dict.fromkeys(one.new, one.record.id))
            new |= one.new
            found.append((position, one.record))
        firsts = {name: (kind, f"record {seen_in[name]!r}") for name, kind in new.items()}
        self.spec = await learn(self.deps.index, self.spec, firsts, self.options.index.on_notice)
        return found, refused

    def _states(self, paths: Sequence[str]) -> dict[str, RecordState]:
        return self.store.states(self.collection, self.source.name, paths)

    def _is_same(self, state: RecordState, record: KeptRecord) -> bool:
        same = (state.content_hash, state.shape) == (record.content_hash, record.shape)
        return same and self._is_current(state)

    def _is_current(self, state: RecordState) -> bool:
        """Return whether the chunks in the index are still those of the record, except for
        attributes."""
        if state.indexed is None:
            return False
        others = self.deps.made_with(self.source.name, state.path)
        key = (self.source.name, state.path, state.content_hash)
        ways = fingerprints(self.spec, (state.shape,), others)
        return any(revision_of(*key, way) == state.indexed.revision for way in ways)

    async def _index(
        self, states: Sequence[RecordState], places: Mapping[str, tuple[str, int]]
    ) -> tuple[int, int]:
        """Index these records. Return how many were rewritten because only their attributes
        changed, and how many were left out."""
        touched = [
            replace(one.indexed, attributes=one.attributes)
            for one in states
            if one.indexed is not None and self._is_current(one)
        ]
        same = {one.path for one in touched}
        pending = [Entry(s.path, s.size, s.stamp) for s in states if s.path not in same]
        counts = Counts(self.spec.name, self.source.name)
        if pending:
            known = [one.indexed for one in states if one.indexed is not None]
            changes = Changes(tuple(pending), (), (), ())
            self.spec = await write_all(self.opened, changes, known, self.spec, self.deps, counts)
        if touched:
            await self.deps.index.touch(self.spec.name, touched)
        done = [*counts.written, *touched]
        await asyncio.to_thread(self.store.settle, self.collection, done)
        self.add("chunks", counts.chunks)
        for path, code, detail in counts.left_out:
            self._fail(RecordFailure(*places[path], code, detail))
        return len(touched), len(counts.left_out)

    async def out_of_room(self, error: DiskFull) -> DiskFull:
        """Return the error for a full disk; it mentions stored records that are not indexed yet."""
        page = partial(self.store.page, self.collection, self.source.name, pending=True)
        if not await asyncio.to_thread(page, "", 1):
            return error
        return DiskFull(
            f"{error.message}; the records that were read last are stored, and the next"
            " `pincite index` indexes them",
            hint="make room on that disk, then run the same command again; for the stored records"
            f" alone: pincite index -c {self.collection}",
        )

    def _fail(self, failure: RecordFailure) -> None:
        self.add("failed_count", 1)
        if len(self.failures) < MOST_NAMED:
            self.failures.append(failure)

    def _tell(self, stage: str, done: int, id_: str = "", total: int = 0) -> None:
        failed, chunks = self.totals.get("failed_count", 0), self.totals.get("chunks", 0)
        self.options.progress(UpsertProgress(stage, done, failed, chunks, id_, total))

    async def end(self, started_s: float) -> UpsertReport:
        """Weigh the chunks again, mark the source as complete, and flush everything to the disk."""
        index, name = self.deps.index, self.spec.name

        def weighing(progress: Progress) -> None:
            self._tell("weigh", progress.done, total=progress.total)

        await weigh_again(name, index, self.deps.sparse, weighing)
        now = datetime.now(UTC).isoformat(timespec="seconds")
        await index.put_source(name, SourceRecord(self.source, indexed_at=now, complete=True))
        await index.settle(name)
        await asyncio.to_thread(self.store.flush)
        if self.cut:
            self.options.index.on_notice(_title_cut(self.cut_count, self.cut))
        found: dict[str, Any] = dict(self.totals)
        return UpsertReport(
            self.collection,
            self.source.name,
            failed=tuple(self.failures),
            duration_s=time.monotonic() - started_s,
            **found,
        )


def _title_cut(count: int, ids: Sequence[str]) -> Notice:
    named = ", ".join(repr(one[:60]) for one in ids)
    said = f"the title is cut to {MOST_TITLE_CHARS:,} characters in {counted(count, 'record')}"
    return Notice("title_cut", f"{said}: {named}{', ...' if count > len(ids) else ''}")
