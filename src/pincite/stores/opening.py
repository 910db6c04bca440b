"""A store by its kind. Vendors are imported when one of theirs is opened."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pincite.ports import Store


def _keep(names: Iterable[str]) -> None:
    """What is on a server has an owner, and stays."""
    tuple(names)


@dataclass(frozen=True, slots=True)
class Opened:
    """A store. `measured` tells of the space that it takes, if it can; `keep_only` removes
    collections of other names that a crash has left behind. A `remote` one may be out of reach
    now and back later."""

    store: Store
    measured: Any = None
    keep_only: Callable[[Iterable[str]], None] = _keep
    remote: bool = False


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """How a server is reached, and how new collections are laid out."""

    url: str
    key: str | None = None
    owner: str = ""
    prefix: str = ""
    timeout_s: float = 30.0
    grpc_port: int = 0
    consistency: str = ""
    shards: int = 0
    replicas: int = 0
    write_consistency: int = 0
    on_disk: bool = False
    quantization: Literal["", "none", "scalar", "binary"] = ""
    tenant: Literal["", "repo", "path", "source_type", "language"] = ""


def open_edge(
    root: Path,
    quantization: Literal["", "none", "scalar", "binary"] = "",
    on_disk: bool = False,
) -> Opened:
    """Qdrant Edge below `root`."""
    from pincite.stores.qdrant_edge.layout import USUAL, EdgeLayout
    from pincite.stores.qdrant_edge.store import EdgeStore

    store = EdgeStore(
        root / "collections", layout=EdgeLayout(quantization or USUAL.quantization, on_disk)
    )
    return Opened(store, store, store.keep_only)


def open_sqlite(root: Path) -> Opened:
    """One file in `root`."""
    from pincite.stores.sqlite.store import SqliteStore

    store = SqliteStore(root / "points.db")
    return Opened(store, store)


def open_qdrant(options: ServerOptions) -> Opened:
    """A Qdrant server; nobody is asked yet. Raises UsageError."""
    from pincite.stores.qdrant.collections import Layout
    from pincite.stores.qdrant.connection import Connection, open_client
    from pincite.stores.qdrant.store import QdrantStore

    client = open_client(
        options.url,
        options.key,
        grpc_port=options.grpc_port or None,
        timeout_s=options.timeout_s,
    )
    layout = Layout(
        options.shards,
        options.replicas,
        options.write_consistency,
        options.on_disk,
        options.quantization or "none",
        options.tenant,
    )
    store = QdrantStore(
        Connection(client, options.url),
        owner=options.owner,
        prefix=options.prefix,
        layout=layout,
        consistency=options.consistency or None,
    )
    return Opened(store, remote=True)


def open_chroma(root: Path, options: ServerOptions) -> Opened:
    """A Chroma server, or a folder in `root` where there is no address. Raises UsageError,
    StoreError."""
    from pincite.stores.chroma.database import Database, open_client
    from pincite.stores.chroma.store import ChromaStore

    folder = None if options.url else root / "chroma"
    client = open_client(options.url, folder, options.key)
    prefix = options.prefix or "pincite-"
    where = options.url or str(folder)
    return Opened(
        ChromaStore(Database(client, where), owner=options.owner, prefix=prefix),
        remote=bool(options.url),
    )
