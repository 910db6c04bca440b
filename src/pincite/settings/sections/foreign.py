"""Collections of other programs on a Qdrant server: a part of the settings.

[collections.wiki]
qdrant = "wiki_v2"                # its name on the server
url = "https://qdrant.example"    # where that is not the server of [store]
model = "openai:text-embedding-3-small"
vector = "content_vec"            # where there are several
sparse = "bm25"                   # where there is a sparse vector
fields = { text = "page_content", path = "metadata.source", url = "metadata.url" }
depth = 120                       # and `weight`, as for collections of the index

`fields` may name a layout ("langchain"), or have one as `layout` beside keys that differ.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from pincite.errors import ConfigError
from pincite.model import SourceType
from pincite.providers.names import parse_model
from pincite.settings.file.tables import converted, told_where
from pincite.settings.sections.models import BUNDLED, CollectionOptions
from pincite.settings.sections.stores import KEYS, store_key
from pincite.stores.fields import FIELDS, LAYOUTS, FieldMap
from pincite.stores.settings import StoreSettings
from pincite.stores.validate import check_name
from pincite.support.wrong_values import closest_first

_KEY = KEYS["qdrant"]


class ForeignSettings(msgspec.Struct, frozen=True, kw_only=True):
    """A table of [collections] for a collection of another program. `sparse_model` names the
    encoder for the sparse vector, as in `pincite index --sparse`. `depth` and `weight` are those of
    `CollectionOptions`. `kind` and `language` apply to points without their own."""

    qdrant: str
    model: str
    fields: str | dict[str, str]
    url: str = ""
    key_file: str = ""
    timeout_s: float = 30.0
    vector: str = ""
    sparse: str = ""
    sparse_model: str = "qdrant-bm25"
    kind: SourceType = "docs"
    language: str = "english"
    depth: int = 0
    weight: float = 1.0

    def __post_init__(self) -> None:
        if not self.qdrant:
            raise ConfigError("qdrant is empty; it is the collection's name on the server")
        if self.model != BUNDLED:
            parse_model(self.model)
        if self.timeout_s <= 0:
            raise ConfigError(f"timeout_s is {self.timeout_s}; it must be positive")
        CollectionOptions(depth=self.depth, weight=self.weight)
        _keys(self.fields)

    def field_map(self, name: str) -> FieldMap:
        """Return the payload keys of the fields, for the collection with this `name` here."""
        keys = _keys(self.fields)
        return FieldMap(keys, name, self.kind, self.language if self.kind == "code" else "")


def take_foreign_settings(
    table: dict[str, Any], origin: str, store: StoreSettings
) -> dict[str, ForeignSettings]:
    """Remove the tables of [collections] that name a collection on a server from a TOML file's
    `table`, and return them by name. Raises ConfigError."""
    given = table.get("collections")
    if not isinstance(given, Mapping):
        return {}
    theirs = {n: v for n, v in given.items() if isinstance(v, Mapping) and "qdrant" in v}
    table["collections"] = {name: value for name, value in given.items() if name not in theirs}
    found = {}
    for name, values in theirs.items():
        check_name(name)
        found[name] = _one(values, f"{origin}: [collections.{name}]", ("collections", name), store)
    return found


def key_of(
    environ: Mapping[str, str],
    store: StoreSettings,
    one: ForeignSettings,
    every: Mapping[str, ForeignSettings],
) -> str | None:
    """Return the key of a collection's server, None if there is none. The key of the environment is
    for the server of [store]; if [store] names none, for the server of the foreign collections, if
    all have the same one. Raises ConfigError."""
    if one.key_file:
        given = StoreSettings("qdrant", one.url, key_file=one.key_file)
        return store_key({}, given)
    if store.kind == "qdrant":
        return store_key(environ, store) if one.url == store.url else None
    alone = len({other.url for other in every.values()}) == 1
    return store_key(environ, StoreSettings("qdrant", one.url)) if alone else None


def _one(
    values: Mapping[str, Any], where: str, path: tuple[str, ...], store: StoreSettings
) -> ForeignSettings:
    for key in values:
        if key in ("key", "api_key", "token"):
            raise ConfigError(
                f"{where}: keys are not allowed here",
                hint=f"use {_KEY}, or key_file",
                at=(*path, key),
            )
        if key not in ForeignSettings.__struct_fields__:
            known = closest_first(key, ForeignSettings.__struct_fields__)
            raise ConfigError(f"{where}: unknown key {key!r}; known keys: {known}", at=(*path, key))
    here = store.url if store.kind == "qdrant" else ""
    url = values.get("url") or here
    if not url:
        raise ConfigError(f"{where}: no server is named; give a `url`, or one to [store]", at=path)
    with told_where(where):
        return converted({**values, "url": url}, ForeignSettings, path)


def _keys(given: str | Mapping[str, str]) -> Mapping[str, str]:
    """Return the payload keys by field. Raises ConfigError."""
    own = {} if isinstance(given, str) else dict(given)
    layout = given if isinstance(given, str) else own.pop("layout", "")
    if layout and layout not in LAYOUTS:
        raise ConfigError(f"no layout is named {layout!r}; known layouts: {', '.join(LAYOUTS)}")
    for name in own:
        if name not in FIELDS:
            raise ConfigError(f"fields.{name} is unknown; known fields: {', '.join(FIELDS)}")
    keys = {**LAYOUTS.get(layout, {}), **own}
    if not keys.get("text"):
        raise ConfigError("fields.text is missing: citations need a text")
    return {name: key for name, key in keys.items() if key}
