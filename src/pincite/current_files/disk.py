"""Read a file below a folder without following links and without waiting.

Content hashes are cached by size, times and inode, so an unchanged file costs one `lstat`. A file
that has just changed may change again without a new time stamp, a problem that git has, too. Such a
file is read each time until its change is older than `RACY_NS`.
"""

from __future__ import annotations

import errno
import io
import os
import stat
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from pincite.readers import content_hash_of
from pincite.support.capabilities import open_below

#: Nanoseconds. A file that changed less than this before it was read may change again without a new
#: time stamp: the kernel has steps of 4 ms, FAT and some network disks have steps of 2 s.
RACY_NS = 2_000_000_000
_REMEMBERED = 20_000  # files; each takes 400 bytes
_TRIES = 3  # of a file that changes while it is read
Problem = Literal["gone", "closed", "large", "failed"]
Signature = tuple[int, int, int, int, int]


@dataclass(frozen=True, slots=True)
class Content:
    """The content of a file: its hash, and its bytes if they were read."""

    content_hash: str
    raw: bytes | None = None


@dataclass(frozen=True, slots=True)
class Lacking:
    """Why there is no content: there is no regular file (`gone`), it may not be read (`closed`), it
    is larger than an indexed file may be (`large`), or the disk reports another error
    (`failed`)."""

    problem: Problem
    detail: str


class Disk:
    """Reads files by root and path, and caches their content hashes."""

    def __init__(
        self,
        most_bytes: Callable[[str], int],
        clock_ns: Callable[[], int] = time.time_ns,
        racy_ns: int = RACY_NS,
    ) -> None:
        self._most_bytes = most_bytes
        self._clock_ns = clock_ns
        self._racy_ns = racy_ns
        self._known: dict[tuple[str, str], tuple[Signature, str]] = {}

    def content(
        self, root: str, path: str, folders: dict[str, bool], *, raw: bool = False
    ) -> Content | Lacking:
        """Return the content of the file `path` below `root`, with its bytes if `raw` is set or
        they had to be read. `folders` caches for one look which paths are folders."""
        place = f"{root}/{path}"
        try:
            if not _is_plain(path) or not self._below(root, path, folders):
                return Lacking("gone", "the file is gone")
            status = os.lstat(place)
            if not stat.S_ISREG(status.st_mode):
                return Lacking("gone", "it is no longer a regular file")
            known = self._known.get((root, path))
            if known is not None and not raw and known[0] == signature(status):
                return Content(known[1])
            return self._read(root, path)
        except (FileNotFoundError, NotADirectoryError, ValueError):
            return Lacking("gone", "the file is gone")
        except PermissionError:
            return Lacking("closed", "you no longer have permission to read it")
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENAMETOOLONG):
                return Lacking("gone", "the file is gone")
            return Lacking("failed", f"{path} cannot be read: {error.strerror}")

    def _below(self, root: str, path: str, folders: dict[str, bool]) -> bool:
        """Return whether all parents of the file below `root` are folders, not links."""
        end = path.find("/")
        while end >= 0:
            folder = f"{root}/{path[:end]}"
            if folder not in folders:
                folders[folder] = stat.S_ISDIR(os.lstat(folder).st_mode)
            if not folders[folder]:
                return False
            end = path.find("/", end + 1)
        return True

    def _read(self, root: str, path: str) -> Content | Lacking:
        """Read a file, again if it changes meanwhile. Raises OSError."""
        for _ in range(_TRIES):
            now_ns = self._clock_ns()
            handle = open_below(root, path)
            with os.fdopen(handle, "rb", buffering=0) as opened:
                before = os.fstat(handle)
                if not stat.S_ISREG(before.st_mode):
                    return Lacking("gone", "it is no longer a regular file")
                most = self._most_bytes(path)
                if before.st_size > most:
                    return Lacking("large", f"it is now larger than {most:,} bytes")
                raw = _read_all(opened, most)
                after = os.fstat(handle)
            whole = signature(before) == signature(after) and len(raw) == after.st_size
            if whole:
                break
        content = Content(content_hash_of(raw), raw)
        if whole and now_ns - max(before.st_mtime_ns, before.st_ctime_ns) > self._racy_ns:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[root, path] = signature(after), content.content_hash
        return content


def _read_all(opened: io.FileIO, most: int) -> bytes:
    """Read all bytes, but at most `most` + 1."""
    parts, left = [], most + 1
    while left > 0 and (part := opened.read(left)):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def signature(status: os.stat_result) -> Signature:
    """Return values that change with every write to a file, and if another file takes its place."""
    times = status.st_mtime_ns, status.st_ctime_ns
    return status.st_dev, status.st_ino, status.st_size, *times


def _is_plain(path: str) -> bool:
    """Return whether a path leads only downwards."""
    return "\0" not in path and not {"", ".", ".."} & set(path.split("/"))
