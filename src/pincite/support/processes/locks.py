"""Locks between processes that the system releases when a process ends, however it ends.

They use `flock` where the system has it. Elsewhere a lock is a transaction of SQLite on a file
beside it, `NAME.held`: SQLite locks files on every system, and its locks end with their process,
too.
"""

from __future__ import annotations

import os
import sqlite3
from contextlib import suppress
from pathlib import Path
from typing import Final, Protocol

from pincite.support.capabilities import FLOCK
from pincite.support.databases.private_file import (
    open_private,
    require_private_file,
    require_regular,
)

if FLOCK:
    import fcntl

_SAID_BYTES: Final = 65_536
HELD: Final = ".held"  #: suffix of the file that SQLite locks


class Lock(Protocol):
    """An open lock that may be taken. `file` is the file of its name, in which its holder may write
    a description; the file can always be read."""

    file: int

    def take(self, *, shared: bool = False) -> bool:
        """Take the lock until `close`, without waiting; with `shared`, together with others that
        share it. Return False if another open lock prevents it. A lock that is held in the other
        way is released first, and is then lost if False is returned. Raises OSError."""

    def close(self) -> None:
        """Release the lock."""


def open_lock(path: Path, *, make: bool = True, write: bool = True) -> Lock:
    """Open the lock of this name; a new file is for this user alone. Raises OSError."""
    flags = (os.O_RDWR if write else os.O_RDONLY) | (os.O_CREAT if make else 0)
    file = open_private(path, flags)
    if FLOCK:
        return _Flock(file)
    try:
        return _Transaction(file, path.with_name(path.name + HELD), write=write)
    except BaseException:
        os.close(file)
        raise


def is_held(path: Path) -> bool:
    """Return whether another open lock of this name is held exclusively."""
    try:
        lock = open_lock(path, make=False, write=False)
    except OSError:  # missing, or just removed
        return False
    try:
        return not lock.take(shared=True)
    finally:
        lock.close()


def remove_lock(path: Path) -> None:
    """Remove the files of a lock. A file that another process has open may have to stay."""
    for one in (path.with_name(path.name + HELD), path):
        with suppress(FileNotFoundError, PermissionError):
            one.unlink()


def say_in(lock: Lock, text: bytes) -> None:
    """Write from the beginning, over the existing text. Raises OSError."""
    os.lseek(lock.file, 0, os.SEEK_SET)
    os.write(lock.file, text)


def said_in(lock: Lock) -> bytes:
    """Return the written text. Raises OSError."""
    os.lseek(lock.file, 0, os.SEEK_SET)
    return os.read(lock.file, _SAID_BYTES)


class _Flock:
    def __init__(self, file: int) -> None:
        self.file = file

    def take(self, *, shared: bool = False) -> bool:
        kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        try:
            fcntl.flock(self.file, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def close(self) -> None:
        os.close(self.file)


class _Transaction:
    """A lock by a transaction of SQLite. Nothing is ever written to the database, which stays
    empty."""

    def __init__(self, file: int, held: Path, *, write: bool) -> None:
        self.file = file
        self._database: sqlite3.Connection | None = None
        self._shared = False  # how it was last taken
        if not (write or os.path.lexists(held)):
            return  # it has never been taken
        status = require_private_file(held, make=True) if write else require_regular(held)
        if status.st_size:  # SQLite would run what its schema computes
            raise OSError(0, f"{held} has content, which no lock of Pincite has: remove it")
        mode = "rw" if write else "ro"
        try:
            self._database = sqlite3.connect(
                f"{held.absolute().as_uri()}?mode={mode}",
                uri=True,
                timeout=0,
                isolation_level=None,
                check_same_thread=False,
            )
        except sqlite3.Error as error:
            raise OSError(0, f"{held} cannot be locked: {error}") from error

    def take(self, *, shared: bool = False) -> bool:
        if self._database is None:
            return shared
        if self._database.in_transaction:
            if shared == self._shared:
                return True
            self._database.rollback()
        self._shared = shared
        try:
            self._database.execute(
                "PRAGMA journal_mode=MEMORY"
            )  # otherwise a file stays after a kill
            if shared:
                self._database.execute("BEGIN")
                self._database.execute("SELECT count(*) FROM sqlite_master").fetchall()
            else:
                self._database.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error as error:
            self._database.rollback()  # has no effect without a transaction
            if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_BUSY:
                return False
            raise OSError(0, f"the lock cannot be taken: {error}") from error
        return True

    def close(self) -> None:
        if self._database is not None:
            self._database.close()
        os.close(self.file)
