"""The path of the catalog in an index folder. This module is quick to import."""

from __future__ import annotations

from pathlib import Path
from typing import Final

CATALOG_FILE: Final = "catalog.db"


def catalog_of(folder: Path) -> Path:
    """Return the path of the catalog in an index folder."""
    return folder / CATALOG_FILE
