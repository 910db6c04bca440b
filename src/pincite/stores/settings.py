"""The settings of a store: its kind, its address, and the layout of new collections."""

from __future__ import annotations

from typing import Literal

import msgspec

from pincite.errors import ConfigError

StoreKind = Literal["edge", "sqlite", "qdrant", "chroma"]


_COUNTS = ("grpc_port", "shards", "replicas", "write_consistency", "segments", "dimensions")


class StoreSettings(msgspec.Struct, frozen=True):
    """`url` is empty for stores in the index folder. What is 0 or empty is left to the store: a
    server's own default, and int8 vectors in the embedded one.

    `grpc_port`: points and searches go there, over gRPC. `consistency`: what reads ask of replicas
    (majority, quorum, all). The others are those of `stores.qdrant.collections.Layout`; the
    embedded engine has `on_disk` and `quantization`, too.

    `keyword`: who ranks by words in a store of kind `sqlite`, Pincite's BM25 or that of SQLite's
    FTS5, which cuts texts with the `tokenizer` and counts words of titles and paths so many times
    as those of the text. What was measured is in docs/decisions/0041.

    `dimensions`: a dense model with another number of them is refused before anything is indexed, 0
    for any. `fields`: the points of new collections have those of `ingestion.attributes.automatic`,
    too. `base` is the collection that is meant where none is named; where it is set each dense
    model has a collection of its own, the first one, too. `idf`: where the words of BM25 are
    counted, in the `collection` or in what the filter of each search lets be found.
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
        """Can the store compare a question with every vector?"""
        return self.kind != "chroma"

    @property
    def place(self) -> str:
        """The location in a few words."""
        where = f" at {self.url}" if self.url else ""
        return f"{self.kind}{where}{f', prefix {self.prefix}' if self.prefix else ''}"
