"""Convert tables of `pincite.toml` to structs and dataclasses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

import msgspec

from pincite.errors import ConfigError
from pincite.support.decodable import ready
from pincite.support.fields import field_names
from pincite.support.wrong_values import blamed, closest_first, path_of, said_of

T = TypeVar("T")


def take_table(table: dict[str, Any], name: str, kind: type[T], origin: str) -> T:
    """Remove the table `name` from `table`, and return it as a struct or a dataclass. Raises
    ConfigError, with `origin` and the key, for another type, an unknown key or a wrong value."""
    given, path = table.pop(name, {}), tuple(name.split("."))
    if not isinstance(given, Mapping):
        raise ConfigError(f"{origin}: {name!r} is a table, not {given!r}", at=path)
    known = sorted(field_names(kind))
    unknown = next((key for key in given if key not in known), None)
    if unknown is not None:
        names = closest_first(unknown, known)
        raise ConfigError(
            f"{origin}: unknown key '{name}.{unknown}'; known keys: {names}", at=(*path, unknown)
        )
    with told_where(origin):
        return converted(given, kind, path, path)


def converted(
    values: Mapping[str, Any], kind: type[T], path: tuple[str, ...], within: tuple[str, ...] = ()
) -> T:
    """Return the values of the table at this path as a struct or a dataclass. Raises ConfigError
    with the key of a wrong value; `within` is the path of the table in its message, () if another
    part of the message names the table."""
    try:
        return msgspec.convert(dict(values), ready(kind))
    except msgspec.ValidationError as error:
        said, at = said_of(error, kind, within), (*path, *path_of(error))
        raise ConfigError(said, at=at) from error
    except ConfigError as error:
        keys, at = error.keys, error.at
        if not keys and not at:
            at = (*path, *blamed(values, kind, error))
        raise ConfigError(error.message, hint=error.hint, keys=keys, at=at) from error


@contextmanager
def told_where(origin: str) -> Iterator[None]:
    """Within this, messages of ConfigError begin with `origin`."""
    try:
        yield
    except ConfigError as error:
        said = f"{origin}: {error.message}"
        raise ConfigError(said, hint=error.hint, keys=error.keys, at=error.at) from error
