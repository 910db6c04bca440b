"""The originals of records, in one SQLite file of the index folder: `records.db`.

When a collection is indexed again, chunks are made from these originals, and citations are checked
against them. A record has one of three states. Settled: the index has its current form. Pending: it
waits to be indexed. Going: it waits to be removed from the index. Only the holder of the
collection's lease writes.
"""

from __future__ import annotations

import shutil
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, Self

import msgspec

from pincite.errors import DiskFull, StoreError
from pincite.model import Attributes, DocumentRecord, KeptRecord, PageSpan
from pincite.sources.record_filter import add_functions
from pincite.sources.record_layout import layout_in, pages_text
from pincite.support.databases.private_file import require_private_file
from pincite.support.databases.sqlite_schema import (
    connect_to_read,
    migrate,
    require_ours,
    require_sqlite_file,
    use_log,
)
from pincite.support.decodable import ready
from pincite.support.fields import replace

_NAME: Final = "records.db"
_AT_ONCE = 500  # rows per lookup statement
_SETTLED, PENDING, GOING = 0, 1, 2
MIGRATIONS = (
    """
    CREATE TABLE sources (
        number INTEGER PRIMARY KEY, collection TEXT NOT NULL, name TEXT NOT NULL,
        UNIQUE (collection, name));
    CREATE TABLE records (
        number INTEGER PRIMARY KEY,
        source INTEGER NOT NULL REFERENCES sources ON DELETE CASCADE,
        path TEXT NOT NULL, id TEXT NOT NULL, title TEXT NOT NULL, url TEXT,
        language TEXT NOT NULL, attributes TEXT NOT NULL, pages TEXT NOT NULL,
        content_hash TEXT NOT NULL, shape TEXT NOT NULL, size INTEGER NOT NULL,
        updated INTEGER NOT NULL, state INTEGER NOT NULL, indexed BLOB,
        UNIQUE (source, path));
    CREATE INDEX unsettled ON records (source, state, path) WHERE state <> 0;
    CREATE TABLE texts (
        number INTEGER PRIMARY KEY REFERENCES records ON DELETE CASCADE, text TEXT NOT NULL);
    """,
    "CREATE INDEX by_id ON records (source, id);",
)
_PUT_TEXT = (
    "INSERT INTO texts VALUES (?, ?) ON CONFLICT (number) DO UPDATE SET text = excluded.text"
)
_STATE = "path, content_hash, shape, attributes, size, state, indexed"


class RecordState(msgspec.Struct, frozen=True):
    """A record without its text. `size` is in bytes. `settled`: the index has its current form.
    `indexed` is its document record in the catalog, None if there is none."""

    path: str
    content_hash: str
    shape: str
    attributes: Attributes
    size: int
    settled: bool
    indexed: DocumentRecord | None

    @property
    def stamp(self) -> int:
        """Return 48 bits that change with the content and the shape."""
        return int(self.content_hash[:6] + self.shape[:6], 16)


class RecordCounts(msgspec.Struct, frozen=True):
    """How many records of a collection are stored, and how many of them are pending. A run settles
    them in batches, so the index may have some of the pending ones already."""

    stored: int
    pending: int


def records_file(folder: Path) -> Path:
    """Return the file of an index folder's records."""
    return folder / _NAME


class RecordStore:
    """The open records of an index folder; a context manager. Safe to use from several threads."""

    def __init__(self, folder: Path, *, only_read: bool = False) -> None:
        """Open the file; create it if it is missing, unless `only_read`. Raises IndexTooNew,
        StoreError."""
        self._path = records_file(folder)
        self._lock = threading.RLock()
        with self._translated("opened"):
            require_sqlite_file(self._path)
            self._db = self._open_to_read() if only_read else self._open()
            add_functions(self._db)

    def _open(self) -> sqlite3.Connection:
        require_private_file(self._path, make=True)
        db = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False, timeout=60)
        try:
            self._require_ours(db)
            db.execute("PRAGMA auto_vacuum = INCREMENTAL")  # takes effect only in a new file
            use_log(db)
            db.execute("PRAGMA synchronous = FULL")  # no other copy of this data exists
            db.execute("PRAGMA foreign_keys = ON")
            db.execute("PRAGMA secure_delete = FAST")
            migrate(db, MIGRATIONS, f"the records {self._path}")
        except BaseException:
            db.close()
            raise
        return db

    def _require_ours(self, db: sqlite3.Connection) -> None:
        require_ours(db, f"the records {self._path}", MIGRATIONS)

    def _open_to_read(self) -> sqlite3.Connection:
        """Open the file only for reading, also in a folder without write access."""

        def begin(db: sqlite3.Connection) -> None:
            self._require_ours(db)
            db.execute("SELECT 1 FROM sources").fetchone()

        return connect_to_read(self._path, begin, one_thread=False)

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    @contextmanager
    def _translated(self, verb: str) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, OSError, msgspec.MsgspecError) as error:
            code = getattr(error, "sqlite_errorcode", 0)
            if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE):
                free = shutil.disk_usage(self._path.parent).free
                raise DiskFull(
                    f"the disk is full: {free / 1e6:.1f} MB are free at {self._path.parent};"
                    " earlier writes are complete",
                    hint="make room on that disk, then run the same command again",
                ) from error
            raise StoreError(
                f"the records {self._path} cannot be {verb}: {error}",
                hint="restore the file from a backup, or write the records again",
            ) from error

    def _rows(self, sql: str, values: Sequence[object] = ()) -> list[Any]:
        with self._lock, self._translated("read"):
            return self._db.execute(sql, values).fetchall()

    @contextmanager
    def _writing(self, collection: str = "") -> Iterator[sqlite3.Connection]:  # noqa: ARG002
        """Run an atomic transaction that writes to a collection."""
        with self._lock, self._translated("written"):
            try:
                self._db.execute("BEGIN IMMEDIATE")
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    def _source(self, collection: str, name: str) -> int:
        """Return the number of a source, 0 for one without records."""
        rows = self._rows(
            "SELECT number FROM sources WHERE (collection, name) = (?, ?)", (collection, name)
        )
        return int(rows[0][0]) if rows else 0

    def states(self, collection: str, source: str, paths: Sequence[str]) -> dict[str, RecordState]:
        """Return the states of records by path, without missing and going ones."""
        number, found = self._source(collection, source), {}
        for start in range(0, len(paths), _AT_ONCE):
            some = paths[start : start + _AT_ONCE]
            rows = self._rows(
                f"SELECT {_STATE} FROM records WHERE source = ? AND state <> {GOING}"
                f" AND path IN ({', '.join('?' * len(some))})",
                (number, *some),
            )
            found.update({row[0]: self._state(row) for row in rows})
        return found

    def paths_of(self, collection: str, source: str, id_: str) -> tuple[str, ...]:
        """Return the paths of all records with this id, in order. Such records differ in attributes
        that the collection requires."""
        rows = self._rows(
            f"SELECT path FROM records WHERE source = ? AND id = ? AND state <> {GOING}"
            " ORDER BY path",
            (self._source(collection, source), id_),
        )
        return tuple(row[0] for row in rows)

    def page(
        self, collection: str, source: str, after: str, limit: int, *, pending: bool = False
    ) -> list[RecordState]:
        """Return the next `limit` records after the path `after`, in the order of paths, without
        going ones. With `pending`, only those that wait to be indexed."""
        wanted = f"state = {PENDING}" if pending else f"state <> {GOING}"
        rows = self._rows(
            f"SELECT {_STATE} FROM records WHERE source = ? AND path > ? AND {wanted}"
            " ORDER BY path LIMIT ?",
            (self._source(collection, source), after, limit),
        )
        return [self._state(row) for row in rows]

    def _state(self, row: Sequence[Any]) -> RecordState:
        path, content_hash, shape, attributes, size, state, indexed = row
        with self._translated("read"):
            return RecordState(
                *(path, content_hash, shape, _ATTRIBUTES.decode(attributes)),
                *(size, state == _SETTLED, _INDEXED.decode(indexed) if indexed else None),
            )

    def get(self, collection: str, source: str, path: str) -> KeptRecord | None:
        """Return a record with its text, None if it is missing or going."""
        rows = self._rows(
            "SELECT path, id, text, pages, title, url, language, attributes FROM records"
            f" JOIN texts USING (number) WHERE source = ? AND path = ? AND state <> {GOING}",
            (self._source(collection, source), path),
        )
        if not rows:
            return None
        path, id_, text, pages, title, url, language, attributes = rows[0]
        with self._translated("read"):
            return KeptRecord(
                *(path, id_, text, tuple(_PAGES.decode(pages)), title, url, language),
                *(_ATTRIBUTES.decode(attributes), layout_in(pages)),
            )

    def put(self, collection: str, source: str, records: Iterable[KeptRecord]) -> None:
        """Store records, and replace those of the same path. All of them are pending then."""
        with self._writing(collection) as db:
            db.execute(
                "INSERT INTO sources (collection, name) VALUES (?, ?) ON CONFLICT DO NOTHING",
                (collection, source),
            )
            number = self._source(collection, source)
            for one in records:
                ((row,),) = db.execute(
                    "INSERT INTO records (source, path, id, title, url, language, attributes,"
                    " pages, content_hash, shape, size, updated, state)"
                    f" VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, {PENDING})"
                    " ON CONFLICT (source, path) DO UPDATE SET (id, title, url, language,"
                    " attributes, pages, content_hash, shape, size, updated, state) ="
                    " (excluded.id, excluded.title, excluded.url, excluded.language,"
                    " excluded.attributes, excluded.pages, excluded.content_hash, excluded.shape,"
                    " excluded.size, excluded.updated, excluded.state) RETURNING number",
                    (
                        *(number, one.path, one.id, one.title, one.url, one.language),
                        *(_text(one.attributes), pages_text(one.pages, one.layout)),
                        *(one.content_hash, one.shape, len(one.text.encode()), int(time.time())),
                    ),
                ).fetchall()
                db.execute(_PUT_TEXT, (row, one.text))

    def settle(self, collection: str, indexed: Iterable[DocumentRecord]) -> None:
        """Mark records as settled: the index has them with this content. A record whose content has
        changed since then stays pending."""
        numbers: dict[str, int] = {}
        with self._writing(collection) as db:
            for one in indexed:
                if one.source not in numbers:
                    numbers[one.source] = self._source(collection, one.source)
                db.execute(
                    f"UPDATE records SET state = {_SETTLED}, indexed = ?"
                    " WHERE (source, path, content_hash) = (?, ?, ?)",
                    (
                        msgspec.msgpack.encode(replace(one, inherited={})),
                        *(numbers[one.source], one.path, one.content_hash),
                    ),
                )

    def unsettle(
        self, collection: str, source: str | None = None, keep: Iterable[DocumentRecord] = ()
    ) -> None:
        """Mark all records of a collection, or of one of its sources, as pending, except those to
        `keep` and going ones."""
        with self._writing(collection) as db:
            db.execute("CREATE TEMP TABLE IF NOT EXISTS kept (path TEXT PRIMARY KEY)")
            db.execute("DELETE FROM kept")
            db.executemany("INSERT OR IGNORE INTO kept VALUES (?)", ((r.path,) for r in keep))
            db.execute(
                f"UPDATE records SET state = {PENDING}, indexed = NULL WHERE state <> {GOING}"
                " AND path NOT IN (SELECT path FROM kept) AND source IN (SELECT number FROM"
                " sources WHERE collection = ? AND name = coalesce(?, name))",
                (collection, source),
            )

    def count(self, collection: str, source: str) -> int:
        """Return the number of records of a source, without going ones."""
        number = self._source(collection, source)
        sql = f"SELECT count(*) FROM records WHERE source = ? AND state <> {GOING}"
        return int(self._rows(sql, (number,))[0][0])

    def unfinished(self) -> dict[str, RecordCounts]:
        """Return the counts of the collections that have pending records, by name."""
        joined = "FROM sources s JOIN records r ON r.source = s.number"
        pending = self._rows(
            f"SELECT collection, count(*) {joined} WHERE state = {PENDING}"
            " GROUP BY collection ORDER BY collection"
        )
        stored = f"SELECT count(*) {joined} WHERE collection = ? AND state <> {GOING}"
        return {
            name: RecordCounts(int(self._rows(stored, (name,))[0][0]), int(count))
            for name, count in pending
        }

    def mark(
        self,
        collection: str,
        source: str,
        condition: str,
        values: Sequence[object],
        paths: Sequence[str] | None = None,
    ) -> int:
        """Mark records as going if an SQL condition over `records r` holds, and return their
        number. With `paths`, only records with these paths. From then on, only `going` returns
        them."""
        among, named = _among(paths)
        with self._writing(collection) as db:
            return db.execute(
                f"UPDATE records AS r SET state = {GOING}"
                f" WHERE source = ? AND state <> {GOING}{among} AND ({condition})",
                (self._source(collection, source), *named, *values),
            ).rowcount

    def matching(
        self,
        collection: str,
        source: str,
        condition: str,
        values: Sequence[object],
        paths: Sequence[str] | None = None,
    ) -> int:
        """Return the number of records that `mark` would mark."""
        among, named = _among(paths)
        sql = f"SELECT count(*) FROM records r WHERE source = ? AND state <> {GOING}{among}"
        number = self._source(collection, source)
        return int(self._rows(f"{sql} AND ({condition})", (number, *named, *values))[0][0])

    def going(self, collection: str, source: str, limit: int) -> list[RecordState]:
        """Return up to `limit` records that are going, in the order of paths."""
        rows = self._rows(
            f"SELECT {_STATE} FROM records WHERE source = ? AND state = {GOING}"
            " ORDER BY path LIMIT ?",
            (self._source(collection, source), limit),
        )
        return [self._state(row) for row in rows]

    def purge(self, collection: str, source: str, paths: Sequence[str]) -> None:
        """Delete those of these records that are going."""
        number = self._source(collection, source)
        with self._writing(collection) as db:
            db.executemany(
                f"DELETE FROM records WHERE (source, path, state) = (?, ?, {GOING})",
                ((number, path) for path in paths),
            )

    def drop(self, collection: str, source: str | None = None) -> None:
        """Delete all records of a collection, or of one of its sources."""
        with self._writing(collection) as db:
            db.execute(
                "DELETE FROM sources WHERE collection = ? AND name = coalesce(?, name)",
                (collection, source),
            )
        self.flush()

    def flush(self) -> None:
        """Free unused space, and write SQLite's log into the file."""
        with self._lock, suppress(sqlite3.Error):  # if one fails, nothing is lost
            self._db.executescript("PRAGMA incremental_vacuum")  # `execute` frees only one page
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _among(paths: Sequence[str] | None) -> tuple[str, Sequence[str]]:
    return ("", ()) if paths is None else (f" AND path IN ({', '.join('?' * len(paths))})", paths)


_ATTRIBUTES = msgspec.json.Decoder(dict[str, str | int | float | bool | tuple[str, ...]])
_PAGES = msgspec.json.Decoder(ready(list[PageSpan]))
_INDEXED = msgspec.msgpack.Decoder(ready(DocumentRecord))


def _text(value: object) -> str:
    return msgspec.json.encode(value, order="deterministic").decode()
