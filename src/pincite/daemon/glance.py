"""A look at a source on disk by size and time alone, to learn whether it may have changed.

Nothing is read but ignore files, and files that changed within two seconds before they were
indexed, of which a time says nothing. The daemon limits how long a look may take; the process that
indexes looks at everything.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final, Literal

from pincite.errors import SourceError
from pincite.model import DocumentRecord, SourceRecord
from pincite.readers import content_hash_of
from pincite.sources import Entry, OpenSource
from pincite.sources.folder import FolderSource
from pincite.sources.reopening import reopen_source
from pincite.sources.walk import IGNORE_FILES

ON_DISK: Final = ("folder", "git", "file")
_READ_AT_MOST = 50  # warm files whose content is compared
_LARGEST_RULES: Final = 20_000  # bytes of an ignore file: as many take 40 ms to compile

CHANGES: Final = ("new", "changed", "gone")  #: of files, as people call them

Differing = tuple[str, int, int]  #: path, size and time of a file; -1 where it is gone


class TooMuchError(Exception):
    """A look has taken as long as it may."""


@dataclass(frozen=True, slots=True)
class Limits:
    """`until_s` is when to stop, by the monotonic clock. `rules_bytes` is how large an ignore file
    may be."""

    until_s: float = float("inf")
    rules_bytes: int = 10**9

    @classmethod
    def of_daemon(cls, seconds: float) -> Limits:
        """Those of a process in which searches wait meanwhile."""
        return cls(time.monotonic() + seconds, _LARGEST_RULES)


@dataclass(slots=True)
class Glance:
    """What a look has found. `state` is `unknown` where it was given up, and `gone` where the
    source cannot be reached, for a reason in `detail`. `named` are paths with what is different
    (one of `CHANGES`, `left out`, `not read`, `at another commit`), `folders` those whose events
    say that something has changed."""

    state: Literal["same", "changed", "unknown", "gone"] = "same"
    detail: str = ""
    differing: set[Differing] = field(default_factory=set)
    named: dict[str, str] = field(default_factory=dict)
    folders: list[str] = field(default_factory=list)

    def differ(self, what: str, path: str, size: int = -1, mtime_ns: int = -1) -> None:
        """Note a difference."""
        self.differing.add((path, size, mtime_ns))
        self.named[path] = what


def glance(
    record: SourceRecord,
    records: Sequence[DocumentRecord],
    limits: Limits = Limits(),
    settled: Collection[Differing] = (),
) -> Glance:
    """Compare a source with what is indexed of it. What has `settled` differs and was looked at."""
    found = Glance()
    source = record.source
    if source.kind not in ON_DISK:
        return _of_archive(record, found)
    left_out = frozenset(map(_path_of, record.skipped_paths))
    known = {one.path: one for one in records}
    reads = _READ_AT_MOST
    try:
        for part in record.within:
            with reopen_source(record, part) as opened:
                if opened.source.ref != source.ref or opened.source.kind != source.kind:
                    found.differ("at another commit", f"@{opened.source.ref}", 0, 0)
                for entry in _entries(opened, limits, found):
                    indexed = known.pop(entry.path, None)
                    if indexed is not None and _is_same(entry, indexed):
                        continue
                    what = "changed" if indexed else "new"
                    if indexed is not None and entry.size == indexed.size:
                        reads -= 1
                        if reads >= 0 and _has_same_content(opened, entry, indexed):
                            continue
                        if reads < 0 and not indexed.mtime_ns:
                            what = "not read"
                    one = (entry.path, entry.size, entry.mtime_ns)
                    if one not in settled:
                        found.differ("left out" if entry.path in left_out else what, *one)
                within = opened.within
                gone = [path for path in known if path.startswith(within)]
                for path in gone:
                    del known[path]
                    if (path, -1, -1) not in settled:
                        found.differ("gone", path)
    except TooMuchError:
        found.state = "unknown"
        return found
    except SourceError as error:
        found.state, found.detail = "gone", error.message
        return found
    if found.differing or not record.complete:
        found.state = "changed"
    return found


def matters(paths: Collection[str], records: Sequence[SourceRecord]) -> bool:
    """May something that happened at these paths have changed a source? What its rules leave out
    does not, nor does what git notes without going to another commit."""
    for record in records:
        if record.source.kind not in ON_DISK:
            if any(record.source.location == path for path in paths):
                return True
            continue
        try:
            with reopen_source(record) as opened:
                if isinstance(opened, FolderSource) and _matters(paths, record, opened):
                    return True
        except SourceError:
            return True  # a look will say what is the matter
    return False


def _matters(paths: Collection[str], record: SourceRecord, opened: FolderSource) -> bool:
    root = f"{record.source.location.rstrip('/')}/"
    git = opened.git_folder
    for path in paths:
        if git is not None and (path == str(git) or path.startswith(f"{git}/")):
            if opened.source.ref != record.source.ref:
                return True
        elif path.startswith(root):
            relative = path[len(root) :]
            above = (Path(root), *(Path(root, one) for one in Path(relative).parents))
            if any(_rules_bytes(folder) > _LARGEST_RULES for folder in above):
                return True  # to know would take seconds
            if relative.rpartition("/")[2] in IGNORE_FILES or not opened.is_left_out(relative):
                return True
        elif f"{path}/" == root:
            return True
    return False


def _path_of(skipped: str) -> str:
    """The path in `code: path (detail)`."""
    path = skipped.partition(": ")[2]
    return path.rpartition(" (")[0] if path.endswith(")") and " (" in path else path


def _is_same(entry: Entry, indexed: DocumentRecord) -> bool:
    return (entry.size, entry.mtime_ns) == (indexed.size, indexed.mtime_ns)


def _has_same_content(opened: OpenSource, entry: Entry, indexed: DocumentRecord) -> bool:
    """Of a file that was warm when it was indexed, so that its time says nothing."""
    if indexed.mtime_ns:
        return False
    try:
        return content_hash_of(opened.read(entry)) == indexed.content_hash
    except SourceError:
        return False


def _entries(opened: OpenSource, limits: Limits, found: Glance) -> list[Entry]:
    if not isinstance(opened, FolderSource):
        return [one for one in opened.entries() if isinstance(one, Entry)]
    root = Path(opened.source.location)

    def entering(folder: str) -> None:
        place = root / folder
        found.folders.append(str(place))
        if time.monotonic() > limits.until_s or _rules_bytes(place) > limits.rules_bytes:
            raise TooMuchError

    entries = [one for one in opened.visit(entering) if isinstance(one, Entry)]
    if opened.within and not opened.within.endswith("/"):
        found.folders.append(str((root / opened.within).parent))
    if opened.git_folder is not None:
        found.folders.append(str(opened.git_folder))
    return entries


def _rules_bytes(place: Path) -> int:
    sizes = [0]
    for name in IGNORE_FILES:
        try:
            sizes.append(os.stat(place / name).st_size)  # noqa: PTH116 - twice as fast
        except OSError:
            continue
    return max(sizes)


def _of_archive(record: SourceRecord, found: Glance) -> Glance:
    """An archive is read again when its file is newer than the last run."""
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
        found.differ("changed", "", seen.st_size, seen.st_mtime_ns)
    return found
