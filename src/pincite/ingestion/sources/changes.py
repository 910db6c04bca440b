"""Find the changes of a source since it was last indexed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from pincite.errors import SourceError
from pincite.ingestion.attributes.of_files import described_again
from pincite.ingestion.sources.revisions import MadeWith, fingerprints_of, revision_of, stamp
from pincite.model import CollectionSpec, DocumentRecord, Notice
from pincite.model.left_out import lies_in
from pincite.model.revisions import short_ref
from pincite.readers import content_hash_of, extracted_suffix
from pincite.readers.extraction.extractors import is_missing
from pincite.sources import Entry, OpenSource, Skipped
from pincite.sources.entries import within_any
from pincite.support.counted import counted
from pincite.support.fields import replace

EMPTY: Final = "no longer has any files"
UNREACHABLE: Final = "kept_unreadable"  #: code of the notice of `unreachable`
FOREGROUND: Final = "pincite index"


class Changes(msgspec.Struct, frozen=True):
    """The changes of a source. `pending` are the files that must be indexed, in the order of paths.
    `touched` are new records of documents with the same chunks, but another ref, size, time stamp
    or attributes; `rewritten` counts those with other attributes."""

    pending: tuple[Entry, ...]
    touched: tuple[DocumentRecord, ...]
    removed: tuple[DocumentRecord, ...]
    skipped: tuple[Skipped, ...]
    new: int = 0
    changed: int = 0
    unchanged: int = 0
    rewritten: int = 0


def find_changes(
    opened: OpenSource,
    records: Sequence[DocumentRecord],
    spec: CollectionSpec,
    made_with: MadeWith,
    clock_ns: Callable[[], int] = time.time_ns,
    entries: Iterable[Entry | Skipped] | None = None,
    since_ns: int | None = None,
) -> Changes:
    """Compare a source with its records in a collection. A file is read only if its size or time
    differ, if the file or its metadata changed at or after `since_ns` (`SourceRecord.compared_ns`),
    or if a page includes it. `entries` and `records` may cover only a part of the source; without
    `entries`, all are compared. Times are in nanoseconds since 1970."""
    known = {record.path: record for record in records}
    pending, touched, skipped = [], [], []
    new = changed = unchanged = 0
    gone = dict(known)
    for entry in opened.entries() if entries is None else entries:
        if isinstance(entry, Skipped):
            skipped.append(entry)
            continue
        record = known.get(entry.path)
        if record is None:
            new += 1
            pending.append(entry)
            continue
        gone.pop(entry.path, None)
        suspect = since_ns is not None and entry.changed_ns >= since_ns
        fresh = _refreshed(opened, entry, record, spec, made_with, clock_ns(), suspect=suspect)
        if fresh is None:
            changed += 1
            pending.append(entry)
        else:
            unchanged += 1
            if fresh != record:
                touched.append(fresh)
    removed = tuple(r for r in gone.values() if lies_in(r.path, opened.within))
    for record in gone.values():  # documents of other parts get the source's attributes, too
        elsewhere = not lies_in(record.path, opened.within)
        if elsewhere and (fresh := described_again(record, opened.source, spec)) != record:
            touched += [fresh] if fresh else []
    return Changes(
        *(tuple(pending), tuple(touched), removed, tuple(skipped), new, changed, unchanged),
        rewritten=sum(_is_rewritten(known[fresh.path], fresh) for fresh in touched),
    )


class Emptied(SourceError):
    """All documents of a source have disappeared before a run that no user has requested: its disk
    may be unmounted."""


def keep_unreachable(
    opened: OpenSource, changes: Changes, records: Sequence[DocumentRecord], *, whole: bool = True
) -> tuple[Changes, Notice | None]:
    """Return the changes for a run that no user has requested: without the removal of files that
    cannot be read, or are in folders that cannot be read, and with a notice about these, or None.
    Raises Emptied if all documents would be removed and the records are those of the `whole`
    source."""
    unreadable = {skip.path: skip.detail for skip in changes.skipped if skip.cannot_be_read}
    kept: dict[str, None] = {}
    removed = []
    for record in changes.removed:
        place = within_any(record.path, unreadable)
        if place is None:
            removed.append(record)
        else:
            kept[place] = None
    ours = [record for record in records if lies_in(record.path, opened.within)]
    if whole and ours and len(removed) == len(ours) and not changes.pending:
        at = Path(opened.source.location, opened.within)
        raise Emptied(f"{at} {EMPTY}", hint=f"to remove its documents: {FOREGROUND}")
    if not kept:
        return changes, None
    notice = unreachable(opened, {place: unreadable[place] for place in kept})
    return replace(changes, removed=tuple(removed)), notice


def unreachable(opened: OpenSource, places: Mapping[str, str]) -> Notice:
    """Return the notice that these files and folders cannot be read and stay in the index. `places`
    has the reasons by path."""
    first, more = next(iter(places)), len(places) - 1
    said = f"{first or opened.source.location} of {opened.source.name} cannot be read"
    also = f", nor can {counted(more, 'other place')}" if more else ""
    to_do = f"make it readable, or to remove its documents: {FOREGROUND}"
    kept = "the text read before stays in the index"
    return Notice(UNREACHABLE, f"{said}: {places[first]}{also}; {kept} (try: {to_do})")


def unread_commit(opened: OpenSource) -> Notice | None:
    """Return the notice that a commit cannot be read, so that files cannot be compared with it;
    None if there is no such commit."""
    if (commit := opened.unread_commit) is None:
        return None
    said = f"commit {short_ref(commit)} of {opened.source.name} cannot be read: new and changed"
    cited = "files are cited by their content, others by an earlier commit"
    to_do = "install git, fetch the commit or repair the repository, then: pincite index"
    return Notice("commit_unread", f"{said} {cited} (try: {to_do})")


def _is_rewritten(record: DocumentRecord, fresh: DocumentRecord) -> bool:
    return record.all_attributes != fresh.all_attributes


def _waits_for_extractor(opened: OpenSource, path: str) -> bool:
    """Return whether a file needs an extractor that is not installed here. If its content is the
    same, its document stays in the index."""
    suffix = extracted_suffix(path)
    return (
        bool(suffix)
        and opened.source.kind != "records"
        and is_missing(suffix, ocr=opened.source.ocr)
    )


def _refreshed(
    opened: OpenSource,
    entry: Entry,
    record: DocumentRecord,
    spec: CollectionSpec,
    made_with: MadeWith,
    now_ns: int,
    *,
    suspect: bool,
) -> DocumentRecord | None:
    """Return the updated record, or None if the document must be indexed again. A `suspect` file
    is read even if its size and time are the same."""
    mtime_ns = record.mtime_ns
    content_hash, raw = record.content_hash, None
    if suspect or (entry.size, entry.mtime_ns) != (record.size, record.mtime_ns):
        try:
            raw = opened.read(entry)
        except SourceError:
            return None  # indexing reports the reason
        content_hash = content_hash_of(raw)
        mtime_ns = stamp(entry, now_ns)
    if content_hash == record.content_hash and _waits_for_extractor(opened, entry.path):
        return replace(record, size=entry.size, mtime_ns=mtime_ns)
    ways = fingerprints_of(opened, entry.path, record.includes, spec, made_with)
    key = (record.source, record.path, content_hash)
    if all(revision_of(*key, made) != record.revision for made in ways):
        return None
    same = content_hash == record.content_hash and opened.keeps(record.ref)
    ref = record.ref if same else opened.ref_for(entry, content_hash, raw)
    fresh = replace(record, ref=ref, size=entry.size, mtime_ns=mtime_ns)
    given = opened.attributes_of(entry.path)
    if given is not None:
        return replace(fresh, attributes=given)
    return described_again(fresh, opened.source, spec)
