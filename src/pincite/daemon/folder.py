"""The index folder, before anybody opens what is in it."""

from __future__ import annotations

import logging
from pathlib import Path

from pincite.daemon.read_only import may_write, read_only
from pincite.errors import IndexNotFound
from pincite.index.folder import make_folder, remember, require_own
from pincite.settings.stores import StoreSettings

log = logging.getLogger("pincite")


def prepare(root: Path, store: StoreSettings, *, create: bool) -> None:
    """Make the folder if it is not there and `create` is set, and settle its store. Says so where
    it can only be read. Raises IndexNotFound, IndexUnavailable, ConfigError."""
    require_own(root)
    if not (root / "catalog.db").exists():
        if not create:
            raise IndexNotFound(f"there is no index at {root}", hint="pincite index PATH")
        make_folder(root)
    if may_write(root):
        remember(root, store)
    else:
        log.warning("%s; searches are not logged", read_only(root).message)
