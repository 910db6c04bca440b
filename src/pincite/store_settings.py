"""Where points are kept: a part of the settings.

[store]
kind = "qdrant"                   # edge (the usual one), sqlite, chroma, or qdrant
url = "https://qdrant.example"    # of a server; alone it means kind = "qdrant"
prefix = "team-"                  # of the names of its collections

An index folder remembers its store, for its catalogue says what is in there.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

import msgspec

from pincite.errors import ConfigError, StoreError

StoreKind = Literal["edge", "sqlite", "qdrant", "chroma"]
REMEMBERED = "store.json"
#: Keys of servers by kind; `<NAME>_FILE` names a file that holds one.
KEYS: Mapping[str, str] = {"qdrant": "PINCITE_QDRANT_KEY", "chroma": "PINCITE_CHROMA_KEY"}


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """`url` is empty for stores in the index folder. What is 0 or empty is left to the store: a
    server's own default, and int8 vectors in the embedded one.

    `grpc_port`: points and searches go there, over gRPC. `consistency`: what reads ask of replicas
    (majority, quorum, all). The others are those of `stores.qdrant.collections.Layout`; the
    embedded engine has `on_disk` and `quantization`, too.
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
    tenant: Literal["", "repo", "path", "source_type", "language"] = ""

    def __post_init__(self) -> None:
        if self.kind == "qdrant" and not self.url:
            raise ConfigError("a qdrant store needs a url")
        if self.kind in ("edge", "sqlite") and self.url:
            raise ConfigError(f"a store of kind {self.kind!r} has no url")
        if min(self.grpc_port, self.shards, self.replicas, self.write_consistency) < 0:
            raise ConfigError("numbers of a store are not negative")
        if self.timeout_s <= 0:
            raise ConfigError("store.timeout_s must be positive")

    @property
    def place(self) -> str:
        """Where it is, in a few words."""
        where = f" at {self.url}" if self.url else ""
        return f"{self.kind}{where}{f', prefix {self.prefix}' if self.prefix else ''}"


class Remembered(msgspec.Struct, frozen=True):
    """The store of an index folder. Collections on servers carry `owner`."""

    settings: StoreSettings
    owner: str


def take_store_settings(table: dict[str, Any], origin: str) -> StoreSettings:
    """The settings of the store, taken out of a TOML file's `table`. Raises ConfigError."""
    given = table.pop("store", {})
    if not isinstance(given, Mapping):
        raise ConfigError(f"{origin}: [store] is a table, not {given!r}")
    for key in given:
        if key in ("key", "api_key", "token"):
            raise ConfigError(
                f"{origin}: [store]: keys are not kept here",
                hint="use the environment, or key_file",
            )
        if key not in StoreSettings.__dataclass_fields__:
            known = ", ".join(StoreSettings.__dataclass_fields__)
            raise ConfigError(f"{origin}: unknown key 'store.{key}'; known here: {known}")
    values = dict(given)
    if values.get("url"):
        values.setdefault("kind", "qdrant")
    try:
        return msgspec.convert(values, StoreSettings)
    except (msgspec.ValidationError, ConfigError) as error:
        raise ConfigError(f"{origin}: [store]: {error}") from error


def store_key(environ: Mapping[str, str], store: StoreSettings) -> str | None:
    """The key of the server: of the environment, else of a file. Raises ConfigError."""
    variable = KEYS.get(store.kind, "")
    if value := environ.get(variable, "").strip():
        return value
    file = environ.get(f"{variable}_FILE") or store.key_file
    if not variable or not file:
        return None
    try:
        value = Path(file).expanduser().read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"the key file {file} cannot be read: {error}") from error
    if not value:
        raise ConfigError(f"the key file {file} is empty")
    return value


def remembered(root: Path) -> Remembered:
    """The store of an index folder; one that says nothing has the usual one. Raises StoreError."""
    try:
        return msgspec.json.decode((root / REMEMBERED).read_bytes(), type=Remembered)
    except FileNotFoundError:
        return Remembered(StoreSettings(), "")
    except (OSError, msgspec.MsgspecError) as error:
        raise StoreError(f"{root / REMEMBERED} cannot be read: {error}") from error


def remember(root: Path, store: StoreSettings) -> None:
    """Settle which store a new index folder has, or check that it still is the one. Raises
    ConfigError."""
    known = remembered(root)
    is_new = not (root / "catalog.db").exists() and not (root / REMEMBERED).exists()
    same = (known.settings.kind, known.settings.url, known.settings.prefix) == (
        *(store.kind, store.url, store.prefix),
    )
    if not same and not is_new:
        raise ConfigError(
            f"the index {root} has its points in another store ({known.settings.place}) than the"
            f" settings say ({store.place})",
            hint=f"pincite {'push' if store.url else 'pull'} to copy them there, or mend [store]",
        )
    if known.settings == store:
        return
    write_remembered(root, Remembered(store, known.owner or fresh_owner()))


def fresh_owner() -> str:
    """A name for an index that no other has."""
    return uuid4().hex


def write_remembered(root: Path, what: Remembered) -> None:
    """Let the folder remember this, at once or not at all."""
    fresh = root / f"{REMEMBERED}.{os.getpid()}.new"
    fresh.write_bytes(msgspec.json.encode(what))
    fresh.replace(root / REMEMBERED)
