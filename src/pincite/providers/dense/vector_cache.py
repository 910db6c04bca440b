"""The cache of vectors of paid providers in SQLite: (content hash, fingerprint of the model) ->
vector.

It contains no texts, but a vector tells what its text is about, so only the user may read the file.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import numpy as np

from pincite.model import Matrix
from pincite.support.databases.cache_file import CacheFile
from pincite.support.databases.sqlite_schema import use_log

_SCHEMA = """
CREATE TABLE IF NOT EXISTS models (id INTEGER PRIMARY KEY, fingerprint TEXT UNIQUE NOT NULL);
CREATE TABLE IF NOT EXISTS vectors (
    id INTEGER PRIMARY KEY, key BLOB UNIQUE NOT NULL, model INTEGER NOT NULL,
    used_at INTEGER NOT NULL, vector BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS vectors_by_use ON vectors (used_at);
"""
_MARK = 0x50494E56
_PAGE_BYTES = 16_384  # with the default of 4,096 a vector of 1,024 numbers fills two pages
_ASKED = 500  # keys in one statement; SQLite takes at least 999 parameters
_BUSY_S = 10.0
_FRESH_S = 86_400  # a use is recorded once a day, so that most hits need no write
_KEPT = 0.9  # share of the limit that is left after the least recently used entries are removed


def key_of(fingerprint: str, kind: str, texts: Sequence[str]) -> bytes:
    """Return 16 bytes that identify texts of one kind under one model."""
    digest = blake2b(f"{fingerprint}\0{kind}\0".encode(), digest_size=16)
    for text in texts:
        raw = text.encode("utf-8", "surrogatepass")
        digest.update(len(raw).to_bytes(8, "little"))
        digest.update(raw)
    return digest.digest()


@dataclass(frozen=True, slots=True)
class CacheStatus:
    """A cache and its content: bytes of the file, vectors by fingerprint."""

    path: str
    bytes: int
    limit_bytes: int
    models: Mapping[str, int]


class VectorCache(CacheFile):
    """A file of vectors of at most `limit_bytes`. Safe to share among threads and processes."""

    def __init__(self, path: Path, limit_bytes: int, now: Callable[[], float] = time.time) -> None:
        super().__init__(path, "the cache of embeddings", _MARK, _SCHEMA, _BUSY_S)
        self.limit_bytes = limit_bytes
        self._now = now
        self._database: sqlite3.Connection | None = None

    def get(self, keys: Sequence[bytes], dimensions: int) -> dict[bytes, Matrix]:
        """Return the known ones of `keys` as matrices of shape (vectors, dimensions)."""
        return self._attempt(lambda db: self._get(db, keys, dimensions), {})

    def put(self, fingerprint: str, vectors: Mapping[bytes, Matrix]) -> None:
        """Store vectors; the least recently used ones are removed if space is needed."""
        self._attempt(lambda db: self._put(db, fingerprint, vectors), None, writes=True)

    def status(self) -> CacheStatus:
        """Return what the cache contains, without creating it. Raises as `clear`."""
        empty = CacheStatus(str(self.path), 0, self.limit_bytes, {})
        return self._run(self._status, empty) if self._there() else empty

    def clear(self) -> int | None:
        """Remove everything; return the number of vectors or groups of vectors removed. None means
        that they may still be in the file, because another process uses it. Raises StoreError for a
        damaged file or that of another program, IndexTooNew for that of a newer version."""
        nothing: int | None = None
        return self._run(self._clear, nothing) if self._there() else 0

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._close()

    def _get(
        self, db: sqlite3.Connection, keys: Sequence[bytes], dimensions: int
    ) -> dict[bytes, Matrix]:
        found: dict[bytes, Matrix] = {}
        stale: list[tuple[int, bytes]] = []
        now = int(self._now())
        for start in range(0, len(keys), _ASKED):
            part = keys[start : start + _ASKED]
            marks = ",".join("?" * len(part))
            rows = db.execute(
                f"SELECT key, vector, used_at FROM vectors WHERE key IN ({marks})", part
            )
            for key, raw, used_at in rows:
                vector = np.frombuffer(raw, dtype="<f4")
                if dimensions and len(vector) % dimensions == 0:
                    found[key] = vector.reshape(-1, dimensions)
                if now - used_at > _FRESH_S:
                    stale.append((now, key))
        if stale:
            with self._writing(db):
                db.executemany("UPDATE vectors SET used_at = ? WHERE key = ?", stale)
        return found

    def _put(
        self, db: sqlite3.Connection, fingerprint: str, vectors: Mapping[bytes, Matrix]
    ) -> None:
        now = int(self._now())
        with self._writing(db):
            db.execute("INSERT OR IGNORE INTO models (fingerprint) VALUES (?)", (fingerprint,))
            query = "SELECT id FROM models WHERE fingerprint = ?"
            ((model,),) = db.execute(query, (fingerprint,))
            db.executemany(
                "INSERT OR REPLACE INTO vectors (key, model, used_at, vector) VALUES (?, ?, ?, ?)",
                ((k, model, now, m.astype("<f4").tobytes()) for k, m in vectors.items()),
            )
        self._shrink(db)

    def _shrink(self, db: sqlite3.Connection) -> None:
        size = _size(db)
        if size <= self.limit_bytes:
            return
        with self._writing(db):
            ((count,),) = db.execute("SELECT count(*) FROM vectors")
            surplus = -(-count * (size - int(self.limit_bytes * _KEPT)) // size)
            db.execute(
                "DELETE FROM vectors WHERE id IN"
                " (SELECT id FROM vectors ORDER BY used_at, id LIMIT ?)",
                (surplus,),
            )
            db.execute("DELETE FROM models WHERE id NOT IN (SELECT model FROM vectors)")
        db.executescript("PRAGMA incremental_vacuum")  # `execute` frees only one page

    def _status(self, db: sqlite3.Connection) -> CacheStatus:
        rows = db.execute(
            "SELECT fingerprint, count(*) FROM vectors JOIN models ON models.id = model"
            " GROUP BY fingerprint ORDER BY fingerprint"
        )
        return CacheStatus(str(self.path), _size(db), self.limit_bytes, dict(rows.fetchall()))

    def _clear(self, db: sqlite3.Connection) -> int:
        with self._writing(db):
            count = db.execute("DELETE FROM vectors").rowcount
            db.execute("DELETE FROM models")
        db.executescript("PRAGMA incremental_vacuum")  # `execute` frees only one page
        ((busy, *_),) = db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        if busy:  # the file itself is as before
            raise sqlite3.OperationalError("another process reads the file")
        return count

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        if self._database is None:
            self._database = self._connect()
        yield self._database

    def _lay_out(self, db: sqlite3.Connection) -> None:
        db.execute(f"PRAGMA page_size = {_PAGE_BYTES}")
        self._put_mark(db, "PRAGMA auto_vacuum = INCREMENTAL")
        use_log(db, _BUSY_S)
        db.execute("PRAGMA synchronous = NORMAL")
        self._migrate(db)

    def _close(self) -> None:
        if self._database is not None:
            self._database.close()
            self._database = None


def _size(db: sqlite3.Connection) -> int:
    """Return the bytes in use, without free pages."""
    ((pages,),) = db.execute(
        "SELECT page_count - freelist_count FROM pragma_page_count, pragma_freelist_count"
    )
    ((page,),) = db.execute("PRAGMA page_size")
    return int(pages) * int(page)
