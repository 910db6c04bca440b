"""Catalog records of sources, and their former names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pincite.model import SourceRecord
from pincite.model.left_out import outer_parts
from pincite.ports import CollectionInfo
from pincite.settings.sections.sources import SourceConfig
from pincite.sources import OpenSource, Selection
from pincite.sources.reopening import selection_of
from pincite.support.fields import replace
from pincite.support.machine import this_machine

Opened = tuple[OpenSource, Selection]


def names_of(locations: Sequence[str | Path]) -> str:
    """Return the absolute paths of the run's sources, for messages to processes that wait."""
    return ", ".join(str(Path(each).absolute()) for each in locations) or "all that it knows"


def renamed(
    opened: Sequence[Opened], records: Sequence[SourceRecord], configured: Sequence[SourceConfig]
) -> frozenset[str]:
    """Return the old names of renamed sources. Such a source has the same place, part and selection
    as an open one, and a name that the configuration does not use."""
    kept = {each.name for each in configured} | {source.source.name for source, _ in opened}
    now = {(source.source.location, (source.within,), selection) for source, selection in opened}
    return frozenset(
        record.source.name
        for record in records
        if record.source.name not in kept
        and (record.source.location, outer_parts(record.within), selection_of(record)) in now
    )


def superseded(
    records: Sequence[SourceRecord], configured: Sequence[SourceConfig]
) -> frozenset[str]:
    """Return old names that an interrupted run has not removed. A newer record has the same
    machine, place, part, given ref and selection under another name. Names in the configuration
    stay."""
    kept = {each.name for each in configured}
    latest: dict[tuple[object, ...], SourceRecord] = {}
    for record in sorted(records, key=lambda one: (not one.complete, one.indexed_at or "")):
        source = record.source
        place = (record.machine, source.location, outer_parts(record.within))
        latest[*place, source.pinned and source.ref, selection_of(record)] = record
    newest = {record.source.name for record in latest.values()}
    return frozenset(
        record.source.name
        for record in records
        if len(outer_parts(record.within)) == 1 and record.source.name not in kept | newest
    )


def record_of_source(
    opened: OpenSource, selection: Selection, info: CollectionInfo, began_ns: int
) -> SourceRecord:
    """Return the record of a source before it is indexed: incomplete, with the parts that the
    collection has of it, and with the skipped files, remarks and times of earlier runs. A part
    without a time gets `began_ns`, in nanoseconds since 1970."""
    within = set(opened.parts)
    times = {opened.within: began_ns}
    record = SourceRecord(
        opened.source, (), selection.include, selection.exclude, compared_in=times
    )
    for known in info.sources:
        if known.source.name == opened.source.name:
            within.update(known.within)
            record = replace(
                record,
                skipped=known.skipped,
                skipped_paths=known.skipped_paths,
                skipped_in=known.skipped_in,
                noted=known.noted,
                noted_paths=known.noted_paths,
                compared_in={**times, **known.compared_in},
            )
    return replace(record, within=opened.parts_to_name(within), machine=this_machine())


def last_compared_ns(
    infos: Sequence[CollectionInfo], collection: str, opened: OpenSource
) -> int | None:
    """Return `compared_ns` of the part of a source, None for an unknown source."""
    known = (one for info in infos if info.spec.name == collection for one in info.sources)
    ours = (one for one in known if one.source.name == opened.source.name)
    return next((one.compared_ns(opened.within) for one in ours), None)
