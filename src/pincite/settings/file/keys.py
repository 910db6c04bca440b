"""All keys of `pincite.toml`, with type, default and meaning, derived from the types of the code.
`python -m pincite.settings.file.keys` prints the rows of docs/configuration.md.
"""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import structs

from pincite.model import AttributeType
from pincite.profile import Profile
from pincite.providers.pace import Rate
from pincite.providers.provider_options import ProviderOptions
from pincite.settings.file.meanings import MEANINGS
from pincite.settings.file.toml_text import inline
from pincite.settings.sections.foreign import ForeignSettings
from pincite.settings.sections.memory import MemorySettings
from pincite.settings.sections.models import BUNDLED, CACHE_MB, CollectionOptions
from pincite.settings.sections.plain import PLAIN
from pincite.settings.sections.sources import SourceConfig
from pincite.settings.sections.workspace import WorkspaceSettings
from pincite.stores.settings import StoreSettings
from pincite.support.fields import field_names

#: Parts of the path of a key that stand for names that users choose.
NAME, MODEL = "NAME", "MODEL"
TABLE: Final = "table"  # the type of a key whose value is a table with keys that users choose
_WILD: Final = (NAME, MODEL)


@dataclass(frozen=True, slots=True)
class Key:
    """A key. `default` is None if the key is unset by default, and REQUIRED if it must be set.
    `foreign`: the key is only for collections of other programs."""

    path: tuple[str, ...]
    type: str
    default: object
    meaning: str
    foreign: bool = False

    @property
    def table(self) -> tuple[str, ...]:
        """Return the path of its table."""
        return self.path[:-1]

    @property
    def named(self) -> bool:
        """Return whether its table occurs only once, so that its path has no name of a user."""
        return not any(part in _WILD for part in self.path) and self.path[0] != "source"


class _Required:
    def __repr__(self) -> str:
        return "required"


REQUIRED: Final = _Required()


@cache
def keys() -> tuple[Key, ...]:
    """Return all keys, table by table: those of single tables, then those of named tables and
    sources."""
    plain = (
        *_models(),
        *_of(StoreSettings, ("store",)),
        _key(("cache", "limit_mb"), "number", CACHE_MB),
        *(key for name, kind in PLAIN.items() for key in _of(kind, (name,))),
        *_of(MemorySettings, ("memory",)),
        *_of(WorkspaceSettings, ("workspace",)),
        *_of(Profile, ()),
        _key(("attributes", NAME), _type(AttributeType), "keyword"),
        _key(("collections", NAME, "dense"), "text", ""),
        *_of(CollectionOptions, ("collections", NAME)),
    )
    known = {key.path for key in plain}
    theirs = (
        Key(key.path, key.type, key.default, key.meaning, foreign=True)
        for key in _of(ForeignSettings, ("collections", NAME))
        if key.path not in known
    )
    return (
        *plain,
        *theirs,
        *(key for key in _of(ProviderOptions, ("providers", NAME)) if key.path[-1] != "rates"),
        *_of(Rate, ("providers", NAME, "rates", MODEL)),
        *_of(SourceConfig, ("source",)),
    )


def in_force(table: Mapping[str, Any]) -> dict[tuple[str, ...], object]:
    """Return the value of every key in a valid, merged table, by path, or its default if it is not
    set. Keys of named tables and of sources are returned for each existing name or source."""
    found: dict[tuple[str, ...], object] = {}
    for key in keys():
        for path, inner in _places(table, key, ()):
            value = inner if inner is not None else key.default
            for end, one in _flat(value) if key.type == TABLE else [((), value)]:
                found[(*path, *end)] = one
    if table.get("store", {}).get("url"):
        kind = table["store"].get("kind", "qdrant")
        found[("store", "kind")] = kind
    return found


def page_rows() -> Iterator[str]:
    """Yield a row of the documentation for each key."""
    for key in keys():
        default = "needed" if key.default is REQUIRED else f"`{inline(key.default)}`"
        if key.default is None:
            default = "unset"
        elif len(default) > 40:
            default = "see `pincite presets show general`"
        yield f"| `{'.'.join(key.path)}` | {key.type} | {default} | {key.meaning} |"


def _places(
    table: Any, key: Key, done: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], object]]:
    """Yield the paths of a key in a table, with the values; None for a value that is not set."""
    rest = key.path[len(done) :]
    if not rest:
        yield done, table
        return
    inner = table if isinstance(table, Mapping) else {}
    if rest[0] == "source":
        for number, one in enumerate(inner.get("source", ()), 1):
            yield ("source", str(number), rest[1]), one.get(rest[1])
    elif rest[0] in _WILD:
        for name, one in inner.items():
            if not (key.foreign and "qdrant" not in one) and not _only_ours(key, one):
                yield from _places(one, _named(key, len(done), name), (*done, name))
    else:
        yield from _places(inner.get(rest[0]), key, (*done, rest[0]))


def _only_ours(key: Key, one: object) -> bool:
    """Return whether `one` is a collection of another program, and does not have this key."""
    theirs = isinstance(one, Mapping) and "qdrant" in one and key.path[0] == "collections"
    return theirs and key.path[-1] not in ForeignSettings.__struct_fields__


def _named(key: Key, at: int, name: str) -> Key:
    path = (*key.path[:at], name, *key.path[at + 1 :])
    return Key(path, key.type, key.default, key.meaning, key.foreign)


def _flat(value: object) -> Iterator[tuple[tuple[str, ...], object]]:
    if isinstance(value, Mapping) and value:
        for name, inner in value.items():
            for path, one in _flat(inner):
                yield (name, *path), one
    else:
        yield (), value


def _models() -> Iterator[Key]:
    for name, default in (("dense", BUNDLED), ("rerank", ""), ("llm", ""), ("vision", "")):
        yield _key(("models", name), "text", default)


def _of(kind: type[Any], table: tuple[str, ...]) -> Iterator[Key]:
    hints = get_type_hints(kind)
    for name, default in _defaults(kind):
        if field_names(type(default)):
            yield from _of_value(default, (*table, name))
        else:
            yield _key((*table, name), _type(hints[name]), default)


def _of_value(value: Any, table: tuple[str, ...]) -> Iterator[Key]:
    """Yield the keys of a table whose defaults are those of a value, such as the thresholds of one
    signal."""
    hints = get_type_hints(type(value))
    for name in field_names(type(value)):
        of_it = getattr(value, name)
        if field_names(type(of_it)):
            yield from _of_value(of_it, (*table, name))
        else:
            yield _key((*table, name), _type(hints[name]), of_it)


def _defaults(kind: type[Any]) -> Iterator[tuple[str, object]]:
    if is_dataclass(kind):
        for one in fields(kind):
            made = one.default_factory() if one.default_factory is not MISSING else one.default
            yield one.name, REQUIRED if made is MISSING else made
        return
    for field in structs.fields(kind):
        if field.default_factory is not msgspec.NODEFAULT:
            yield field.name, field.default_factory()
            continue
        nothing = field.default is msgspec.NODEFAULT
        yield field.name, REQUIRED if nothing else field.default


def _key(path: tuple[str, ...], type_: str, default: object) -> Key:
    return Key(path, type_, default, MEANINGS.get(".".join(path[:-1]), {}).get(path[-1], ""))


def _type(hint: Any) -> str:
    """Return a type in words."""
    names = {str: "text", int: "whole number", float: "number", bool: "true or false"}
    if hint in names:
        return names[hint]
    origin, inside = get_origin(hint), get_args(hint)
    if origin is Literal:
        return ", ".join(f'"{one}"' for one in inside)
    if origin in (Union, types.UnionType):
        return " or ".join(_type(one) for one in inside if one is not type(None))
    if isinstance(origin, type) and issubclass(origin, Sequence):
        one = _type(inside[0])
        return f"list of {one}" if one.endswith('"') else f"list of {one}s"
    return TABLE


if __name__ == "__main__":
    print(*page_rows(), sep="\n")
