"""What has changed in a source since it was last indexed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b

from pincite.errors import SourceError
from pincite.model import DocumentRecord
from pincite.readers import content_hash_of
from pincite.sources import Entry, OpenSource, Skipped

#: A file that changed less than this before it was read may change again without a new time stamp.
RACY_NS = 2_000_000_000

#: From a path and `DocumentRecord.includes` to what names everything but the content that makes the
#: document's points what they are; several where documents that are made in any of these ways stay.
Fingerprint = Callable[[str, str], Iterable[str]]


def revision_of(source: str, path: str, content_hash: str, fingerprint: str) -> str:
    """32 hex digits, unique to the document, its content and what the index is made with."""
    parts = (source, path, content_hash, fingerprint)
    digest = blake2b(digest_size=16)
    for part in parts:
        digest.update(part.encode(errors="surrogateescape") + b"\0")
    return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class Diff:
    """`pending` are the files that must be indexed, in order of path. `touched` are records whose
    content is the same but whose revision label or time stamp is not. `renamed` maps new paths to
    old ones of the same content."""

    pending: tuple[Entry, ...]
    touched: tuple[DocumentRecord, ...]
    removed: tuple[DocumentRecord, ...]
    skipped: tuple[Skipped, ...]
    new: int = 0
    changed: int = 0
    unchanged: int = 0
    renamed: Mapping[str, str] | None = None


def stamp(entry: Entry, now_ns: int) -> int:
    """The time stamp to remember: 0, which matches nothing, for a file that is still warm."""
    return 0 if abs(now_ns - entry.mtime_ns) < RACY_NS else entry.mtime_ns


def find_changes(
    opened: OpenSource,
    records: Sequence[DocumentRecord],
    fingerprint: Fingerprint,
    clock_ns: Callable[[], int] = time.time_ns,
) -> Diff:
    """Compare a source with its records. Files are read only where size or time differ, and where
    pages show them."""
    known = {record.path: record for record in records}
    pending, touched, skipped = [], [], []
    new = changed = unchanged = 0
    gone = dict(known)
    for entry in opened.entries():
        if isinstance(entry, Skipped):
            skipped.append(entry)
            continue
        record = known.get(entry.path)
        if record is None:
            new += 1
            pending.append(entry)
            continue
        gone.pop(entry.path, None)
        fresh = _refreshed(opened, entry, record, fingerprint, clock_ns())
        if fresh is None:
            changed += 1
            pending.append(entry)
        else:
            unchanged += 1
            if fresh != record:
                touched.append(fresh)
    removed = tuple(r for r in gone.values() if r.path.startswith(opened.within))
    return Diff(tuple(pending), tuple(touched), removed, tuple(skipped), new, changed, unchanged)


def _refreshed(
    opened: OpenSource, entry: Entry, record: DocumentRecord, fingerprint: Fingerprint, now_ns: int
) -> DocumentRecord | None:
    """The record as it should be, or None if the document must be indexed again."""
    mtime_ns = record.mtime_ns
    content_hash, raw = record.content_hash, None
    if (entry.size, entry.mtime_ns) != (record.size, record.mtime_ns):
        try:
            raw = opened.read(entry)
        except SourceError:
            return None  # indexing will say why
        content_hash = content_hash_of(raw)
        mtime_ns = stamp(entry, now_ns)
    ways = fingerprint(entry.path, record.includes)
    key = (record.source, record.path, content_hash)
    if all(revision_of(*key, made) != record.revision for made in ways):
        return None
    same = content_hash == record.content_hash and opened.keeps(record.ref)
    ref = record.ref if same else opened.ref_for(entry, content_hash, raw)
    return replace(record, ref=ref, size=entry.size, mtime_ns=mtime_ns)
