"""Bring the schema of a SQLite file up to date, one numbered step after the other."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from pincite.errors import IndexTooNew


def migrate(database: sqlite3.Connection, migrations: Sequence[str], name: str) -> None:
    """Run the scripts that the file has not seen, each in a transaction of its own. The file stores
    their number in `user_version`. `name` is the name of the file in messages. Raises IndexTooNew
    if the file has seen more scripts than there are, and errors of SQLite."""
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if version > len(migrations):
        raise IndexTooNew(
            f"{name} has schema {version}, but this version of Pincite knows up to"
            f" {len(migrations)}: a newer version wrote it",
            hint="pip install --upgrade pincite",
        )
    for number, script in enumerate(migrations[version:], start=version + 1):
        database.executescript(f"BEGIN; {script}; PRAGMA user_version = {number}; COMMIT;")
