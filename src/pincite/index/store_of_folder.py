"""Open the store of an index folder, as the folder or the settings say."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pincite.index.folder import Remembered, remembered
from pincite.stores.open_store import (
    Opened,
    open_chroma,
    open_edge,
    open_qdrant,
    open_sqlite,
)


def open_remembered(root: Path, environ: Mapping[str, str]) -> Opened:
    """Open the store of an index folder. Raises StoreError, UsageError."""
    return open_store(root, remembered(root), environ)


def open_store(root: Path, known: Remembered, environ: Mapping[str, str]) -> Opened:
    """Open a store, with its key from the environment. Raises StoreError, UsageError."""
    store = known.settings
    if store.kind == "edge":
        return open_edge(root, store.quantization, store.on_disk)
    if store.kind == "sqlite":
        return open_sqlite(root, store)
    from pincite.settings.sections.stores import store_key  # late: servers alone need what it reads

    key = store_key(environ, store)
    if store.kind == "qdrant":
        return open_qdrant(store, key=key, owner=known.owner)
    return open_chroma(root, store, key=key, owner=known.owner)
