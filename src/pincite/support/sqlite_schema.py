"""The schema of a SQLite file, brought up to date one numbered step after the other."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from pincite.errors import IndexTooNew


def migrate(database: sqlite3.Connection, migrations: Sequence[str], name: str) -> None:
    """Run those of the scripts that the file has not seen, each in a transaction of its own. The
    file keeps in `user_version` how many it has. `name` is what messages call the file. Raises
    IndexTooNew if it has more than there are, and what SQLite raises.
    """
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if version > len(migrations):
        raise IndexTooNew(
            f"{name} has schema {version}, this Pincite knows {len(migrations)}: it was written by"
            " a newer version",
            hint="pip install --upgrade pincite",
        )
    for number, script in enumerate(migrations[version:], start=version + 1):
        database.executescript(f"BEGIN; {script}; PRAGMA user_version = {number}; COMMIT;")
