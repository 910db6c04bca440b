"""The file in an index folder that holds its catalog. Where it is, there is an index."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pincite.ports import Catalog

_NAME: Final = "catalog.db"
#: What changes with every change of a catalog: its file, and the log that it writes ahead.
FILES: Final = (_NAME, f"{_NAME}-wal")


def holds_index(folder: Path) -> bool:
    """Is there an index in this folder? Not in one that cannot be reached."""
    try:
        return (folder / _NAME).is_file()
    except OSError:  # a name may be too long, or a folder closed
        return False


def open_catalog(folder: Path) -> Catalog:
    """The catalog of an index folder, made if there is none. Raises IndexTooNew, StoreError."""
    from pincite.catalog.sqlite import SqliteCatalog

    return SqliteCatalog(folder / _NAME)
