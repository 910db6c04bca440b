"""The tables of a catalog in SQLite as numbered steps, and the check of an existing file."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final

from pincite.catalog.outlines import TABLE
from pincite.support.databases.sqlite_schema import require_ours

# The number of chunks with each term. A change of a document is appended, and merged later.
_TERMS: Final = """
    ALTER TABLE documents ADD COLUMN counts BLOB NOT NULL DEFAULT x'';
    CREATE TABLE terms (
        collection TEXT NOT NULL REFERENCES collections ON DELETE CASCADE,
        term INTEGER NOT NULL, chunks INTEGER NOT NULL,
        PRIMARY KEY (collection, term)) WITHOUT ROWID;
    CREATE TABLE term_changes (
        number INTEGER PRIMARY KEY,
        collection TEXT NOT NULL REFERENCES collections ON DELETE CASCADE, change BLOB NOT NULL);
"""
_TOTALS: Final = """
    CREATE TABLE totals (
        collection TEXT NOT NULL REFERENCES collections ON DELETE CASCADE,
        source_type TEXT NOT NULL, documents INTEGER NOT NULL, chunks INTEGER NOT NULL,
        tokens INTEGER NOT NULL,
        PRIMARY KEY (collection, source_type)) WITHOUT ROWID;
    INSERT INTO totals SELECT collection, source_type, count(*), sum(chunks), sum(tokens)
        FROM documents GROUP BY collection, source_type;
"""
# Which documents have dense vectors, and the number of chunks in the others.
_EMBEDDED: Final = """
    ALTER TABLE documents ADD COLUMN embedded INTEGER NOT NULL DEFAULT 1;
    UPDATE documents SET embedded = 0 WHERE collection IN
        (SELECT name FROM collections WHERE json_extract(spec, '$.dense') IS NULL);
    ALTER TABLE totals ADD COLUMN unembedded INTEGER NOT NULL DEFAULT 0;
    UPDATE totals SET unembedded = chunks WHERE collection IN
        (SELECT name FROM collections WHERE json_extract(spec, '$.dense') IS NULL);
"""
MIGRATIONS: Final = (
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
        source_type TEXT NOT NULL,
        PRIMARY KEY (collection, source, path)) WITHOUT ROWID;
    CREATE INDEX documents_by_revision ON documents (collection, revision);
    """,
    """
    ALTER TABLE documents ADD COLUMN includes TEXT NOT NULL DEFAULT '';
    ALTER TABLE documents ADD COLUMN notes TEXT NOT NULL DEFAULT '';
    """,
    _TERMS,
    """
    ALTER TABLE documents ADD COLUMN attributes TEXT NOT NULL DEFAULT '{}';
    ALTER TABLE documents ADD COLUMN inherited TEXT NOT NULL DEFAULT '{}';
    ALTER TABLE documents ADD COLUMN chunk_attributes TEXT NOT NULL DEFAULT '';
    """,
    _TOTALS,
    _EMBEDDED,
    # Rows of earlier versions have no ids of chunks.
    "ALTER TABLE documents ADD COLUMN chunk_ids BLOB NOT NULL DEFAULT x'';",
    "SELECT 1",  # points of the embedded store are packed, which earlier versions cannot read
    TABLE,  # of outlines; those of existing documents are made while nobody searches
)
#: The table of ids is not a step: a catalog of any version may get it.
IDENTITY: Final = "CREATE TABLE IF NOT EXISTS identity (id TEXT PRIMARY KEY)"
#: `digest_of` the objects that all steps create. Creating them in each command would take 2 ms.
USUAL: Final = "49be054388891fc4d4ee509da030414c7fdaf2d0370d9a9a4a538be5fca0f931"


def require_catalog(database: sqlite3.Connection, path: Path | str) -> None:
    """Raise StoreError if the file has objects that these steps do not create. Raises IndexTooNew
    and errors of SQLite."""
    require_ours(database, f"the catalog {path}", MIGRATIONS, (IDENTITY,), usual=USUAL)
