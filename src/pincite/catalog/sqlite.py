"""`pincite.ports.Catalog` in one SQLite file.

Write-ahead logging with `synchronous=NORMAL`: a commit survives a killed process at once and a loss
of power from the next checkpoint on, which is what the store beside it promises too.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import astuple, fields
from pathlib import Path

import msgspec

from pincite.errors import IndexTooNew, StoreError
from pincite.model import CollectionSpec, DocumentRecord, SourceRecord

MIGRATIONS = (
    """
    CREATE TABLE collections (name TEXT PRIMARY KEY, spec TEXT NOT NULL);
    CREATE TABLE sources (
        collection TEXT NOT NULL REFERENCES collections ON DELETE CASCADE,
        name TEXT NOT NULL, record TEXT NOT NULL, PRIMARY KEY (collection, name));
    CREATE TABLE documents (
        collection TEXT NOT NULL REFERENCES collections ON DELETE CASCADE,
        source TEXT NOT NULL, path TEXT NOT NULL, revision TEXT NOT NULL,
        content_hash TEXT NOT NULL, ref TEXT NOT NULL, size INTEGER NOT NULL,
        mtime_ns INTEGER NOT NULL, chunks INTEGER NOT NULL, tokens INTEGER NOT NULL,
        PRIMARY KEY (collection, source, path)) WITHOUT ROWID;
    CREATE INDEX documents_by_revision ON documents (collection, revision);
    """,
)

_COLUMNS = tuple(field.name for field in fields(DocumentRecord))


class SqliteCatalog:
    """An open catalogue. `path` is a file or `:memory:`."""

    def __init__(self, path: Path | str) -> None:
        """Open or create, and bring the schema up to date. Raises IndexTooNew, StoreError."""
        try:
            self._db = sqlite3.connect(str(path), isolation_level=None)
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._db.execute("PRAGMA foreign_keys = ON")
            self._migrate(path)
        except sqlite3.DatabaseError as error:
            raise StoreError(
                f"the catalogue {path} cannot be opened: {error}",
                hint="move the index folder away and index again",
            ) from error

    def _migrate(self, path: Path | str) -> None:
        (version,) = self._db.execute("PRAGMA user_version").fetchone()
        if version > len(MIGRATIONS):
            raise IndexTooNew(
                f"the catalogue {path} has schema {version}, this Pincite knows"
                f" {len(MIGRATIONS)}: it was written by a newer version",
                hint="pip install --upgrade pincite",
            )
        for number, script in enumerate(MIGRATIONS[version:], start=version + 1):
            self._db.executescript(f"BEGIN; {script}; PRAGMA user_version = {number}; COMMIT;")

    async def specs(self) -> tuple[CollectionSpec, ...]:
        rows = self._db.execute("SELECT spec FROM collections ORDER BY name")
        return tuple(msgspec.json.decode(spec, type=CollectionSpec) for (spec,) in rows)

    async def put_spec(self, spec: CollectionSpec) -> None:
        self._db.execute(
            "INSERT INTO collections VALUES (?, ?)"
            " ON CONFLICT (name) DO UPDATE SET spec = excluded.spec",
            (spec.name, msgspec.json.encode(spec).decode()),
        )

    async def drop(self, collection: str) -> None:
        self._db.execute("DELETE FROM collections WHERE name = ?", (collection,))

    async def sources(self, collection: str) -> tuple[SourceRecord, ...]:
        rows = self._db.execute(
            "SELECT record FROM sources WHERE collection = ? ORDER BY name", (collection,)
        )
        return tuple(msgspec.json.decode(record, type=SourceRecord) for (record,) in rows)

    async def put_source(self, collection: str, record: SourceRecord) -> None:
        self._db.execute(
            "INSERT OR REPLACE INTO sources VALUES (?, ?, ?)",
            (collection, record.source.name, msgspec.json.encode(record).decode()),
        )

    async def drop_source(self, collection: str, source: str) -> None:
        self._db.execute(
            "DELETE FROM sources WHERE collection = ? AND name = ?", (collection, source)
        )

    async def documents(
        self, collection: str, source: str | None = None
    ) -> tuple[DocumentRecord, ...]:
        only = "" if source is None else " AND source = :source"
        rows = self._db.execute(
            f"SELECT {', '.join(_COLUMNS)} FROM documents"  # noqa: S608 - constants only
            f" WHERE collection = :collection{only} ORDER BY source, path",
            {"collection": collection, "source": source},
        )
        return tuple(DocumentRecord(*row) for row in rows)

    async def revision(self, collection: str, source: str, path: str) -> str | None:
        row = self._db.execute(
            "SELECT revision FROM documents WHERE (collection, source, path) = (?, ?, ?)",
            (collection, source, path),
        ).fetchone()
        return None if row is None else str(row[0])

    async def totals(self, collection: str) -> tuple[int, int, int]:
        row = self._db.execute(
            "SELECT count(*), coalesce(sum(chunks), 0), coalesce(sum(tokens), 0)"
            " FROM documents WHERE collection = ?",
            (collection,),
        ).fetchone()
        return int(row[0]), int(row[1]), int(row[2])

    async def put(self, collection: str, records: Sequence[DocumentRecord]) -> None:
        marks = ", ".join("?" * (len(_COLUMNS) + 1))
        with self._db:  # one transaction
            self._db.execute("BEGIN")
            self._db.executemany(
                f"INSERT OR REPLACE INTO documents (collection, {', '.join(_COLUMNS)})"  # noqa: S608
                f" VALUES ({marks})",
                [(collection, *astuple(record)) for record in records],
            )

    async def delete(self, collection: str, revisions: Iterable[str]) -> None:
        with self._db:
            self._db.execute("BEGIN")
            self._db.executemany(
                "DELETE FROM documents WHERE collection = ? AND revision = ?",
                [(collection, revision) for revision in revisions],
            )

    async def checkpoint(self) -> None:
        """Make everything written so far survive a loss of power."""
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    async def close(self) -> None:
        self._db.close()
