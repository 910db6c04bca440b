"""The cache of rewritten questions by language models, in SQLite: (model, prompt, question) ->
text.

Any number of processes may use one file. A failure of the cache costs a request, never a search,
and a damaged file is replaced by an empty one. Questions are stored only as hashes. The models'
texts are readable, so only the user may read the file.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import closing, suppress
from hashlib import blake2b
from pathlib import Path
from typing import Final, TypeVar

from pincite.support.databases.private_file import make_private_cache

R = TypeVar("R")
Key = tuple[str, str, str]

_SCHEMA: Final = (
    "CREATE TABLE IF NOT EXISTS wordings"
    " (id INTEGER PRIMARY KEY AUTOINCREMENT, key BLOB UNIQUE NOT NULL, text TEXT NOT NULL)"
)
_BUSY_S: Final = 0.5  # the longest wait of a search
_MOST: Final = 10_000  # texts of up to _CHARS each; the oldest are removed first
_CHARS: Final = 10_000  # the default limit of 400 tokens is a fifth of it


class Wordings(MutableMapping[Key, str]):
    """Texts by model, prompt and question: in memory, and in the file if there is one. The
    mapping's length and deletions concern the memory; the file keeps the newest `most`."""

    def __init__(self, path: Path | None, most: int = _MOST) -> None:
        """Prepare the cache. The file is opened at its first use."""
        self.path = path
        self._most = most
        self._memory: dict[Key, str] = {}
        self._lock = threading.Lock()

    def __getitem__(self, key: Key) -> str:
        if key not in self._memory:
            text = self._read(key)
            if text is None:
                raise KeyError(key)
            self._memory[key] = text
        return self._memory[key]

    def __setitem__(self, key: Key, text: str) -> None:
        self._memory[key] = text
        if len(text) <= _CHARS:
            self._write(key, text)

    def __delitem__(self, key: Key) -> None:
        del self._memory[key]

    def __iter__(self) -> Iterator[Key]:
        return iter(self._memory)

    def __len__(self) -> int:
        return len(self._memory)

    def kept(self) -> int:
        """Return the number of texts in the file, without creating it."""

        def count(db: sqlite3.Connection) -> int:
            ((found,),) = db.execute("SELECT count(*) FROM wordings")
            return int(found)

        return self._try(count, 0) if self.path is not None and self.path.is_file() else 0

    def forget(self) -> int | None:
        """Erase everything; return the number of texts that the file had, None if that failed: it
        may be in use."""
        self._memory.clear()

        def delete(db: sqlite3.Connection) -> int:
            with db:
                return db.execute("DELETE FROM wordings").rowcount

        nothing: int | None = None
        there = self.path is not None and self.path.is_file()
        return self._try(delete, nothing) if there else 0

    def _read(self, key: Key) -> str | None:
        def ask(db: sqlite3.Connection) -> str | None:
            row = db.execute("SELECT text FROM wordings WHERE key = ?", (_hash(key),)).fetchone()
            fits = row is not None and isinstance(row[0], str) and len(row[0]) <= _CHARS
            return row[0] if fits else None

        there = self.path is not None and self.path.is_file()
        return self._try(ask, None) if there else None

    def _write(self, key: Key, text: str) -> None:
        def write(db: sqlite3.Connection) -> None:
            with db:
                values = (_hash(key), text)
                db.execute("INSERT OR REPLACE INTO wordings (key, text) VALUES (?, ?)", values)
                oldest = "SELECT max(id) FROM wordings"
                db.execute(f"DELETE FROM wordings WHERE id <= ({oldest}) - ?", (self._most,))

        self._try(write, None)

    def _try(self, work: Callable[[sqlite3.Connection], R], otherwise: R) -> R:
        """Run `work`. Return `otherwise` if the cache is locked, full, not writable or of another
        format."""
        if self.path is None:
            return otherwise
        with self._lock:
            for _ in range(2):
                try:
                    make_private_cache(self.path)
                    with closing(sqlite3.connect(self.path, timeout=_BUSY_S)) as db:
                        db.execute("PRAGMA secure_delete = ON")
                        db.execute(_SCHEMA)
                        return work(db)
                except (sqlite3.OperationalError, UnicodeError, OSError):
                    return otherwise
                except sqlite3.DatabaseError:
                    with suppress(OSError):
                        self.path.unlink()
        return otherwise


def wordings_beside(cache: Path | None) -> Wordings:
    """Return the cache beside the cache of vectors; in memory only if there is no such path."""
    return Wordings(cache.with_name("wordings.db") if cache else None)


def _hash(key: Key) -> bytes:
    """Return 16 bytes that identify a question under one model and one prompt."""
    digest = blake2b(digest_size=16)
    for part in key:
        raw = part.encode("utf-8", "surrogatepass")
        digest.update(len(raw).to_bytes(8, "little") + raw)
    return digest.digest()
