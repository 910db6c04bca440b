"""Effective settings, each with the file or variable that set it. Secrets are shown as "set"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pincite.catalog.file import holds_index
from pincite.errors import UsageError
from pincite.providers.registry import builtin_providers
from pincite.settings.file.keys import in_force
from pincite.settings.file.layers import DEFAULT, Layer, layer_of, merged, with_preset
from pincite.settings.file.toml_file import KeyPath
from pincite.settings.file.toml_text import dotted
from pincite.settings.load import Settings
from pincite.settings.sections.stores import KEYS
from pincite.support.fields import replace

HIDDEN = "(hidden)"
_SECRET = re.compile(r"key|token|secret|passw|auth|credential|cookie", re.IGNORECASE)
_CREDENTIALS = re.compile(r"(?<=://)[^/\s@]*@")


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting, named by its key in `pincite.toml` or by its variable. `origin` is the place that
    set it; `file` and `line` are set if that is a file and the line is known. The value of a secret
    is only "set" or "not set"."""

    name: str
    value: Any
    origin: str
    file: str | None = None
    line: int | None = None
    secret: bool = False


def settings_in_force(
    settings: Settings,
    environ: Mapping[str, str],
    *,
    index_option: bool = False,
    preset: str | None = None,
) -> tuple[Setting, ...]:
    """Return all settings: first keys of files, then those that only variables set. `preset` is
    that of an option, which replaces the preset of the files. Raises ConfigError if it contradicts
    other settings."""
    layers: Sequence[Layer] = settings.layers
    if preset is not None:
        settings.preset(preset)  # raises the error for contradictions
        layers = [
            replace(layer, origin=f"--preset {preset}") if layer.preset else layer
            for layer in with_preset(layers, preset)
        ]
    keys = (_of_key(path, value, layers) for path, value in _sorted(layers))
    return (*keys, *_of_variables(settings, environ, index_option), *_secrets(settings, environ))


def only(settings: Sequence[Setting], wanted: Sequence[str]) -> tuple[Setting, ...]:
    """Return the settings with these names, or in tables with these names; all without names.
    Raises UsageError for an unknown name."""
    for name in wanted:
        if not any(_is(one.name, name) for one in settings):
            from difflib import get_close_matches

            parts = [one.name.split(".") for one in settings]
            known = {".".join(part[:size]) for part in parts for size in range(1, len(part) + 1)}
            near = get_close_matches(name, sorted(known))
            raise UsageError(
                f"no setting is named {name!r}",
                hint=" or ".join(f"pincite config show {one}" for one in near)
                or "pincite config show lists all settings",
            )
    return tuple(one for one in settings if not wanted or any(_is(one.name, n) for n in wanted))


def _is(name: str, wanted: str) -> bool:
    return name == wanted or name.startswith(f"{wanted}.")


def _sorted(layers: Sequence[Layer]) -> list[tuple[KeyPath, object]]:
    """Return the values by key, in the order of the documentation, one table after the other."""
    found = in_force(merged(layers))
    tables: dict[KeyPath, list[KeyPath]] = {}
    for path in found:
        named = path[0] in ("collections", "providers", "source")
        tables.setdefault(path[:2] if named else path[:1], []).append(path)
    return [(path, found[path]) for table in tables.values() for path in table]


def _of_key(path: KeyPath, value: object, layers: Sequence[Layer]) -> Setting:
    name, shown = dotted(path), safe(path, value)
    set_by, layer = path, layer_of(layers, path)
    if layer is None and path == ("store", "kind"):  # set by a url without a kind
        set_by = ("store", "url")
        layer = layer_of(layers, set_by) if value == "qdrant" else None
    if layer is None:
        return Setting(name, shown, DEFAULT)
    file = str(layer.file) if layer.file else None
    return Setting(name, shown, layer.place(set_by), file, layer.line(set_by))


def safe(path: KeyPath, value: object) -> object:
    """Return the value of a key without passwords in addresses. In `body` of providers, where keys
    are free, values with names of secrets are hidden, too."""
    if isinstance(value, Mapping):
        return {key: safe((*path, key), inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [safe(path, inner) for inner in value]
    if not isinstance(value, str):
        return value
    free = path[0] == "providers" and "body" in path
    return HIDDEN if free and any(map(_SECRET.search, path)) else _CREDENTIALS.sub("...@", value)


def _of_variables(
    settings: Settings, environ: Mapping[str, str], index_option: bool
) -> Iterator[Setting]:
    found = holds_index(settings.index)
    values: Mapping[str, tuple[object, str]] = {
        "PINCITE_INDEX": (settings.index, "found" if found else DEFAULT),
        "PINCITE_CONFIG": (settings.config, "found" if settings.config else DEFAULT),
        "PINCITE_MODELS": (settings.models, DEFAULT),
        "PINCITE_OFFLINE": (settings.offline, DEFAULT),
        "PINCITE_MODEL_ORIGINS": (settings.origins, DEFAULT),
        "PINCITE_IDLE_S": (settings.idle_s, DEFAULT),
        "PINCITE_THREADS": (settings.threads, DEFAULT),
        "PINCITE_CACHE": (settings.use.cache, DEFAULT),
        "PINCITE_RATES": (settings.use.rates, DEFAULT),
        "QDRANT_COLLECTION": (settings.indexed_collection, DEFAULT),
    }
    for name, (value, unset) in values.items():
        origin = f"${name}" if environ.get(name, "").strip() else unset
        if name == "PINCITE_INDEX" and index_option:
            origin = "--index option"
        shown = str(value) if isinstance(value, Path) else value
        yield Setting(name, list(shown) if isinstance(shown, tuple) else shown, origin)


def _secrets(settings: Settings, environ: Mapping[str, str]) -> Iterator[Setting]:
    """Yield the keys of servers and providers: whether each is set, and by what."""
    files = {KEYS[settings.store.kind]: "store"} if settings.store.kind in KEYS else {}
    given = dict.fromkeys(files, settings.store.key_file)
    others: dict[str, str] = {}
    for provider in builtin_providers():
        if provider.key:
            others[provider.key] = provider.also
            files.setdefault(provider.key, f"providers.{provider.name}")
            options = settings.use.providers.get(provider.name)
            if options and options.key_file:
                given[provider.key] = options.key_file
    for name in dict.fromkeys((*KEYS.values(), *files)):
        known = [one for one in (name, others.get(name, "")) if environ.get(one, "").strip()]
        if known:
            yield Setting(name, "set", f"${known[0]}", secret=True)
        elif environ.get(f"{name}_FILE"):
            yield Setting(name, "set", f"the file of ${name}_FILE", secret=True)
        elif given.get(name):
            yield Setting(name, "set", f"the file of {files[name]}.key_file", secret=True)
        else:
            yield Setting(name, "not set", DEFAULT, secret=True)
