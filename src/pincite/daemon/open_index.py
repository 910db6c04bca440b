"""Which index is used: the one place that decides."""

from __future__ import annotations

import logging
from pathlib import Path

from pincite.catalog.file import holds_index
from pincite.daemon.client import RemoteIndex
from pincite.daemon.protocol import ServedIndex
from pincite.daemon.read_only import may_write, read_only
from pincite.errors import IndexNotFound
from pincite.index.folder import make_folder, remember, require_own
from pincite.settings.load import Settings
from pincite.stores.settings import StoreSettings

log = logging.getLogger("pincite")


def open_index(settings: Settings) -> ServedIndex:
    """The index of the folder, served by its daemon; see `prepare` for one that may not be there
    yet. Nothing is started or connected before the first request. Close it."""
    return RemoteIndex(settings.index, settings.models, settings.idle_s)


def prepare(root: Path, store: StoreSettings, *, create: bool) -> None:
    """Make the folder if it is not there and `create` is set, and settle its store. Says so where
    it can only be read. Raises IndexNotFound, IndexUnavailable, ConfigError."""
    require_own(root)
    if not holds_index(root):
        if not create:
            raise IndexNotFound(f"there is no index at {root}", hint="pincite index PATH")
        make_folder(root)
    if may_write(root):
        remember(root, store)
    else:
        log.warning("%s; searches are not logged", read_only(root).message)
