"""`[store]`: kind and address of the store of points.

[store]
kind = "qdrant"                   # edge (the default), sqlite, chroma, or qdrant
url = "https://qdrant.example"    # of a server; alone it means kind = "qdrant"
prefix = "team-"                  # of the names of its collections

An index folder remembers its store, because its catalog describes the content of that store.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pincite.errors import ConfigError
from pincite.settings.file.tables import converted, told_where
from pincite.settings.server_variables import server_key
from pincite.stores.settings import StoreSettings
from pincite.support.named_file import read_named_text
from pincite.support.wrong_values import closest_first

#: Variables with the keys of servers, by kind. `<NAME>_FILE` names a file with the key.
KEYS: Mapping[str, str] = {"qdrant": "PINCITE_QDRANT_KEY", "chroma": "PINCITE_CHROMA_KEY"}


def take_store_settings(table: dict[str, Any], origin: str) -> StoreSettings:
    """Remove `[store]` from a TOML file's `table`, and return its settings. Raises ConfigError."""
    given = table.pop("store", {})
    if not isinstance(given, Mapping):
        raise ConfigError(f"{origin}: [store] is a table, not {given!r}", at=("store",))
    for key in given:
        if key in ("key", "api_key", "token"):
            raise ConfigError(
                f"{origin}: [store]: keys are not allowed here",
                hint="use the environment, or key_file",
                at=("store", key),
            )
        if key not in StoreSettings.__struct_fields__:
            known = closest_first(key, StoreSettings.__struct_fields__)
            raise ConfigError(
                f"{origin}: unknown key 'store.{key}'; known keys: {known}", at=("store", key)
            )
    values = dict(given)
    if values.get("url"):
        values.setdefault("kind", "qdrant")
    with told_where(origin):
        return converted(values, StoreSettings, ("store",), ("store",))


def store_key(environ: Mapping[str, str], store: StoreSettings) -> str | None:
    """Return the key of the server from the environment, else from a file; None if there is none.
    Raises ConfigError."""
    variable = KEYS.get(store.kind, "")
    own = environ.get(variable, "").strip()
    if value := server_key(environ, variable, store.url) if store.kind == "qdrant" else own:
        return value
    file = environ.get(f"{variable}_FILE") or store.key_file
    if not variable or not file:
        return None
    try:
        value = read_named_text(Path(file).expanduser()).strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"the key file {file} cannot be read: {error}") from error
    if not value:
        raise ConfigError(f"the key file {file} is empty")
    if not value.isascii() or any(sign.isspace() for sign in value):
        # a `pincite.toml` from somebody else must not cause another file to be sent to a server
        raise ConfigError(f"the key file {file} does not hold a key of one line of ASCII")
    return value
