"""SQLite files of caches with private content: only their user can read them, and deleted content
is overwritten.

Any number of processes may use one file. A cache that fails costs a request, never a run, and a
damaged file is replaced by an empty one.
"""

from __future__ import annotations

import sqlite3
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, suppress
from pathlib import Path
from typing import Final, TypeVar

from pincite.support.databases.private_file import make_private_cache

R = TypeVar("R")
_ASKED: Final = 500  # keys in one statement; SQLite takes at least 999 parameters


class CacheFile(ABC):
    """A file of a cache. Safe to share among threads and processes."""

    def __init__(self, path: Path) -> None:
        """Prepare the cache. The file is opened at its first use."""
        self.path = path
        self._lock = threading.Lock()

    @abstractmethod
    def _opened(self) -> AbstractContextManager[sqlite3.Connection]:
        """Return the open file with its tables. Raises OSError, sqlite3.Error."""

    def _attempt(self, work: Callable[[sqlite3.Connection], R], otherwise: R) -> R:
        """Run `work`. Return `otherwise` if the cache is locked, full or not writable, or if a text
        cannot be stored."""
        with self._lock:
            for _ in range(2):
                try:
                    with self._opened() as db:
                        return work(db)
                except (sqlite3.OperationalError, UnicodeError, OSError):
                    return otherwise
                except sqlite3.DatabaseError:
                    self._begin_again()
        return otherwise

    def _begin_again(self) -> None:
        """Remove a damaged file."""
        for suffix in ("", "-wal", "-shm"):
            with suppress(OSError):
                self.path.with_name(self.path.name + suffix).unlink()


class TextCache(CacheFile):
    """A file of texts by keys of 16 bytes. It is open only during a call, and keeps the newest
    `most` texts. `table` and `column` are its names in SQLite, `busy_s` is the longest wait for
    another process."""

    def __init__(self, path: Path, table: str, column: str, most: int, busy_s: float) -> None:
        super().__init__(path)
        self._table = table
        self._column = column
        self._most = most
        self._busy_s = busy_s

    def get(self, keys: Sequence[bytes]) -> dict[bytes, str]:
        """Return the known ones of `keys`."""

        def ask(db: sqlite3.Connection) -> dict[bytes, str]:
            found: dict[bytes, str] = {}
            for first in range(0, len(keys), _ASKED):
                part = keys[first : first + _ASKED]
                marks = ",".join("?" * len(part))
                query = f"SELECT key, {self._column} FROM {self._table} WHERE key IN ({marks})"
                found.update(db.execute(query, part).fetchall())
            return found

        return self._attempt(ask, {}) if keys and self.path.is_file() else {}

    def put(self, texts: Mapping[bytes, str]) -> None:
        """Store texts; the oldest are removed if there are too many."""

        def write(db: sqlite3.Connection) -> None:
            with db:
                into = f"INSERT OR REPLACE INTO {self._table} (key, {self._column}) VALUES (?, ?)"
                db.executemany(into, texts.items())
                newest = f"(SELECT max(id) FROM {self._table})"
                db.execute(f"DELETE FROM {self._table} WHERE id <= {newest} - ?", (self._most,))

        self._attempt(write, None)

    def kept(self) -> int:
        """Return the number of texts, without creating the file."""

        def count(db: sqlite3.Connection) -> int:
            ((found,),) = db.execute(f"SELECT count(*) FROM {self._table}")
            return int(found)

        return self._attempt(count, 0) if self.path.is_file() else 0

    def forget(self) -> int | None:
        """Erase all texts; return their number, None if that failed: the file may be in use."""

        def delete(db: sqlite3.Connection) -> int:
            with db:
                count = db.execute(f"DELETE FROM {self._table}").rowcount
            db.execute("VACUUM")  # earlier versions did not overwrite what they removed
            return count

        nothing: int | None = None
        return self._attempt(delete, nothing) if self.path.is_file() else 0

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        make_private_cache(self.path)
        with closing(sqlite3.connect(self.path, timeout=self._busy_s)) as db:
            db.execute("PRAGMA secure_delete = ON")  # the default of few builds of SQLite
            db.execute(
                f"CREATE TABLE IF NOT EXISTS {self._table} (id INTEGER PRIMARY KEY AUTOINCREMENT,"
                f" key BLOB UNIQUE NOT NULL, {self._column} TEXT NOT NULL)"
            )
            yield db
