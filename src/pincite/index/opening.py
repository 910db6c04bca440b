"""The store of an index folder, opened as the folder or the settings say."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pincite.index.folder import Remembered, remembered
from pincite.settings.stores import StoreSettings, store_key
from pincite.stores.opening import (
    Opened,
    ServerOptions,
    open_chroma,
    open_edge,
    open_qdrant,
    open_sqlite,
)

_OF_SERVERS = tuple(
    name for name in StoreSettings.__dataclass_fields__ if name not in ("kind", "key_file")
)


def open_remembered(root: Path, environ: Mapping[str, str]) -> Opened:
    """The store of an index folder. Raises StoreError, UsageError."""
    return open_store(root, remembered(root), environ)


def open_store(root: Path, known: Remembered, environ: Mapping[str, str]) -> Opened:
    """A store, with its key from the environment. Raises StoreError, UsageError."""
    store = known.settings
    if store.kind == "edge":
        return open_edge(root, store.quantization, store.on_disk)
    if store.kind == "sqlite":
        return open_sqlite(root)
    options = ServerOptions(
        key=store_key(environ, store),
        owner=known.owner,
        **{name: getattr(store, name) for name in _OF_SERVERS},
    )
    return open_qdrant(options) if store.kind == "qdrant" else open_chroma(root, options)
