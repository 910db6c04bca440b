"""The settings of a store: its kind, its address, and the layout of new collections."""

from __future__ import annotations

from typing import Literal

import msgspec

from pincite.errors import ConfigError

StoreKind = Literal["edge", "sqlite", "qdrant", "chroma"]


_COUNTS = ("grpc_port", "shards", "replicas", "write_consistency", "segments", "dimensions")


class StoreSettings(msgspec.Struct, frozen=True):
    """The settings of a store. `url` is empty for stores in the index folder. Zero and empty values
    stand for the store's defaults: those of a server, and int8 vectors in the embedded store.

    With `grpc_port`, points and searches are sent over gRPC. `consistency` is the read consistency
    of replicas (majority, quorum, all). `shards`, `replicas`, `write_consistency`, `on_disk`,
    `quantization`, `tenant` and `segments` are those of `stores.qdrant.collections.Layout`; the
    embedded store has `on_disk` and `quantization`, too.

    `keyword` is the ranking by words in a store of kind `sqlite`: Pincite's BM25, or that of
    SQLite's FTS5. FTS5 splits texts with the `tokenizer`, and weighs words of titles and paths by
    `title_weight` and `path_weight` where a word of the text has 1. Measurements are in
    docs/decisions/0041.

    A dense model with other `dimensions` is refused before anything is indexed; 0 allows any. With
    `fields`, the points of new collections also have the fields of
    `ingestion.attributes.automatic`. `base` is the default collection; if it is set, each dense
    model has a collection of its own, also the first one. `idf` says where the words of BM25 are
    counted: in the `collection`, or in the points that match the filter of a search.
    """

    kind: StoreKind = "edge"
    url: str = ""
    prefix: str = ""
    key_file: str = ""
    timeout_s: float = 30.0
    grpc_port: int = 0
    consistency: Literal["", "majority", "quorum", "all"] = ""
    shards: int = 0
    replicas: int = 0
    write_consistency: int = 0
    on_disk: bool = False
    quantization: Literal["", "none", "scalar", "binary"] = ""
    tenant: Literal["", "repo", "path", "source_type", "language", "user_id", "space_id"] = ""
    segments: int = 0
    dimensions: int = 0
    fields: Literal["", "notes", "workspace"] = ""
    base: str = ""
    keyword: Literal["bm25", "fts5"] = "bm25"
    tokenizer: Literal["unicode61", "porter", "trigram"] = "porter"
    title_weight: float = 1.0
    path_weight: float = 1.0
    idf: Literal["collection", "filtered"] = "collection"

    def __post_init__(self) -> None:
        if self.kind == "qdrant" and not self.url:
            raise ConfigError("a store of kind qdrant needs a url")
        if self.kind in ("edge", "sqlite") and self.url:
            raise ConfigError(
                f"a store of kind {self.kind!r} has no url",
                hint="remove one of them",
                keys=("store.kind", "store.url"),
            )
        for name in _COUNTS:
            if getattr(self, name) < 0:
                raise ConfigError(f"store.{name} is {getattr(self, name)}; it must not be negative")
        if self.timeout_s <= 0:
            raise ConfigError(f"store.timeout_s is {self.timeout_s}; it must be positive")
        if self.keyword == "fts5" and self.kind != "sqlite":
            raise ConfigError(
                f"a store of kind {self.kind!r} has no FTS5",
                hint='set kind = "sqlite", or remove keyword',
                keys=("store.kind", "store.keyword"),
            )
        if self.idf == "filtered" and self.kind != "qdrant":
            raise ConfigError(
                f"a store of kind {self.kind!r} always counts words in the whole collection",
                hint="use a Qdrant server, or remove idf",
                keys=("store.kind", "store.idf"),
            )
        for name in ("title_weight", "path_weight"):
            if not 0 <= getattr(self, name) <= 1_000:
                raise ConfigError(
                    f"store.{name} is {getattr(self, name)}; it must be between 0 and 1000"
                )

    @property
    def exact(self) -> bool:
        """Return whether the store can compare a question with every vector."""
        return self.kind != "chroma"

    @property
    def place(self) -> str:
        """Return the location in a few words."""
        where = f" at {self.url}" if self.url else ""
        return f"{self.kind}{where}{f', prefix {self.prefix}' if self.prefix else ''}"
