"""A table of pincite.toml as a value of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, Final, Literal, TypeVar, get_args, get_origin, get_type_hints

import msgspec

from pincite.errors import ConfigError
from pincite.support.fields import field_names

T = TypeVar("T")
_FIELD: Final = re.compile(r"`\$\.(\w+)`")


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
        raise ConfigError(f"{origin}: {name!r} is a table, not {given!r}")
    known = sorted(field_names(kind))
    unknown = next((key for key in given if key not in known), None)
    if unknown is not None:
        raise ConfigError(
            f"{origin}: unknown key '{name}.{unknown}'; known keys: {', '.join(known)}"
        )
    try:
        with told_where(origin):
            return msgspec.convert({**given, **over}, kind)
    except msgspec.ValidationError as error:
        raise ConfigError(f"{origin}: {name}: {said_of(error, kind)}") from error


def said_of(error: msgspec.ValidationError, kind: type[Any]) -> str:
    """What a wrong value is told as; of a value among a few these are named."""
    said = str(error)
    if not (found := _FIELD.search(said)) or "enum" not in said:
        return said
    hint = get_type_hints(kind).get(found[1])
    values = ", ".join(str(one) for one in get_args(hint) if one != "")
    return f"{said}; one of: {values}" if get_origin(hint) is Literal else said


@contextmanager
def told_where(origin: str) -> Iterator[None]:
    """What is wrong with a setting is said with the place where it stands."""
    try:
        yield
    except ConfigError as error:
        said = f"{origin}: {error.message}"
        raise ConfigError(said, hint=error.hint, keys=error.keys) from error
