"""The cache of notes by vision models about pictures, in SQLite: key -> note.

Any number of processes may use one file. A failure of the cache costs a request, never a run, and a
damaged file is replaced by an empty one. Of a picture it contains only the hash. Notes are
readable, so only the user may read the file.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from hashlib import blake2b
from pathlib import Path
from typing import Final, TypeVar

from pincite.support.databases.private_file import make_private_cache

R = TypeVar("R")

_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS notes"
    " (id INTEGER PRIMARY KEY AUTOINCREMENT, key BLOB UNIQUE NOT NULL, note TEXT NOT NULL)"
)
_BUSY_S: Final = 10.0
_MOST: Final = 50_000  # notes of up to a kilobyte each; the oldest are removed first
_ASKED: Final = 500  # keys in one statement


def note_key(image: str, fingerprint: str, prompt: str) -> bytes:
    """Return 16 bytes that identify a picture, by its hash, under one model and one prompt."""
    joined = f"{image}\0{fingerprint}\0{prompt}"
    return blake2b(joined.encode("utf-8", "surrogatepass"), digest_size=16).digest()


class NoteCache:
    """A file of notes. Safe to share among threads and processes; it is open only during a call."""

    def __init__(self, path: Path, most: int = _MOST) -> None:
        self.path = path
        self._most = most
        self._lock = threading.Lock()

    def get(self, keys: Sequence[bytes]) -> dict[bytes, str]:
        """Return the known ones of `keys`."""

        def ask(db: sqlite3.Connection) -> dict[bytes, str]:
            found: dict[bytes, str] = {}
            for first in range(0, len(keys), _ASKED):
                part = keys[first : first + _ASKED]
                marks = ",".join("?" * len(part))
                rows = db.execute(f"SELECT key, note FROM notes WHERE key IN ({marks})", part)
                found.update(rows.fetchall())
            return found

        return self._try(ask, {}) if keys and self.path.is_file() else {}

    def put(self, notes: Mapping[bytes, str]) -> None:
        """Store notes; the oldest are removed if there are too many."""

        def write(db: sqlite3.Connection) -> None:
            with db:
                db.executemany("INSERT OR REPLACE INTO notes (key, note) VALUES (?, ?)",
                               notes.items())  # fmt: skip
                db.execute("DELETE FROM notes WHERE id <= (SELECT max(id) FROM notes) - ?",
                           (self._most,))  # fmt: skip

        self._try(write, None)

    def kept(self) -> int:
        """Return the number of notes, without creating the file."""

        def count(db: sqlite3.Connection) -> int:
            ((found,),) = db.execute("SELECT count(*) FROM notes")
            return int(found)

        return self._try(count, 0) if self.path.is_file() else 0

    def forget(self) -> int | None:
        """Erase all notes; return their number, None if that failed: the file may be in use."""

        def delete(db: sqlite3.Connection) -> int:
            with db:
                return db.execute("DELETE FROM notes").rowcount

        nothing: int | None = None
        return self._try(delete, nothing) if self.path.is_file() else 0

    def _try(self, work: Callable[[sqlite3.Connection], R], otherwise: R) -> R:
        """Run `work`. Return `otherwise` if the cache is locked, full or not writable."""
        with self._lock:
            for _ in range(2):
                try:
                    make_private_cache(self.path)
                    with closing(sqlite3.connect(self.path, timeout=_BUSY_S)) as db:
                        db.execute("PRAGMA secure_delete = ON")
                        db.execute(_SCHEMA)
                        return work(db)
                except (sqlite3.OperationalError, OSError):
                    return otherwise
                except sqlite3.DatabaseError:
                    with suppress(OSError):
                        self.path.unlink()
        return otherwise


def notes_beside(cache: Path) -> NoteCache:
    """Return the cache of notes that is beside the cache of vectors."""
    return NoteCache(cache.with_name("image-notes.db"))
