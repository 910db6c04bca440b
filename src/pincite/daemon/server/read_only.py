"""Open an index that can be read but not written: its folder is read-only, or its disk is full.

Qdrant Edge and the catalog write when they are opened. So they are opened in a copy in another
place, with links to the large files that they only read. The index itself is not changed.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pincite.catalog.file import FILES
from pincite.daemon.wire import protocol
from pincite.errors import DiskFull, IndexUnavailable, PinciteError
from pincite.index.folder import remembered
from pincite.stores.room import FINISHING_BYTES, free_bytes
from pincite.support.capabilities import FILE_MODES, is_own, this_user
from pincite.support.processes.locks import open_lock

#: Bytes that opening the catalog needs: a page of its log, and the index of the log.
_CATALOG_BYTES = 4 * 1024 * 1024  # 100 times the needed bytes
_SHARED_MEMORY = Path("/dev/shm")
#: Files of processes, and files that searches do not need.
_LEFT_OUT = (
    *("*.lock", "*.lock.held", "*.sock", "owner.tcp", "owner.log*"),
    *("retrieval.jsonl*", "models", ".gitignore"),
    *("memory.db*", "conversations.db*", "mem0"),  # of users, not of the index
)
_STEP = 16 * 1024 * 1024
_KNOWS_HOLES = hasattr(os, "SEEK_DATA") and hasattr(os, "pread")


def may_write(root: Path) -> bool:
    """Return whether files can be created in an index folder. A missing folder counts as
    writable."""
    return not root.exists() or os.access(root, os.W_OK | os.X_OK)


def why_only_read(root: Path) -> PinciteError | None:
    """Return the error for writers, None if the folder can be written to."""
    if not may_write(root):
        return read_only(root)
    needed = FINISHING_BYTES if remembered(root).settings.kind == "edge" else _CATALOG_BYTES
    free = free_bytes(root)
    return None if free >= needed else disk_full(root, free, needed)


def read_only(root: Path) -> IndexUnavailable:
    """Return the error for a folder that cannot be written to."""
    return IndexUnavailable(
        f"the index folder {root} is read-only: you can search it but not write to it",
        hint="make it writable, or use another index: see PINCITE_INDEX or --index",
    )


def disk_full(root: Path, free: int, needed: int) -> DiskFull:
    """Return the error for a disk without enough room to write."""
    return DiskFull(
        f"the disk is full: {free / 1e6:.0f} MB are free at {root}, but safe writing needs"
        f" {needed / 1e6:.0f} MB; nothing was written, and the index is intact",
        hint="make room on that disk, then run the same command again",
    )


def workplace(root: Path) -> Path:
    """Return the folder of the daemon's socket, lock and log: the index folder, or else a folder of
    this user for temporary files. Raises IndexUnavailable."""
    return root if may_write(root) else _own_folder(Path(tempfile.gettempdir()), root)


def _own_folder(place: Path, root: Path) -> Path:
    """Return a folder for `root` below `place` that no other user can read."""
    ours = place / f"pincite-{this_user()}"
    folder = ours / hashlib.sha256(os.fsencode(root.resolve())).hexdigest()[:16]
    try:
        for each in (ours, folder):
            each.mkdir(mode=0o700, exist_ok=True)
            found = each.lstat()
            closed = not FILE_MODES or not found.st_mode & 0o077
            if not stat.S_ISDIR(found.st_mode) or not closed or not is_own(found):
                raise IndexUnavailable(
                    f"{each} is not a folder that only you can read",
                    hint="remove it, or set TMPDIR to a folder of your own",
                )
    except OSError as error:
        raise IndexUnavailable(
            f"the index {root} is read-only, and {place} is not writable: {error.strerror}",
            hint="set TMPDIR to a folder that you can write to",
        ) from error
    return folder


class Copy:
    """A copy of an index for reading. Close it; otherwise it stays until the next copy is made."""

    def __init__(self, root: Path, why: PinciteError) -> None:
        """Make the copy in the first place that has room. Raises `why` if none has,
        IndexUnavailable if a process is writing to the index."""
        links = _links(root)
        with _nobody_writes(root):
            self._root, self.why = root, why
            self._seen = _signs(root)
            self.path = _roomy_place(root, _space(root, links), why) / "copy"
            shutil.rmtree(self.path, ignore_errors=True)
            try:
                shutil.copytree(
                    root,
                    self.path,
                    ignore=shutil.ignore_patterns(*_LEFT_OUT),
                    copy_function=lambda source, target: _copy(Path(source), Path(target), links),
                )
            except (OSError, shutil.Error) as error:
                self.close()
                raise IndexUnavailable(
                    f"{why.message}; it could not be copied to {self.path} for reading: {error}",
                    hint=why.hint,
                ) from error
        for folder, _, _ in os.walk(self.path):  # folders of the index may be read-only
            Path(folder).chmod(0o700)

    @property
    def stale(self) -> bool:
        """Return whether another process has changed the index since."""
        return _signs(self._root) != self._seen

    def close(self) -> None:
        """Remove the copy."""
        shutil.rmtree(self.path, ignore_errors=True)
        with suppress(OSError):  # not empty if the daemon works there, too
            self.path.parent.rmdir()


def _links(root: Path) -> tuple[str, ...]:
    if remembered(root).settings.kind != "edge":
        return ()
    from pincite.stores.qdrant_edge.generations import ONLY_READ

    return ONLY_READ


def _signs(root: Path) -> tuple[object, ...]:
    """Return values that change with every document that is written."""
    found: list[object] = []
    for name in FILES:
        try:
            seen = (root / name).stat()
        except FileNotFoundError:
            found.append(None)
        else:
            found.append((seen.st_ino, seen.st_size, seen.st_mtime_ns))
    return tuple(found)


def _space(root: Path, links: tuple[str, ...]) -> int:
    """Return the bytes on disk of the copied files. Files have holes, so blocks are counted."""
    return sum(
        _size_on_disk(os.lstat(f"{folder}/{name}"))
        for folder, _, names in os.walk(root)
        for name in names
        if name not in links
    )


def _size_on_disk(status: os.stat_result) -> int:
    blocks: int | None = getattr(status, "st_blocks", None)
    return status.st_size if blocks is None else blocks * 512


def _roomy_place(root: Path, needed: int, why: PinciteError) -> Path:
    """Return a folder with room for that many bytes, and for the files that Qdrant Edge adds."""
    needed += 2 * FINISHING_BYTES
    for place in (Path(tempfile.gettempdir()), _SHARED_MEMORY):
        if os.access(place, os.W_OK) and free_bytes(place) >= needed:
            return _own_folder(place, root)
    raise type(why)(
        f"{why.message}; searching it needs {needed / 1e6:.0f} MB on another disk for a copy",
        hint=f"{why.hint}, or set TMPDIR to a folder on another disk",
    )


@contextmanager
def _nobody_writes(root: Path) -> Iterator[None]:
    """Prevent daemons in other workplaces from writing to the folder while the block runs."""
    path = root / protocol.LOCK
    if may_write(root) or not path.exists():
        yield  # we have the lock ourselves, or nobody ever had it
        return
    lock = open_lock(path, make=False, write=False)
    try:
        if not lock.take(shared=True):
            raise IndexUnavailable(
                f"a process on this index is writing to {root} and does not respond here",
                hint="wait until it ends, or run this command where that process runs",
            )
        yield
    finally:
        lock.close()


def _copy(source: Path, target: Path, links: tuple[str, ...]) -> Path:
    """Link a file that is only read, or copy it with the holes of the original: files of Qdrant
    Edge are mostly holes."""
    if source.name in links:
        try:
            target.symlink_to(source.absolute())
        except OSError:  # on Windows links may need a privilege
            if FILE_MODES:
                raise
        else:
            return target
    with source.open("rb") as read, target.open("wb") as written:
        if not _KNOWS_HOLES:
            shutil.copyfileobj(read, written, _STEP)
            return target
        size, start = os.fstat(read.fileno()).st_size, 0
        written.truncate(size)
        while start < size:
            try:
                start = os.lseek(read.fileno(), start, os.SEEK_DATA)
            except OSError as error:
                if error.errno != errno.ENXIO:
                    raise
                break  # the rest is a hole
            end = os.lseek(read.fileno(), start, os.SEEK_HOLE)
            while start < end:
                part = os.pread(read.fileno(), min(_STEP, end - start), start)
                if not part:
                    return target
                start += os.pwrite(written.fileno(), part, start)
    return target
