"""Delete records by id or by filter.

Records are first marked in one step. From then on they are not read any more, and the next run
finishes an interrupted deletion.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pincite.collection.members import members, require_base
from pincite.collection.union import UnionIndex
from pincite.encoders.by_name import Models
from pincite.encoders.sparse import sparse_of
from pincite.errors import UsageError
from pincite.ingestion.attributes.normalise import normalise
from pincite.ingestion.weigh import weigh_again
from pincite.model import CollectionSpec, Scope
from pincite.model.records import RECORDS
from pincite.ports import CollectionInfo, LeasedIndex, Waiting
from pincite.records.normalise import id_of, path_of
from pincite.records.purge import remove_going
from pincite.records.report import MOST_NAMED, DeleteReport
from pincite.records.upsert import require_name
from pincite.scope.filter import check_scope_of, given_filter
from pincite.settings.load import Settings
from pincite.sources.record_filter import sql_of
from pincite.sources.record_places import has_records, open_record_store
from pincite.sources.record_store import RecordStore

_AT_ONCE = 1_000  # ids that are looked up in one step


@dataclass(frozen=True, slots=True)
class Chosen:
    """The records to delete from a source: those of the `ids`, or those that match the filter
    `where`; of these, only the ones with the `tags`."""

    collection: str
    source: str = RECORDS
    ids: Sequence[str | int] | None = None
    where: str = ""
    tags: Mapping[str, object] = field(default_factory=dict)


async def delete(
    settings: Settings, client: LeasedIndex, models: Models, chosen: Chosen, waiting: Waiting
) -> DeleteReport:
    """Delete the records; see `AsyncPincite.delete`. Raises UsageError, TagsRequired, StoreError,
    and IndexUnavailable if others write to the collection for too long."""
    started_s = time.monotonic()
    name, source = chosen.collection, chosen.source
    _require_choice(chosen)
    what = f"deleting records from {name!r}"
    held = _require_source(await client.collections(), chosen)
    async with client.leases.take(name, what, waiting):
        held = _require_source(await client.collections(), chosen)
        target, *others = reversed([info.spec for info in held])
        index = UnionIndex(client, target.name, tuple(others))
        missing: list[str] = []
        with await asyncio.to_thread(open_record_store, settings.index) as store:
            found = await asyncio.to_thread(_conditions, target, chosen, store, missing)
            for one in found:
                await asyncio.to_thread(store.mark, name, source, *one)
            specs = (target, *others)
            deleted = await remove_going(index, specs, store, name, source)
            if deleted:
                for spec in specs:
                    if spec.idf:
                        await weigh_again(spec.name, index, await sparse_of(models, spec))
                await index.settle(target.name)
            await asyncio.to_thread(store.flush)
    return DeleteReport(
        *(name, source, deleted, tuple(missing[:MOST_NAMED]), len(missing)),
        duration_s=time.monotonic() - started_s,
    )


async def count(settings: Settings, client: LeasedIndex, chosen: Chosen) -> int:
    """Return how many records `delete` would delete; without ids and filter, how many there are.
    Raises the same errors."""
    if chosen.ids is not None:
        _require_choice(chosen)
    held = _require_source(await client.collections(), chosen)
    if not has_records(settings.index):
        return 0
    return await asyncio.to_thread(_count, settings, held[-1].spec, chosen)


def _count(settings: Settings, spec: CollectionSpec, chosen: Chosen) -> int:
    with open_record_store(settings.index) as store:
        found = _conditions(spec, chosen, store, [])
        return sum(store.matching(chosen.collection, chosen.source, *one) for one in found)


def _require_choice(chosen: Chosen) -> None:
    """Raise UsageError unless either ids or a filter is given."""
    if (chosen.ids is None) == (not chosen.where.strip()):
        given = "both ids and a filter" if chosen.ids is not None else "neither ids nor a filter"
        raise UsageError(
            f"records to delete are given by {given}",
            hint="ids=['a17'], or where=\"course = 'ml'\"; a whole source: pincite collections"
            " forget SOURCE",
        )


def _require_source(infos: Sequence[CollectionInfo], chosen: Chosen) -> tuple[CollectionInfo, ...]:
    """Return the members of the collection. Raises UsageError unless it has this source of
    records."""
    require_name(chosen.source)
    require_base(infos, chosen.collection)
    held = members(infos, chosen.collection)
    if not held:
        called = sorted({info.spec.public_name for info in infos})
        raise UsageError(
            f"no collection is named {chosen.collection!r}; known collections:"
            f" {', '.join(called) or 'none'}",
            hint="pincite collections",
        )
    ours = {r.source.name for i in held for r in i.sources if r.source.kind == "records"}
    if chosen.source not in ours:
        raise UsageError(
            f"{chosen.collection!r} has no source of records {chosen.source!r}; known sources:"
            f" {', '.join(sorted(ours)) or 'none'}",
            hint="name it with source=NAME or --source NAME",
        )
    return held


def _conditions(
    spec: CollectionSpec, chosen: Chosen, store: RecordStore, missing: list[str]
) -> list[tuple[str, Sequence[object], Sequence[str] | None]]:
    """Return the conditions of the records in SQL: condition, values, and the paths, None for all.
    Unknown ids are added to `missing`. Raises UsageError, TagsRequired."""
    asked: Any = {k: tuple(v) if isinstance(v, list) else v for k, v in chosen.tags.items()}
    scope = Scope(where=chosen.where, tags=asked)
    given = given_filter(scope, check_scope_of([spec], scope))
    condition, values = sql_of(given, spec.attributes)
    if chosen.ids is None:
        return [(condition, values, None)]
    tags = normalise(chosen.tags, spec.attributes, "tags").values
    found: list[tuple[str, Sequence[object], Sequence[str] | None]] = []
    wanted = {path_of(id_of(one), spec.require, tags): str(one) for one in chosen.ids}
    paths = list(wanted)
    for start in range(0, len(paths), _AT_ONCE):
        some = paths[start : start + _AT_ONCE]
        there = store.states(chosen.collection, chosen.source, some)
        missing += [wanted[path] for path in some if path not in there]
        if there:
            found.append((condition, values, tuple(there)))
    return found
