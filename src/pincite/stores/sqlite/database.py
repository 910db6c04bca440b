"""The SQLite file: its tables, transactions and errors."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from pincite.errors import DiskFull, StoreError
from pincite.ports.predicate import has_phrase, has_words
from pincite.support.databases.sqlite_schema import (
    migrate,
    require_ours,
    require_sqlite_file,
    use_log,
)

#: The tokenizers of FTS5, by the names of `fts.Tokenizer`.
TOKENIZERS: Final = {
    "unicode61": "unicode61 remove_diacritics 2",
    "porter": "porter unicode61 remove_diacritics 2",
    "trigram": "trigram",
}


def index_of_words(table: str, tokenizer: str) -> str:
    """Return the statement that creates an index of words, which keeps no texts."""
    return (
        f"CREATE VIRTUAL TABLE {table} USING fts5(title, path, text, content='',"
        f" tokenize='{TOKENIZERS[tokenizer]}')"
    )


#: Sparse weights have their own table, because FTS5 splits, stems and weighs words differently from
#: Pincite's analyser. Collections that are searched with FTS5 also have an FTS5 index.
MIGRATIONS = (
    """
    CREATE TABLE collections (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, spec TEXT NOT NULL,
        dimensions INTEGER NOT NULL, version INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE revisions (
        id INTEGER PRIMARY KEY, collection INTEGER NOT NULL REFERENCES collections
        ON DELETE CASCADE, name TEXT NOT NULL, hidden INTEGER NOT NULL, UNIQUE (collection, name));
    CREATE TABLE points (
        key INTEGER PRIMARY KEY,
        revision INTEGER NOT NULL REFERENCES revisions ON DELETE CASCADE, id TEXT NOT NULL,
        repo TEXT NOT NULL, path TEXT NOT NULL, source_type TEXT NOT NULL, language TEXT NOT NULL,
        url TEXT, title TEXT NOT NULL, text TEXT NOT NULL, start_line INTEGER NOT NULL,
        end_line INTEGER NOT NULL, rest TEXT NOT NULL, length INTEGER NOT NULL,
        terms BLOB NOT NULL, weights BLOB NOT NULL, dense BLOB, UNIQUE (revision, id));
    CREATE INDEX points_by_id ON points (id);
    CREATE INDEX points_by_repo ON points (repo);
    CREATE TABLE symbols (
        key INTEGER NOT NULL REFERENCES points ON DELETE CASCADE, symbol TEXT NOT NULL,
        PRIMARY KEY (key, symbol)) WITHOUT ROWID;
    CREATE TABLE postings (
        collection INTEGER NOT NULL, term INTEGER NOT NULL, key INTEGER NOT NULL,
        weight REAL NOT NULL, PRIMARY KEY (collection, term, key)) WITHOUT ROWID;
    """,
    """
    CREATE TABLE attributes (
        key INTEGER NOT NULL REFERENCES points ON DELETE CASCADE, name TEXT NOT NULL,
        value NOT NULL, PRIMARY KEY (key, name, value)) WITHOUT ROWID;
    CREATE INDEX attributes_by_value ON attributes (name, value);
    """,
    "CREATE TABLE word_indexes (collection INTEGER PRIMARY KEY, tokenizer TEXT NOT NULL)",
)
_INDEXES_OF_WORDS: Final = tuple(
    index_of_words(f"words_{number}", tokenizer) for number, tokenizer in enumerate(TOKENIZERS)
)
_BUSY_S = 30.0


class Database:
    """An open file. Several processes may have it open; a writer waits for another."""

    def __init__(self, path: Path) -> None:
        """Open or create the file, and migrate its schema. Raises IndexTooNew, StoreError."""
        self.path = path
        with self.translated("opened"):
            path.parent.mkdir(parents=True, exist_ok=True)
            require_sqlite_file(path)
            self._db = sqlite3.connect(path, isolation_level=None, timeout=_BUSY_S)
        try:
            with self.translated("opened"):
                name = f"the store {self.path}"
                require_ours(self._db, name, MIGRATIONS, _INDEXES_OF_WORDS)
                use_log(self._db, _BUSY_S)
                self._db.execute("PRAGMA synchronous = NORMAL")
                self._db.execute("PRAGMA foreign_keys = ON")
                self._db.execute("CREATE TEMP TABLE chosen (slot INTEGER, value TEXT)")
                migrate(self._db, MIGRATIONS, name)
                for name, function in (
                    ("has_words", _both(has_words)),
                    ("has_phrase", _both(has_phrase)),
                    ("begins", _both(str.startswith)),
                ):
                    self._db.create_function(name, 2, function, deterministic=True)
        except BaseException:
            self._db.close()
            raise

    @contextmanager
    def translated(self, verb: str) -> Iterator[None]:
        """Translate SQLite's errors."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            code = getattr(error, "sqlite_errorcode", None)
            if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_WRITE):
                raise DiskFull(
                    f"the store {self.path} cannot be {verb}: {error}",
                    hint="make room on that disk, then run the same command again",
                ) from error
            raise StoreError(
                f"the store {self.path} cannot be {verb}: {error}", hint="pincite status"
            ) from error

    def read(self, sql: str, values: Sequence[object] = ()) -> list[Any]:
        """Return all rows."""
        with self.translated("read"):
            return self._db.execute(sql, values).fetchall()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """Run a transaction."""
        with self.translated("written"):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Run reads on one snapshot."""
        with self.translated("read"):
            self._db.execute("BEGIN")
            try:
                yield
            finally:
                self._db.execute("ROLLBACK")

    def choose(self, slot: int, values: Sequence[str]) -> None:
        """Store values under a slot of a temporary table, if there are too many for parameters."""
        with self.translated("read"):
            self._db.execute("DELETE FROM chosen WHERE slot = ?", (slot,))
            self._db.executemany("INSERT INTO chosen VALUES (?, ?)", ((slot, v) for v in values))

    def flush(self) -> None:
        """Make committed changes durable."""
        with self.translated("written"):
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Close the file."""
        self._db.close()


def _both(test: Any) -> Any:
    """Return an SQL function that applies the test to two strings, and is false if one is
    missing."""
    return lambda held, asked: held is not None and asked is not None and test(held, asked)
