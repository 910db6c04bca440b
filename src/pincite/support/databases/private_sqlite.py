"""A SQLite file that only its user can read, shared by several processes and threads. Deleted data
are erased from it."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from pincite.errors import DiskFull, MemoryUnavailable
from pincite.support.databases.private_file import require_private_file
from pincite.support.databases.sqlite_schema import (
    is_of_another_program,
    migrate,
    require_no_journal,
    require_ours,
    use_log,
)

_BUSY_S: Final = 20.0  # others write a few rows at a time
_FULL: Final = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE)


class PrivateFile:
    """A SQLite file that is opened on first use. It may be used from several threads.

    `what` is its name in messages. `mark` is the application id that distinguishes it from files of
    other programs; the first migration sets it. `place` creates the folder, if it is missing,
    before the file. Every method raises MemoryUnavailable if the file cannot be used, DiskFull, and
    IndexTooNew if a newer version has written it.
    """

    def __init__(
        self,
        path: Path,
        what: str,
        mark: int,
        migrations: Sequence[str],
        place: Callable[[], None] | None = None,
    ) -> None:
        self._path = path
        self._what = what
        self._mark = mark
        self._place = place
        self._migrations = migrations
        self._lock = threading.RLock()
        self._db: sqlite3.Connection | None = None

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[Any]:
        """Return all rows of a query; none if the file does not exist yet."""
        with self._lock, self._translated("read"):
            if self._db is None and not self._there():
                return []
            return self._open().execute(sql, values).fetchall()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Open a transaction with the write lock: all changes or none."""
        with self._lock, self._translated("written"):
            db = self._open()
            try:
                db.execute("BEGIN IMMEDIATE")
                yield db
                db.execute("COMMIT")
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise

    def wipe(self) -> None:
        """Write the log into the file, so that the log has no deleted data. If other readers
        prevent it, the next call does it."""
        with self._lock, suppress(sqlite3.Error):
            if self._db is not None:
                self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Close the file; the next use opens it again."""
        with self._lock:
            db, self._db = self._db, None
            if db is not None:
                db.close()

    def _there(self) -> bool:
        return os.path.lexists(self._path)

    def _open(self) -> sqlite3.Connection:
        if self._db is None:
            made = self._make()
            db = sqlite3.connect(
                self._path, isolation_level=None, check_same_thread=False, timeout=_BUSY_S
            )
            try:
                if not made:
                    self._require_own(db)
                name = f"{self._what} {self._path}"
                require_ours(db, name, self._migrations)
                use_log(db, _BUSY_S)
                db.execute("PRAGMA synchronous = FULL")  # this file is the only copy of its data
                db.execute("PRAGMA foreign_keys = ON")
                db.execute("PRAGMA secure_delete = ON")
                migrate(db, self._migrations, name)
            except BaseException:
                db.close()
                raise
            self._db = db
        return self._db

    def _make(self) -> bool:
        """Create the file for its user alone; SQLite gives the files beside it the same mode.
        Return whether it is empty. A link, a pipe or a folder in its place is refused, and a
        rollback journal beside it."""
        if self._place is not None and not self._there():
            self._place()
        made = require_private_file(self._path, make=True).st_size == 0
        require_no_journal(self._path)
        return made

    def _require_own(self, db: sqlite3.Connection) -> None:
        """Refuse the file of another program, because a setting may name any file."""
        if is_of_another_program(db, self._mark):
            raise OSError(0, "it is another program's database")

    @contextmanager
    def _translated(self, verb: str) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            if getattr(error, "sqlite_errorcode", 0) in _FULL:
                free = shutil.disk_usage(self._path.parent).free
                raise DiskFull(
                    f"the disk is full: {free / 1e6:.1f} MB are free at {self._path.parent};"
                    " earlier writes are complete",
                    hint="make room on that disk, then run the same command again",
                ) from error
            said = getattr(error, "strerror", None) or str(error)
            if getattr(error, "errno", 0) == errno.ELOOP:
                said = "it is a symbolic link"
            raise MemoryUnavailable(
                f"{self._what} {self._path} cannot be {verb}: {said}",
                hint=(
                    "check that the folder exists, that it is yours, and that no other"
                    " program has locked the file"
                ),
            ) from error
