"""`[models]` and `[providers]`: model names, addresses, keys.

[models]
dense = "voyage:voyage-4"         # new collections; "bundled" is the default, and so is empty
rerank = "cohere:rerank-v4.0-fast"
llm = "ollama:qwen3"
vision = "ollama:qwen3-vl"        # describes pictures of documents; see docs/pdf.md

[collections.code]
dense = "voyage:voyage-code-3"
beside = true                     # another model gets a collection beside; see docs/models.md
depth = 120                       # hits of each side, for the profile's limits
weight = 0.5                      # what its hits count, for 1
require = ["course"]              # attributes that all have; see settings/sections/attributes.py

[providers.voyage]                # fields of `ProviderOptions`
concurrency = 8

[cache]
limit_mb = 1000
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from pincite.errors import ConfigError
from pincite.providers.names import parse_model
from pincite.providers.pace import Rate
from pincite.providers.provider_options import ProviderOptions
from pincite.providers.secret import Secret
from pincite.settings.file.tables import converted, told_where
from pincite.settings.sections.attributes import check_required
from pincite.settings.server_variables import shared_key
from pincite.support.named_file import read_named_text
from pincite.support.wrong_values import closest_first

if TYPE_CHECKING:
    from pincite.providers.registry import Provider

BUNDLED = "bundled"
MULTILINGUAL = "bundled:multilingual"  #: for other languages than English


def is_bundled(model: str) -> bool:
    """Return whether this is the name of a bundled model."""
    return model in ("", BUNDLED) or model.startswith(f"{BUNDLED}:")


_TABLES = ("models", "collections", "providers", "cache")
CACHE_MB = 1_000  # 250,000 vectors of 1,024 numbers


def _no_key(_: Provider) -> Secret | None:
    return None


class CollectionOptions(msgspec.Struct, frozen=True):
    """Options of one collection. `beside`: documents that are indexed with another model get a
    separate collection beside it. `depth`: number of semantic and of keyword hits, 0 for the limits
    of the profile. `weight`: factor for its fused scores. `require`: attributes that every document
    must have, None for the current ones."""

    beside: bool = False
    depth: int = 0
    weight: float = 1.0
    require: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        check_required(self.require or ())
        if self.depth < 0:
            raise ConfigError(f"depth is {self.depth}; it must not be negative")
        if not 0 < self.weight <= 1_000:
            raise ConfigError(f"weight is {self.weight}; it must be above 0 and at most 1000")


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Models by name; "" means that none is configured, and for `dense` the bundled one.
    `collections` has the dense models of single collections, `options` their other settings.
    `cache` is the file for cached vectors, None for no cache; `cache_place` is its path even if
    there is no cache, because earlier vectors may be there. `rates` is the database in which
    processes share rate limits, None for limits of this process only."""

    dense: str = ""
    rerank: str = ""
    llm: str = ""
    vision: str = ""
    collections: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, CollectionOptions] = field(default_factory=dict)
    providers: Mapping[str, ProviderOptions] = field(default_factory=dict)
    key_of: Callable[[Provider], Secret | None] = field(default=_no_key, repr=False)
    cache: Path | None = None
    cache_place: Path | None = None
    cache_bytes: int = CACHE_MB * 1_000_000
    rates: Path | None = None


def take_model_settings(
    table: dict[str, Any],
    origin: str,
    environ: Mapping[str, str],
    cache: Path | None,
    rates: Path | None = None,
) -> ModelSettings:
    """Remove the tables of models from a TOML file's `table`, and return their settings.

    Raises ConfigError, with `origin` and the key, for an unknown key or a value of a wrong type.
    """
    given = {name: _table(table.pop(name, {}), f"{origin}: [{name}]", (name,)) for name in _TABLES}
    models = {
        kind: _model(name, origin, ("models", kind))
        for kind, name in _only(given, origin, "models")
    }
    collections, options = {}, {}
    for name, values in given["collections"].items():
        where = f"{origin}: [collections.{name}]"
        path = ("collections", name)
        of_one = dict(_table(values, where, path))
        if (dense := of_one.pop("dense", "")) != "":
            collections[name] = _model(dense, origin, (*path, "dense")) or BUNDLED
        options[name] = _collection(of_one, where, path)
    providers = {
        n: _options(v, f"{origin}: [providers.{n}]", ("providers", n))
        for n, v in given["providers"].items()
    }
    limits = dict(_only(given, origin, "cache"))
    limit_mb = limits.get("limit_mb", CACHE_MB)
    if not isinstance(limit_mb, (int, float)) or not 0 <= limit_mb < 1e12:
        raise ConfigError(
            f"{origin}: cache.limit_mb is {limit_mb!r}; use a number, 0 for no cache",
            at=("cache", "limit_mb"),
        )
    return ModelSettings(
        **models,
        collections=collections,
        options=options,
        providers=providers,
        key_of=_Keyring(dict(environ), providers),
        cache=cache if limit_mb else None,
        cache_place=cache,
        cache_bytes=int(limit_mb * 1_000_000),
        rates=rates,
    )


_KNOWN = {"models": ("dense", "rerank", "llm", "vision"), "cache": ("limit_mb",)}


def _only(given: Mapping[str, Mapping[str, Any]], origin: str, name: str) -> list[tuple[str, Any]]:
    for key in given[name]:
        if key not in _KNOWN[name]:
            known = closest_first(key, _KNOWN[name])
            raise ConfigError(
                f"{origin}: unknown key '{name}.{key}'; known keys: {known}", at=(name, key)
            )
    return list(given[name].items())


def _table(value: object, where: str, path: tuple[str, ...]) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ConfigError(f"{where} is a table, not {value!r}", at=path)
    return value


def _model(value: object, origin: str, path: tuple[str, ...]) -> str:
    if value in (BUNDLED, ""):
        return ""
    try:
        return str(parse_model(value if isinstance(value, str) else repr(value)))
    except ConfigError as error:
        said = f"{origin}: {'.'.join(path)}: {error.message}"
        raise ConfigError(said, hint=error.hint, at=path) from error


def _collection(table: Mapping[str, Any], where: str, path: tuple[str, ...]) -> CollectionOptions:
    known = CollectionOptions.__struct_fields__
    for key in table:
        if key not in known:
            names = closest_first(key, ("dense", *known))
            raise ConfigError(f"{where}: unknown key {key!r}; known keys: {names}", at=(*path, key))
    with told_where(where):
        return converted(table, CollectionOptions, path)


def _options(value: object, where: str, path: tuple[str, ...]) -> ProviderOptions:
    table = _table(value, where, path)
    known = ProviderOptions.__struct_fields__
    for key in table:
        if key in ("key", "api_key", "token"):
            raise ConfigError(
                f"{where}: keys are not allowed here",
                hint="use the environment, or key_file",
                at=(*path, key),
            )
        if key not in known:
            names = closest_first(key, known)
            raise ConfigError(f"{where}: unknown key {key!r}; known keys: {names}", at=(*path, key))
    rates = _table(table.get("rates", {}), f"{where}: rates", (*path, "rates"))
    for model, of_one in rates.items():
        for key in _table(of_one, f"{where}: rates.{model!r}", (*path, "rates", model)):
            if key not in Rate.__struct_fields__:
                names = closest_first(key, Rate.__struct_fields__)
                raise ConfigError(
                    f"{where}: rates.{model!r}: unknown key {key!r}; known keys: {names}",
                    at=(*path, "rates", model, key),
                )
    with told_where(where):
        return converted(table, ProviderOptions, path)


class _Keyring:
    """Finds the key of a provider: in its variable, else in the file that `VARIABLE_FILE` names,
    else in its `key_file`. Its `repr` shows no keys."""

    def __init__(
        self, environ: Mapping[str, str], providers: Mapping[str, ProviderOptions]
    ) -> None:
        self._environ = environ
        self._providers = providers

    def __repr__(self) -> str:
        return "keys"

    def __call__(self, provider: Provider) -> Secret | None:
        if provider.key and (value := shared_key(self._environ, provider.key, provider.also)):
            return _key(value, provider.key)
        named = self._environ.get(f"{provider.key}_FILE", "") if provider.key else ""
        options = self._providers.get(provider.name)
        file = named or (options.key_file if options else "")
        if not file:
            return None
        try:
            value = read_named_text(Path(file).expanduser()).strip()
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(
                f"the key file {file} of {provider.name} cannot be read: {error}",
                hint=f"write the key into it, or export {provider.key}=...",
            ) from error
        return _key(value, f"the key file {file} of {provider.name}")


def _key(value: str, where: str) -> Secret:
    if not value or not value.isascii() or any(sign.isspace() for sign in value):
        raise ConfigError(f"{where} does not hold a key of one line of ASCII")
    return Secret(value)
