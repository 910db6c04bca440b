"""Status of an index: collections, sources, counts, errors."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pincite.collection.members import hidden, visible
from pincite.daemon.client.open_index import is_shared
from pincite.daemon.file_leases import FileLeases
from pincite.daemon.refresh.freshness import Condition
from pincite.daemon.server.read_only import may_write
from pincite.diagnostics.freshness import anonymous, freshness_lines
from pincite.encoders.by_name import rung_of
from pincite.errors import StoreError
from pincite.ingestion.target import knows_other_language
from pincite.model import Attributes, CollectionSpec, SourceRecord
from pincite.model.attributes import values_of
from pincite.ports import CollectionInfo
from pincite.settings.file.layers import layer_of
from pincite.settings.sections.models import BUNDLED, MULTILINGUAL
from pincite.settings.sections.workspace import WORKSPACES_FILE
from pincite.sources.file_type_patterns import how_to_include
from pincite.sources.ignore_files import how_to_trust
from pincite.sources.record_places import unfinished_records
from pincite.sources.record_store import RecordCounts
from pincite.support.counted import counted
from pincite.support.fields import replace
from pincite.support.terminal import one_line

if TYPE_CHECKING:
    from pincite.engine import AsyncPincite
    from pincite.settings.load import Settings


_UNKNOWN = Condition(0.0)
_SHARED = "on servers, for several machines"
_SEMANTIC = "semantic and keyword search"
_KEYWORDS = "keyword search only"


@dataclass(frozen=True, slots=True)
class Status:
    """The state of an index folder and its collections, with advice to fix or improve them.
    Collections in `kept_back` have neither sources nor counts here, as these are of all tenants.
    `condition` is the memory of the daemon and the freshness of the index, `refresh` is "auto" if
    it updates itself, `writing` describes what other processes write now. An index of several
    machines is `shared`: it is in no folder and has no daemon. `unlogged_users`: it has workspaces
    whose questions are not logged. `records` has the counts of collections whose
    records are not all indexed."""

    index: str
    daemon_pid: int
    version: str
    rung: str
    collections: tuple[CollectionInfo, ...]
    advice: tuple[str, ...]
    store: str = "edge"
    logging: bool = True
    unlogged_users: bool = False
    only_read: str = ""
    kept_back: tuple[str, ...] = ()
    condition: Condition = _UNKNOWN
    refresh: str = "manual"
    writing: tuple[str, ...] = ()
    shared: bool = False
    records: Mapping[str, RecordCounts] = field(default_factory=dict)


async def status(engine: AsyncPincite) -> Status:
    """Return the status, with the daemon's condition. Raises IndexNotFound."""
    client = engine.client()
    identity = await client.hello()
    condition = await client.condition()
    infos = await engine.collections()
    writing = FileLeases(engine.settings.index).holders()
    at_it = condition.freshness.indexing or bool(writing)  # it continues an interrupted run
    advice = []
    try:
        records = await asyncio.to_thread(unfinished_records, engine.settings.index)
    except StoreError as error:
        records = {}
        advice.append(error.line)
    for info in infos:
        name = info.spec.public_name
        if info.spec.pending:
            to = info.spec.model or BUNDLED
            advice.append(f"{info.spec.name} is not complete: pincite reembed {name} --to {to}")
            continue
        if info.foreign:
            if info.broken:
                advice.append(f"{info.broken} (see [collections.{name}] in pincite.toml)")
            continue
        if info.broken:
            advice.append(f"{name} is damaged: pincite collections rebuild {name}")
        elif info.lost:
            advice.append(f"{name} lost {counted(info.lost, 'document')} in a crash: pincite index")
        elif any(not record.complete for record in info.sources) and not at_it:
            advice.append(f"{name}: an indexing run was cut off: pincite index -c {name}")
        elif not info.documents and not at_it:
            advice.append(f"{name} has no documents: pincite index PATH -c {name}")
        if info.spec.dense is None:
            said = f"{name} has {_KEYWORDS}; to add semantic search"
            advice.append(f"{said}: pincite index --upgrade -c {name}")
        elif knows_other_language(info.spec):
            said = f"{name} seems to be {info.spec.language}, but its model is for English"
            advice.append(f"{said}: pincite reembed {name} --to {MULTILINGUAL}")
    rungs = sorted({rung_of(info.spec.model) for info in visible(infos) if info.spec.dense})
    rung = "+".join(rungs) or "lexical"
    shared = is_shared(engine.settings)
    index = _SHARED if shared else str(engine.settings.index)
    return Status(
        *(index, identity.pid, identity.version, rung, infos, tuple(advice)),
        logging=engine.settings.log.enabled and may_write(engine.settings.index),
        unlogged_users=_has_unlogged_users(engine.settings),
        store=engine.settings.store.place,
        only_read=identity.only_read,
        condition=replace(condition, freshness=replace(condition.freshness, changes=())),
        refresh="auto" if engine.settings.refresh.auto else "manual",
        writing=tuple(one.sentence for one in writing),
        shared=shared,
        records=records,
    )


def kept_back(found: Status, *, all_: bool = False) -> Status:
    """Return the status for somebody who may know of one tenant alone. Collections that require
    tags, or all with `all_`, lose their sources, counts and the advice from these."""
    names = {info.spec.name for info in found.collections if all_ or info.spec.require}
    if not names:
        return found
    infos = tuple(
        without_contents(info) if info.spec.name in names else info for info in found.collections
    )
    kept = tuple(sorted(names))
    condition = replace(found.condition, freshness=anonymous(found.condition.freshness))
    hidden_now = replace(found, advice=(), writing=(), condition=condition)
    records = {name: counts for name, counts in found.records.items() if name not in names}
    return replace(hidden_now, collections=infos, kept_back=kept, records=records)


def without_contents(info: CollectionInfo) -> CollectionInfo:
    """Return the information on a collection without its contents."""
    return CollectionInfo(
        replace(info.spec, average_length=0.0),
        (),
        0,
        0,
        0,
        foreign=info.foreign,
        broken=info.broken,
    )


def standing(spec: CollectionSpec, unseen: Collection[str]) -> str:
    """Return words for a collection that is a part of another, being filled, or replaced; "" for
    others."""
    of = f", a part of {spec.public_name}" if spec.base else ""
    if spec.pending:
        return f"{of}, being filled"
    return f"{of}, replaced" if spec.name in unseen else of


def foreign_lines(info: CollectionInfo) -> list[str]:
    """Return the lines for a collection of another program."""
    spec = info.spec
    points = "cannot be searched" if info.broken else counted(info.chunks, "point")
    return [
        "",
        f"collection {spec.name}: {points}, {info.foreign}, made by another program, read-only",
        f"  dense   {spec.model or spec.dense}",
        f"  sparse  {spec.sparse_model or 'none: semantic search only'}",
    ]


def _values(attributes: Attributes) -> str:
    """Return attributes in the form of `--set`, with long values cut."""
    given = ((name, one) for name, value in attributes.items() for one in values_of(value))
    return ", ".join(
        f"{name}={text[:60]}{'...' * (len(text) > 60)}"
        for name, one in given
        if (text := str(one).lower() if isinstance(one, bool) else str(one))
    )


def _has_unlogged_users(settings: Settings) -> bool:
    """Return whether the index has workspaces, whose questions no setting asks to log."""
    asked = layer_of(settings.layers, ("log", "enabled")) is not None
    there = bool(settings.workspace.database) or (settings.index / WORKSPACES_FILE).exists()
    return there and not asked


def _log_words(found: Status) -> str:
    if not found.logging:
        return "off"
    if found.unlogged_users:
        return "of searches with commands, in the index folder; none of workspaces"
    return "of searches, in the index folder"


def status_table(found: Status) -> str:
    """Return a status as lines of text."""
    lines = [
        f"index    {one_line(found.index)}",
        (
            f"daemon   none, version {found.version}"
            if found.shared
            else f"daemon   process {found.daemon_pid}, version {found.version}"
        ),
        f"search   {_searches(found.rung)}",
        f"store    {found.store}",
        f"log      {_log_words(found)}",
    ]
    lines += freshness_lines(found.condition, found.refresh)
    if found.only_read:
        lines.append(f"writes   none: {found.only_read}")
    lines += [f"writing  {one_line(one)}" for one in found.writing]
    unseen = hidden(found.collections)
    at_it = found.condition.freshness.indexing or bool(found.writing)
    for info in found.collections:
        if info.foreign:
            lines += foreign_lines(info)
        elif info.spec.name in found.kept_back:
            lines += _kept_back_lines(info.spec)
        else:
            counts = found.records.get(info.spec.public_name)
            lines += _collection_lines(info, unseen, at_it, counts)
    if found.advice:
        lines += ["", *(f"try: {advice}" for advice in found.advice)]
    return "\n".join(lines)


def _searches(rung: str) -> str:
    return _KEYWORDS if rung == "lexical" else f"{_SEMANTIC}, {rung}"


def _kept_back_lines(spec: CollectionSpec) -> list[str]:
    how = _SEMANTIC if spec.dense else _KEYWORDS
    lines = ["", f"collection {spec.name}: {how}; its contents are not shown"]
    if spec.require:
        lines.append(f"  require     {one_line(', '.join(spec.require))}")
    return lines


def _collection_lines(
    info: CollectionInfo, unseen: Collection[str], at_it: bool, counts: RecordCounts | None
) -> list[str]:
    spec = info.spec
    lines = [
        "",
        f"collection {spec.name}: {counted(info.documents, info.noun)},"
        f" {counted(info.chunks, 'chunk')},"
        f" {info.bytes / 1e6:.1f} MB{', optimising' if info.optimising else ''}"
        f"{standing(spec, unseen)}",
        f"  dense   {spec.dense or 'none'}{f', opened as {spec.model}' if spec.model else ''}",
        f"  sparse  {spec.sparse}, average length {spec.average_length:.0f} tokens"
        f"{', scores depend on removed documents until it is indexed again' * spec.engine_idf}",
    ]
    if counts is not None:
        only_records = info.noun == "record"  # their number is right during a batch, too
        indexed = info.documents if only_records else counts.stored - counts.pending
        if indexed < counts.stored:
            more = "" if at_it else f": pincite index -c {spec.public_name}"
            lines.append(f"  records {indexed:,} of {counts.stored:,} are indexed{more}")
    if info.unembedded:
        done = f"{info.embedded_share:.0%} of {info.chunks:,} chunks are encoded"
        more = "" if at_it else ": pincite index"
        lines.append(f"  vectors {done}; the others are found by keyword search{more}")
    if spec.attributes:
        types = ", ".join(f"{name} {kind}" for name, kind in sorted(spec.attributes.items()))
        lines.append(f"  attributes  {one_line(types)}")
    if spec.require:
        lines.append(f"  require     {one_line(', '.join(spec.require))}")
    for record in info.sources:
        lines += _source_lines(record, at_it)
    return lines


def _source_lines(record: SourceRecord, at_it: bool) -> list[str]:
    source = record.source
    unfinished = "being indexed" if at_it else "incomplete"
    state = f"indexed {record.indexed_at}" if record.complete else unfinished
    ref = f"@{source.ref[:12]}" if source.ref else ""
    lines = [
        f"  source  {one_line(source.name)}{ref} ({source.kind}), {state}",
        f"          {one_line(source.location)}",
    ]
    for title, patterns in (("include", record.include), ("exclude", record.exclude)):
        if patterns:
            lines.append(f"          {title}: {one_line(', '.join(patterns))}")
    if source.file_types:
        lines.append(f"          file types: {one_line(', '.join(source.file_types))}")
    if source.attributes:
        lines.append(f"          attributes: {one_line(_values(source.attributes))}")
    if not source.front_matter:
        lines.append("          front matter gives no attributes")
    if source.ocr:
        lines.append("          pages that are pictures are read by OCR")
    for title, codes, named in (
        ("left out", record.skipped, record.skipped_paths),
        ("noted", record.noted, record.noted_paths),
    ):
        if codes:
            counts = ", ".join(f"{n} {code}" for code, n in sorted(codes.items()))
            lines.append(f"          {title}: {counts}")
            lines += [f"            {one_line(one)}" for one in named[:10]]
        hows = (how_to_include(named), how_to_trust(named)) if title == "left out" else ()
        lines += [f"          {one_line(how)}" for how in hows if how]
    return lines
