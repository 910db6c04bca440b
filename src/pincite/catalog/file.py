"""The catalog file in an index folder. A folder with this file has an index."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Final

from pincite.catalog.place import CATALOG_FILE, catalog_of
from pincite.errors import IndexTooNew, StoreError
from pincite.ports import Catalog
from pincite.support.databases.private_file import require_regular

#: Files that change with every change of a catalog: its file and its write-ahead log.
FILES: Final = (CATALOG_FILE, f"{CATALOG_FILE}-wal")
_READ_S: Final = 10.0  # guess, unmeasured


def holds_index(folder: Path) -> bool:
    """Return whether the folder has an index; False if the folder cannot be read."""
    try:
        return catalog_of(folder).is_file()
    except OSError:  # the name is too long, or the folder is not accessible
        return False


def holds_collections(folder: Path) -> bool:
    """Return whether the catalog of an index folder has a collection; True if it cannot be read."""
    import sqlite3

    from pincite.catalog.schema import require_catalog
    from pincite.support.databases.bounded import bounded
    from pincite.support.databases.sqlite_schema import require_no_journal

    try:
        require_regular(catalog_of(folder))
        require_no_journal(catalog_of(folder))
        place = f"{catalog_of(folder).resolve().as_uri()}?mode=ro"
        with closing(sqlite3.connect(place, uri=True)) as database:
            require_catalog(database, place)
            with bounded(database, _READ_S):
                found = database.execute("SELECT EXISTS (SELECT 1 FROM collections)").fetchone()
    except (OSError, ValueError, sqlite3.Error, IndexTooNew, StoreError):
        return True
    return bool(found[0])


def open_catalog(folder: Path) -> Catalog:
    """Open the catalog of an index folder, or create it. Raises IndexTooNew, StoreError."""
    from pincite.catalog.sqlite import SqliteCatalog

    catalog = SqliteCatalog(catalog_of(folder))
    if catalog.made:
        from pincite.catalog.trusted_indexes import remember_index

        remember_index(folder, catalog.made)
    catalog.note_changes()
    return catalog
