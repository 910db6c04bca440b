"""Look at a source on disk by size and time only, to find out whether it may have changed.

The only files that are read are ignore files, and files whose time is inconclusive: those that
changed within two seconds before they were indexed, and the last of those that changed since the
source was indexed though their time is the same. The daemon limits the duration of a look; the
indexing process looks at everything.
"""

from __future__ import annotations

import heapq
import os
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final, Literal

from pincite.daemon.refresh.left_out import Listed
from pincite.errors import SourceError
from pincite.model import DocumentRecord, Source, SourceRecord
from pincite.model.left_out import lies_in, outer_parts
from pincite.readers import content_hash_of, may_be_read
from pincite.readers.given_types import given_type
from pincite.sources import Entry, OpenSource
from pincite.sources.entries import mtime_of, within_any
from pincite.sources.folder import FolderSource
from pincite.sources.ignore_files import IGNORE_FILES
from pincite.sources.reopening import reopen_source

ON_DISK: Final = ("folder", "git", "file")
_READ_AT_MOST = 50  # files of either kind of inconclusive time whose content is compared
LARGEST_RULES: Final = 20_000  # bytes of an ignore file: compiling that many takes 40 ms

CHANGES: Final = ("new", "changed", "gone")  #: kinds of differences, in the words shown to people

Differing = tuple[str, int, int]  #: path, size and time of a file; -1 if it is gone
UNREAD: Final = -1  #: in place of the time of a file that cannot be read
_READABLE: Final = 0  # in place of the time of a folder that is listed as unreadable, and is not


class CannotTell(Exception):
    """A look cannot tell whether the source has changed: its time is up, or it covers too
    little."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a look. `until_s` is its end by the monotonic clock, `rules_bytes` the largest size
    of an ignore file."""

    until_s: float = float("inf")
    rules_bytes: int = 10**9

    @classmethod
    def of_daemon(cls, seconds: float) -> Limits:
        """Return the limits for a process in which searches wait during a look."""
        return cls(time.monotonic() + seconds, LARGEST_RULES)

    @property
    def are_over(self) -> bool:
        """Return whether the time is up."""
        return time.monotonic() > self.until_s

    def check(self, folder: Path | None = None) -> None:
        """Check the time, and the ignore files of a folder that is about to be entered. To be
        called for each file, too: patterns may take milliseconds for one. Raises CannotTell."""
        if self.are_over:
            raise CannotTell
        if folder is not None and rules_bytes(folder) > self.rules_bytes:
            raise CannotTell


@dataclass(slots=True)
class Glance:
    """The result of a look. `state` is `unknown` if it was abandoned, and `gone` if the source
    cannot be reached, with the reason in `detail`. `named` maps paths to their difference (one of
    `CHANGES`, `left out`, `not read`, `at another commit`). `folders` are those whose events
    indicate a change."""

    state: Literal["same", "changed", "unknown", "gone"] = "same"
    detail: str = ""
    differing: set[Differing] = field(default_factory=set)
    named: dict[str, str] = field(default_factory=dict)
    folders: list[str] = field(default_factory=list)

    def differ(self, what: str, path: str, size: int = -1, mtime_ns: int = -1) -> None:
        """Record a difference."""
        self.differing.add((path, size, mtime_ns))
        self.named[path] = what

    def watch_excludes(self, file: Path) -> None:
        """Add the folder of an `info/exclude`, which need not exist itself."""
        self.folders.append(str(file.parent))


def glance(
    record: SourceRecord,
    records: Sequence[DocumentRecord],
    limits: Limits = Limits(),
    settled: Collection[Differing] = (),
) -> Glance:
    """Compare a source with the index. The files in `settled` differ and were already looked at. Of
    the files that changed since the source was indexed but have the same size and time, the last 50
    are read while there is time."""
    found = Glance()
    source = record.source
    if source.kind not in ON_DISK:
        return _of_archive(record, found)
    listed = Listed.of(record)
    known = {one.path: one for one in records}
    shows = any(one.includes for one in records)
    reads = _READ_AT_MOST
    unreadable: set[str] = set()
    try:
        for part in outer_parts(record.within):
            with reopen_source(record, part) as opened:
                if opened.source.ref != source.ref or opened.source.kind != source.kind:
                    found.differ("at another commit", f"@{opened.source.ref}", 0, 0)
                entries = _entries(opened, limits, found, unreadable)
                swapped = _swapped(opened, entries, known, record, limits)
                for entry in entries:
                    indexed = known.pop(entry.path, None)
                    what, reads = _what(opened, entry, indexed, reads, swapped)
                    if what == "left out" and not shows and entry.path in listed.left_out:
                        continue  # a log grows, and stays left out
                    if what:
                        _differ(found, opened, entry, what, indexed, listed, settled)
                    elif entry.path in listed.unreadable:
                        one = (entry.path, entry.size, entry.changed_ns)
                        if one not in settled and opened.can_read(entry):
                            found.differ("left out", *one)
                within = opened.within
                gone = [path for path in known if lies_in(path, within)]
                for path in gone:
                    del known[path]
                    if (place := within_any(path, unreadable)) is not None:
                        found.differ("not read", place)
                    elif (path, -1, -1) not in settled:
                        found.differ("gone", path)
    except CannotTell:
        found.state = "unknown"
        return found
    except SourceError as error:
        found.state, found.detail = "gone", error.message
        return found
    entered = frozenset(found.folders)
    for folder in listed.unreadable - unreadable:
        if (folder, -1, _READABLE) in settled or (folder and not folder.endswith("/")):
            continue
        if str(Path(source.location, folder)) in entered:
            found.differ("left out", folder, mtime_ns=_READABLE)
    if found.differing or not record.complete:
        found.state = "changed"
    return found


def changes_in(named: Mapping[str, str]) -> int:
    """Return the known number of files that differ from the index."""
    return sum(what in CHANGES for what in named.values())


def glance_at(
    record: SourceRecord,
    records: Sequence[DocumentRecord],
    paths: Collection[str],
    limits: Limits = Limits(),
    settled: Collection[Differing] = (),
) -> Glance:
    """Compare these files and folders of a source on disk with the index; `records` are their
    indexed documents. Otherwise as `glance`. `folders` are the folders among the paths. The state
    is `unknown` if the whole source has to be looked at: at another commit, if ignore files
    changed, or if a folder cannot be read, now or when it was indexed."""
    found = Glance()
    listed = Listed.of(record)
    reads = _READ_AT_MOST
    try:
        for part in outer_parts(record.within):
            mine = sorted(path for path in paths if is_within(path, part))
            if not mine:
                continue
            with reopen_source(record, part) as opened:
                other = (opened.source.ref, opened.source.kind)
                if not isinstance(opened, FolderSource) or other != (
                    record.source.ref,
                    record.source.kind,
                ):
                    raise CannotTell
                known = {one.path: one for one in records if is_within(one.path, part)}
                entries = list(_entries_below(opened, mine, limits, found, listed))
                swapped = _swapped(opened, entries, known, record, limits)
                for entry in entries:
                    indexed = known.pop(entry.path, None)
                    what, reads = _what(opened, entry, indexed, reads, swapped)
                    if what:
                        _differ(found, opened, entry, what, indexed, listed, settled)
                for gone in known:
                    if (gone, -1, -1) not in settled:
                        found.differ("gone", gone)
    except CannotTell:
        return Glance("unknown")
    except SourceError as error:
        return Glance("gone", error.message)
    if found.differing:
        found.state = "changed"
    return found


def is_within(path: str, part: str) -> bool:
    """Return whether the path is this file or folder, or in this folder. Folders end in a slash, ""
    is the whole source."""
    return not part or path == part.removesuffix("/") or path.startswith(f"{part.rstrip('/')}/")


def is_never_read(source: Source, path: str) -> bool:
    """Return whether the name of a file alone excludes it, and it has no given type."""
    return not may_be_read(path) and given_type(source, path) is None


def _what(
    opened: OpenSource,
    entry: Entry,
    indexed: DocumentRecord | None,
    reads: int,
    swapped: Collection[str],
) -> tuple[str, int]:
    """Return the difference of a file from the index, empty if there is none, and how many files
    may still be read to find out. For `swapped` see there."""
    if indexed is None:
        return "left out" if is_never_read(opened.source, entry.path) else "new", reads
    if _is_as(entry, indexed):
        return "changed" if entry.path in swapped else "", reads
    if entry.size == indexed.size and not indexed.mtime_ns:
        if reads <= 0:
            return "not read", reads
        reads -= 1
        if _has_same_content(opened, entry, indexed):
            return "", reads
    return "changed", reads


def _is_as(entry: Entry, indexed: DocumentRecord) -> bool:
    return (entry.size, entry.mtime_ns) == (indexed.size, indexed.mtime_ns)


def _swapped(
    opened: OpenSource,
    entries: Sequence[Entry],
    known: Mapping[str, DocumentRecord],
    record: SourceRecord,
    limits: Limits,
) -> frozenset[str]:
    """Return the paths of files that have the size and time of the index, but another content. Only
    the last of those that changed since the last complete run began are read, while there is time:
    a change of the mode of all files changes no content."""
    if (since_ns := record.compared_ns(opened.within)) is None:
        return frozenset()
    suspects = (
        entry
        for entry in entries
        if entry.changed_ns >= since_ns
        and (indexed := known.get(entry.path)) is not None
        and _is_as(entry, indexed)
    )
    return frozenset(
        entry.path
        for entry in heapq.nlargest(_READ_AT_MOST, suspects, key=lambda one: one.changed_ns)
        if not limits.are_over
        and opened.can_read(entry)
        and not _has_same_content(opened, entry, known[entry.path])
    )


def _differ(
    found: Glance,
    opened: OpenSource,
    entry: Entry,
    what: str,
    indexed: DocumentRecord | None,
    listed: Listed,
    settled: Collection[Differing],
) -> None:
    """Record the difference of a file, unless it is settled. An unreadable file has another
    difference than the same file when it is readable, so that it is looked at again then. A file
    that an earlier run may have left out is not called new."""
    one = (entry.path, entry.size, entry.mtime_ns)
    if one in settled:
        return
    if opened.can_read(entry):
        left_out = entry.path in listed.left_out or (
            what == "new" and listed.may_be_left_out(entry, opened.source.location)
        )
        found.differ("left out" if left_out else what, *one)
    elif indexed is not None or (entry.path, entry.size, UNREAD) not in settled:
        found.differ("not read", entry.path, entry.size, UNREAD)


def _entries_below(
    opened: FolderSource, paths: Sequence[str], limits: Limits, found: Glance, listed: Listed
) -> Iterator[Entry]:
    root = Path(opened.source.location)

    def entering(folder: str) -> None:
        if f"{folder}/" in listed.unreadable:
            raise CannotTell
        limits.check(root / folder)
        if any(is_within(folder, f"{path}/") for path in paths):
            found.folders.append(str(root / folder))

    for entry in opened.below(paths, entering, found.watch_excludes):
        limits.check()
        if isinstance(entry, Entry):
            yield entry
        elif entry.cannot_be_read and (entry.path.endswith("/") or not entry.path):
            raise CannotTell


def _has_same_content(opened: OpenSource, entry: Entry, indexed: DocumentRecord) -> bool:
    """Return whether the content is that of the index; size and time do not tell."""
    try:
        return content_hash_of(opened.read(entry)) == indexed.content_hash
    except SourceError:
        return False


def _entries(
    opened: OpenSource, limits: Limits, found: Glance, unreadable: set[str]
) -> list[Entry]:
    """Return the files; add files and folders that cannot be read to `unreadable`."""
    if not isinstance(opened, FolderSource):
        return [one for one in opened.entries() if isinstance(one, Entry)]
    root = Path(opened.source.location)

    def entering(folder: str) -> None:
        place = root / folder
        found.folders.append(str(place))
        limits.check(place)

    entries = []
    for one in opened.visit(entering, found.watch_excludes):
        limits.check()
        if isinstance(one, Entry):
            entries.append(one)
        elif one.cannot_be_read:
            unreadable.add(one.path)
    for part in opened.parts:
        if part and not part.endswith("/") and (parent := (root / part).parent).is_dir():
            found.folders.append(str(parent))
    if opened.git_folder is not None:
        found.folders.append(str(opened.git_folder))
    if opened.exclude_file is not None and opened.exclude_file.parent.is_dir():
        found.watch_excludes(opened.exclude_file)
    return entries


def rules_bytes(place: Path) -> int:
    sizes = [0]
    for name in IGNORE_FILES:
        try:
            sizes.append(os.stat(place / name).st_size)  # noqa: PTH116 - twice as fast
        except OSError:
            continue
    return max(sizes)


def _of_archive(record: SourceRecord, found: Glance) -> Glance:
    """Report an archive as changed if its file is newer than the last run."""
    found.folders = [str(Path(record.source.location).parent)]
    try:
        seen = Path(record.source.location).stat()
    except OSError as error:
        found.state, found.detail = "gone", f"{record.source.location}: {error.strerror}"
        return found
    newest_s = max(seen.st_mtime, seen.st_ctime)
    indexed = datetime.fromisoformat(record.indexed_at) if record.indexed_at else None
    if not record.complete or indexed is None or newest_s >= indexed.timestamp():
        found.state = "changed"
        found.differ("changed", "", seen.st_size, mtime_of(seen))
    return found
