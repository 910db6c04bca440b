"""Bring the schema of a SQLite file up to date, one numbered step after the other."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from pincite.errors import IndexTooNew, StoreError


def require_passive(database: sqlite3.Connection, name: str) -> None:
    """Raise StoreError for a file with triggers or views: none of ours has any, and those of a
    stranger run with each change, for ever if they like."""
    found = database.execute(
        "SELECT type, name FROM sqlite_master WHERE type IN ('trigger', 'view') LIMIT 1"
    ).fetchone()
    if found is not None:
        raise StoreError(
            f"{name} has a {found[0]}, {found[1]!r}, and Pincite makes none",
            hint="remove the file or its folder, then make it again",
        )


def migrate(database: sqlite3.Connection, migrations: Sequence[str], name: str) -> None:
    """Run the scripts that the file has not seen, each in a transaction of its own. The file stores
    their number in `user_version`. `name` is the name of the file in messages. Raises IndexTooNew
    if the file has seen more scripts than there are, StoreError, and errors of SQLite."""
    require_passive(database, name)
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if version > len(migrations):
        raise IndexTooNew(
            f"{name} has schema {version}, but this version of Pincite knows up to"
            f" {len(migrations)}: a newer version wrote it",
            hint="pip install --upgrade pincite",
        )
    for number, script in enumerate(migrations[version:], start=version + 1):
        database.executescript(f"BEGIN; {script}; PRAGMA user_version = {number}; COMMIT;")
