"""Open a store by its kind. The vendor's package is imported only then."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pincite.ports import Store
from pincite.stores.settings import StoreSettings


def _keep(names: Iterable[str]) -> None:
    """Remove nothing. This is `keep_only` of stores that leave no collections behind, or cannot
    tell."""
    tuple(names)


def _forget() -> None:
    """Do nothing. This is `forget` of stores that cache nothing."""


@dataclass(frozen=True, slots=True)
class Opened:
    """An opened store. `measured` is the store itself if it can measure its space, else None.
    `keep_only` removes other collections, left behind by a crash; `forget` releases cached data. A
    `remote` store may be temporarily unreachable."""

    store: Store
    measured: Any = None
    keep_only: Callable[[Iterable[str]], None] = _keep
    remote: bool = False
    forget: Callable[[], None] = _forget


def open_edge(
    root: Path,
    quantization: Literal["", "none", "scalar", "binary"] = "",
    on_disk: bool = False,
) -> Opened:
    """Open Qdrant Edge below `root`."""
    from pincite.stores.qdrant_edge.layout import USUAL, EdgeLayout
    from pincite.stores.qdrant_edge.store import EdgeStore

    store = EdgeStore(
        root / "collections", layout=EdgeLayout(quantization or USUAL.quantization, on_disk)
    )
    return Opened(store, store, store.keep_only, forget=store.forget)


def open_sqlite(root: Path, settings: StoreSettings = StoreSettings("sqlite")) -> Opened:
    """Open one SQLite file in `root`."""
    from pincite.stores.sqlite.fts import FtsConfig
    from pincite.stores.sqlite.store import SqliteStore

    weights = (settings.title_weight, settings.path_weight)
    words = FtsConfig(settings.tokenizer, *weights) if settings.keyword == "fts5" else None
    store = SqliteStore(root / "points.db", words)
    return Opened(store, store)


def open_qdrant(settings: StoreSettings, *, key: str | None, owner: str) -> Opened:
    """Open the Qdrant server of the settings; no request is sent yet. `owner` is the tag of our
    collections. Raises ConfigError."""
    from pincite.stores.qdrant.collections import Layout
    from pincite.stores.qdrant.connection import Connection, open_client
    from pincite.stores.qdrant.store import QdrantStore

    client = open_client(
        settings.url,
        key,
        grpc_port=settings.grpc_port or None,
        timeout_s=settings.timeout_s,
    )
    layout = Layout(
        settings.shards,
        settings.replicas,
        settings.write_consistency,
        settings.on_disk,
        settings.quantization or "none",
        settings.tenant,
        settings.segments,
    )
    store = QdrantStore(
        Connection(client, settings.url),
        owner=owner,
        prefix=settings.prefix,
        layout=layout,
        consistency=settings.consistency or None,
        filtered_idf=settings.idf == "filtered",
    )
    return Opened(store, remote=True)


def open_chroma(
    root: Path, settings: StoreSettings, *, key: str | None = None, owner: str = ""
) -> Opened:
    """Open a Chroma server, or a folder in `root` if no address is set. Raises ConfigError,
    StoreError."""
    from pincite.stores.chroma.database import Database, open_client
    from pincite.stores.chroma.store import ChromaStore

    folder = None if settings.url else root / "chroma"
    client = open_client(settings.url, folder, key)
    prefix = settings.prefix or "pincite-"
    where = settings.url or str(folder)
    return Opened(
        ChromaStore(Database(client, where), owner=owner, prefix=prefix),
        remote=bool(settings.url),
    )
