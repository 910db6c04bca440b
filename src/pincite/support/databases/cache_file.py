"""SQLite files of caches with private content: only their user can read them, and deleted content
is overwritten.

Any number of processes may use one file. A cache that fails costs a request, never a run. A setting
may name any file, so one of another program is never changed, and neither is one of a newer
version. SQLite itself changes a file that it opens, if a process was killed that wrote to it. So
the mark is read without SQLite's journal and log. A writer empties a damaged file that has it.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path
from typing import Final, TypeVar

from pincite.errors import IndexTooNew, StoreError
from pincite.support.databases.bounded import bounded_schema
from pincite.support.databases.private_file import make_private_cache, require_regular
from pincite.support.databases.sqlite_schema import (
    connect_to_identify,
    known_version,
    migrate,
    require_ours,
)

R = TypeVar("R")
log = logging.getLogger("pincite")

_ASKED: Final = 500  # keys in one statement; SQLite takes at least 999 parameters
_VERSION: Final = 1
_DAMAGED: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)

_DEFINITIONS: Final = """
SELECT name, sql FROM sqlite_schema WHERE substr(name, 1, 7) <> 'sqlite_' ORDER BY name
"""


class _Damaged(StoreError):
    """The file is Pincite's, and damaged."""


class CacheFile(ABC):
    """A SQLite file of a cache. Threads and processes may share it. `what` is its name in messages,
    `busy_s` the longest wait for another process. `mark` is the application id that distinguishes
    it from files of other programs. Files of earlier versions have no mark, but the tables of
    `script`, which creates missing tables."""

    def __init__(self, path: Path, what: str, mark: int, script: str, busy_s: float) -> None:
        """Prepare the cache. The file is opened at its first use."""
        self.path = path
        self._what = what
        self._mark = mark
        self._script = script
        self._busy_s = busy_s
        self._lock = threading.Lock()
        self._is_warned = False

    @abstractmethod
    def _opened(self) -> AbstractContextManager[sqlite3.Connection]:
        """Return the file as `_connect` opens it, with the schema of `_lay_out`."""

    @abstractmethod
    def _lay_out(self, db: sqlite3.Connection) -> None:
        """Set SQLite's options, and create the missing mark and tables, in this order: a file must
        have its mark before it gets a log. Raises IndexTooNew, StoreError and errors of SQLite."""

    @abstractmethod
    def _close(self) -> None:
        """Close the file if it is open between calls."""

    @property
    def _name(self) -> str:
        return f"{self._what} {self.path}"

    def _there(self) -> bool:
        return self.path.is_file() and self.path.stat().st_size > 0

    def _attempt(
        self, work: Callable[[sqlite3.Connection], R], otherwise: R, *, writes: bool = False
    ) -> R:
        """Run `work` as `_run` does. If the file cannot be used, return `otherwise` as well; the
        first time with a warning."""
        try:
            return self._run(work, otherwise, writes=writes)
        except _Damaged:
            return otherwise  # the next writer empties it
        except (StoreError, IndexTooNew) as error:
            if not self._is_warned:
                log.warning("cache_unused: %s", error.line)
            self._is_warned = True
            return otherwise

    def _run(
        self, work: Callable[[sqlite3.Connection], R], otherwise: R, *, writes: bool = False
    ) -> R:
        """Run `work`. Return `otherwise` if the cache is locked, full or not writable, or if a text
        cannot be stored. With `writes`, a damaged file is emptied first. Raises StoreError for the
        file of another program and a damaged one, IndexTooNew for one of a newer version."""
        with self._lock:
            for tried in range(3 if writes else 1):
                try:
                    if tried == 2:  # a second time, because another process may have emptied it
                        self._begin_again()
                    with self._opened() as db:
                        return work(db)
                except (UnicodeError, OSError):
                    return otherwise
                except sqlite3.Error as error:
                    if not _is_damage(error):
                        return otherwise
                    self._close()
            raise _Damaged(
                f"{self._what} {self.path} is damaged", hint="remove that file: it is a cache"
            )

    def _connect(self) -> sqlite3.Connection:
        """Open the file for this user alone; create a missing one. Raises StoreError for the file
        of another program and IndexTooNew for one of a newer version, both of which stay unchanged,
        and OSError, sqlite3.Error."""
        with suppress(FileNotFoundError):
            if require_regular(self.path).st_size > 0:
                self._require_own()
        make_private_cache(self.path)
        db = sqlite3.connect(
            self.path, timeout=self._busy_s, isolation_level=None, check_same_thread=False
        )
        try:
            require_ours(db, self._name, (self._script,))
            db.execute("PRAGMA secure_delete = ON")  # the default of few builds of SQLite
            self._lay_out(db)
        except BaseException:
            db.close()
            raise
        return db

    def _put_mark(self, db: sqlite3.Connection, more: str = "") -> None:
        """Mark a file and run `more` in the same transaction, so that no process finds a file with
        content and without the mark."""
        ((found,),) = db.execute("PRAGMA application_id")
        if found != self._mark:
            mark = f"PRAGMA application_id = {self._mark}"
            db.executescript(f"BEGIN; {more}; {mark}; COMMIT")

    def _migrate(self, db: sqlite3.Connection) -> None:
        """Run the script that creates the tables, if the file has not run it."""
        migrate(db, (self._script,), self._name)

    def _require_own(self) -> None:
        """Raise StoreError unless the file has the mark, or no mark and the tables of an earlier
        version. Raises IndexTooNew, and errors of SQLite for a file that cannot be read."""
        try:
            with closing(connect_to_identify(self.path)) as db:
                ((mark,),) = db.execute("PRAGMA application_id")
                if mark != self._mark and (mark or not self._has_our_tables(db)):
                    raise self._not_ours()
                known_version(db, _VERSION, self._name)
        except sqlite3.Error as error:
            if _is_damage(error):
                raise self._not_ours() from error
            raise

    def _has_our_tables(self, db: sqlite3.Connection) -> bool:
        with closing(self._empty()) as empty:
            ours = empty.execute(_DEFINITIONS).fetchall()
        with bounded_schema(db):
            return db.execute(_DEFINITIONS).fetchall() == ours

    def _empty(self) -> sqlite3.Connection:
        """Return an empty cache in memory."""
        empty = sqlite3.connect(":memory:", isolation_level=None)
        self._lay_out(empty)
        return empty

    def _not_ours(self) -> StoreError:
        return StoreError(
            f"{self._what} {self.path} is a file of another program, or a damaged cache of an"
            " earlier version: it is not used, and stays as it is",
            hint=f"if it is an old cache, remove {self.path}; if not, name another file in"
            " PINCITE_CACHE",
        )

    def _begin_again(self) -> None:
        """Write an empty cache over a damaged one. SQLite does so within a transaction, so other
        processes may have the file open. Raises StoreError if that fails."""
        try:
            with (
                closing(self._empty()) as empty,
                closing(sqlite3.connect(self.path, timeout=self._busy_s)) as damaged,
            ):
                damaged.execute("PRAGMA writable_schema = ON")  # reads a header of more pages
                empty.backup(damaged)
        except sqlite3.Error as error:
            raise StoreError(
                f"{self._what} {self.path} is damaged, and cannot be emptied: {error}",
                hint="remove that file: it is a cache",
            ) from error

    @contextmanager
    def _writing(self, db: sqlite3.Connection) -> Iterator[None]:
        """Open a transaction with the write lock: all changes or none."""
        db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise
        db.execute("COMMIT")


def _is_damage(error: sqlite3.Error) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGED


class TextCache(CacheFile):
    """A file of texts by keys of 16 bytes. It is open only during a call, and keeps the `most`
    texts that were stored last. `table` and `column` are its names in SQLite."""

    def __init__(
        self, path: Path, what: str, mark: int, table: str, column: str, most: int, busy_s: float
    ) -> None:
        script = (
            f"CREATE TABLE IF NOT EXISTS {table} (id INTEGER PRIMARY KEY AUTOINCREMENT,"
            f" key BLOB UNIQUE NOT NULL, {column} TEXT NOT NULL)"
        )
        super().__init__(path, what, mark, script, busy_s)
        self._table = table
        self._column = column
        self._most = most

    def get(self, keys: Sequence[bytes]) -> dict[bytes, str]:
        """Return the cached texts of `keys`."""

        def ask(db: sqlite3.Connection) -> dict[bytes, str]:
            found: dict[bytes, str] = {}
            for first in range(0, len(keys), _ASKED):
                part = keys[first : first + _ASKED]
                marks = ",".join("?" * len(part))
                query = f"SELECT key, {self._column} FROM {self._table} WHERE key IN ({marks})"
                found.update(db.execute(query, part).fetchall())
            return found

        return self._attempt(ask, {}) if keys and self._there() else {}

    def put(self, texts: Mapping[bytes, str]) -> None:
        """Store texts; the oldest are removed if there are too many."""

        def write(db: sqlite3.Connection) -> None:
            with self._writing(db):
                into = f"INSERT OR REPLACE INTO {self._table} (key, {self._column}) VALUES (?, ?)"
                db.executemany(into, texts.items())
                surplus = f"(SELECT max(0, count(*) - ?) FROM {self._table})"
                oldest = f"SELECT id FROM {self._table} ORDER BY id LIMIT {surplus}"
                db.execute(f"DELETE FROM {self._table} WHERE id IN ({oldest})", (self._most,))

        self._attempt(write, None, writes=True)

    def kept(self) -> int:
        """Return the number of texts, without creating the file. Raises as `forget`."""

        def count(db: sqlite3.Connection) -> int:
            ((found,),) = db.execute(f"SELECT count(*) FROM {self._table}")
            return int(found)

        return self._run(count, 0) if self._there() else 0

    def forget(self) -> int | None:
        """Erase all texts and return their number, or None if that failed, as the file may be in
        use. Raises StoreError for the file of another program and a damaged one, IndexTooNew."""

        def delete(db: sqlite3.Connection) -> int:
            with self._writing(db):
                count = db.execute(f"DELETE FROM {self._table}").rowcount
            db.execute("VACUUM")  # earlier versions did not overwrite what they removed
            return count

        nothing: int | None = None
        return self._run(delete, nothing) if self._there() else 0

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        with closing(self._connect()) as db:
            yield db

    def _lay_out(self, db: sqlite3.Connection) -> None:
        self._put_mark(db)
        self._migrate(db)

    def _close(self) -> None:
        """Do nothing: the file is never open between calls."""
