"""A table of pincite.toml as a value of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, TypeVar

import msgspec

from pincite.errors import ConfigError
from pincite.support.decodable import ready
from pincite.support.fields import field_names
from pincite.support.wrong_values import closest_first, path_of, said_of

T = TypeVar("T")


def take_table(
    table: dict[str, Any],
    name: str,
    kind: type[T],
    origin: str,
    over: Mapping[str, object] = MappingProxyType({}),
) -> T:
    """Take the table `name` out of that of `origin`, as a struct or a dataclass; values of `over`
    win. Raises ConfigError for what is no table, an unknown key or a wrong value, naming where it
    stands."""
    given = table.pop(name, {})
    if not isinstance(given, Mapping):
        raise ConfigError(f"{origin}: {name!r} is a table, not {given!r}", at=(name,))
    known = sorted(field_names(kind))
    unknown = next((key for key in given if key not in known), None)
    if unknown is not None:
        names = closest_first(unknown, known)
        raise ConfigError(
            f"{origin}: unknown key '{name}.{unknown}'; known keys: {names}", at=(name, unknown)
        )
    try:
        with told_where(origin):
            return msgspec.convert({**given, **over}, ready(kind))
    except msgspec.ValidationError as error:
        at = (name, *path_of(error))
        raise ConfigError(f"{origin}: {name}: {said_of(error, kind)}", at=at) from error


@contextmanager
def told_where(origin: str) -> Iterator[None]:
    """What is wrong with a setting is said with the place where it stands."""
    try:
        yield
    except ConfigError as error:
        said = f"{origin}: {error.message}"
        raise ConfigError(said, hint=error.hint, keys=error.keys, at=error.at) from error
