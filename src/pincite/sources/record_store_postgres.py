"""The originals of records in PostgreSQL, for an index shared by several machines.

It is `RecordStore` with its SQL in PostgreSQL's dialect. Conditions on records are written in
SQLite's dialect, so they run on copies of the records in an in-memory SQLite table.
"""

from __future__ import annotations

import re
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import lru_cache
from typing import Any, Final

import msgspec
import psycopg

from pincite.errors import StoreError
from pincite.model import DocumentRecord
from pincite.sources.record_filter import add_functions
from pincite.sources.record_store import GOING, PENDING, RecordStore
from pincite.support.databases.postgres import connect, hang_up, translated

_S: Final = "pincite_index"
_TABLE: Final = re.compile(r"\b(FROM|INTO|JOIN|UPDATE) (sources|records|texts)\b")
_NAMES: Final = {"sources": "record_sources", "records": "records", "texts": "texts"}
_LONGEST_S: Final = 60.0  # of a statement; guess, unmeasured
_LOOKED_AT: Final = 2_000  # records in memory at a time

#: Name and number of the lease under which a collection is written, None if there is none.
LeaseOf = Callable[[str], tuple[str, int] | None]
#: Raises IndexUnavailable unless the row has the number of this process's lease.
Require = Callable[[Any, tuple[str, int]], None]


class PostgresRecords(RecordStore):
    """The records of a database prepared by `pincite workspace migrate`. Every change checks that
    the process still has its lease."""

    def __init__(
        self,
        address: str,
        lease_of: LeaseOf = lambda _: None,
        require: Require = lambda *_: None,
        guard: str = "",
    ) -> None:
        """Prepare the connection. `lease_of` returns the lease under which a collection is written,
        `guard` is the query for its number, and `require` checks the result. Raises StoreError,
        ConfigError."""
        self._lock = threading.RLock()
        self._lease_of, self._require, self._guard = lease_of, require, guard
        self._db: Any = _Database(connect(address))

    @contextmanager
    def _translated(self, verb: str) -> Iterator[None]:
        try:
            with translated():
                yield
        except (msgspec.MsgspecError, sqlite3.Error) as error:
            raise StoreError(
                f"the records in PostgreSQL cannot be {verb}: {error}",
                hint="restore the database from a backup, or write the records again",
            ) from error

    @contextmanager
    def _writing(self, collection: str = "") -> Iterator[Any]:
        """Run an atomic transaction. Raises IndexUnavailable if the lease was lost."""
        with self._lock, self._translated("written"), self._db.connection.transaction():
            if (held := self._lease_of(collection)) is not None:
                found = self._db.connection.execute(self._guard, (held[0],))
                self._require(found.fetchone(), held)
            yield self._db

    def unsettle(
        self, collection: str, source: str | None = None, keep: Iterable[DocumentRecord] = ()
    ) -> None:
        """See `RecordStore.unsettle`."""
        with self._writing(collection) as db:
            db.execute(
                f"UPDATE records SET state = {PENDING}, indexed = NULL WHERE state <> {GOING}"
                " AND path <> ALL(?) AND source IN (SELECT number FROM"
                " sources WHERE collection = ? AND name = coalesce(?, name))",
                ([one.path for one in keep], collection, source),
            )

    def mark(
        self,
        collection: str,
        source: str,
        condition: str,
        values: Sequence[object],
        paths: Sequence[str] | None = None,
    ) -> int:
        """See `RecordStore.mark`."""
        number, count = self._source(collection, source), 0
        with self._writing(collection) as db:
            for fitting in self._fitting(number, condition, values, paths):
                sql = f"UPDATE records SET state = {GOING} WHERE source = ? AND path = ANY(?)"
                count += db.execute(sql, (number, fitting)).rowcount
        return count

    def matching(
        self,
        collection: str,
        source: str,
        condition: str,
        values: Sequence[object],
        paths: Sequence[str] | None = None,
    ) -> int:
        """See `RecordStore.matching`."""
        number = self._source(collection, source)
        return sum(len(one) for one in self._fitting(number, condition, values, paths))

    def _fitting(
        self, number: int, condition: str, values: Sequence[object], paths: Sequence[str] | None
    ) -> Iterator[list[str]]:
        """Yield the paths of records for which the condition holds, in batches, in order."""
        after = ""
        among, given = ("", ()) if paths is None else (" AND path = ANY(?)", (list(paths),))
        with closing(sqlite3.connect(":memory:", isolation_level=None)) as looked_at:
            add_functions(looked_at)
            looked_at.create_function("text_of", 1, self._text_of)
            looked_at.executescript(
                "CREATE TABLE records"
                " (path, title, url, attributes, pages, number INTEGER PRIMARY KEY);"
                "CREATE VIEW texts AS SELECT number, text_of(number) AS text FROM records"
            )
            while rows := self._rows(
                "SELECT path, title, url, attributes, pages, number FROM records WHERE source = ?"
                f" AND state <> {GOING} AND path > ?{among} ORDER BY path LIMIT ?",
                (number, after, *given, _LOOKED_AT),
            ):
                after = rows[-1][0]
                looked_at.execute("DELETE FROM records")
                looked_at.executemany("INSERT INTO records VALUES (?, ?, ?, ?, ?, ?)", rows)
                sql = f"SELECT path FROM records AS r WHERE {condition}"
                with self._translated("read"):
                    yield [path for (path,) in looked_at.execute(sql, values)]

    def _text_of(self, number: int) -> str:
        return str(self._rows("SELECT text FROM texts WHERE number = ?", (number,))[0][0])

    def flush(self) -> None:
        """Do nothing: PostgreSQL frees space itself."""


class _Database:
    """A connection that accepts the SQL of `RecordStore`."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self.connection = connection

    def execute(self, sql: str, values: Sequence[object] = ()) -> psycopg.Cursor[Any]:
        """Run a statement of `RecordStore`."""
        with _bounded(self.connection):
            return self.connection.execute(_ours(sql), values)

    def executemany(self, sql: str, rows: Iterable[Sequence[object]]) -> None:
        """Run a statement for each row."""
        with _bounded(self.connection), self.connection.cursor() as cursor:
            cursor.executemany(_ours(sql), list(rows))

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()


@contextmanager
def _bounded(connection: psycopg.Connection[Any]) -> Iterator[None]:
    """Close the connection if a statement exceeds the time limit."""
    timer = threading.Timer(_LONGEST_S, hang_up, (connection,))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@lru_cache(maxsize=256)
def _ours(sql: str) -> bytes:
    named = _TABLE.sub(lambda found: f"{found[1]} {_S}.{_NAMES[found[2]]}", sql)
    return named.replace("%", "%%").replace("?", "%s").encode()
