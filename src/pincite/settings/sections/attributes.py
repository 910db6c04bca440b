"""Types of attributes and attributes of sources: a part of the settings.

[attributes]
course = "keyword"
year = "integer"

[[source]]
path = "lectures"
attributes = { course = "ml", year = 2026 }     # an empty text removes one

[collections.main]
require = ["institution", "mode"]               # [] takes back what was required
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pincite.errors import ConfigError
from pincite.model import AttributeType
from pincite.model.attributes import (
    ATTRIBUTE_TYPES,
    attribute_of,
    check_attribute_name,
    type_of,
)

_MOST_DECLARED = 1_024  # each needs a payload index  # guess, unmeasured
_MOST_REQUIRED = 16  # guess, unmeasured


def take_attributes(table: dict[str, Any], origin: str) -> Mapping[str, AttributeType]:
    """Remove `[attributes]` from a TOML file's `table`, and return the declared types. Raises
    ConfigError with `origin` and the key."""
    given = table.pop("attributes", {})
    where, at = f"{origin}: [attributes]", ("attributes",)
    if not isinstance(given, Mapping):
        raise ConfigError(f"{where} is a table, not {given!r}", at=at)
    if len(given) > _MOST_DECLARED:
        raise ConfigError(f"{where} has {len(given):,} names; the maximum is {_MOST_DECLARED:,}")
    declared: dict[str, AttributeType] = {}
    for name, kind in given.items():
        _check_name(name, where, (*at, name))
        if kind not in ATTRIBUTE_TYPES:
            raise ConfigError(
                f"{where}: {name} is {kind!r}, which is not a type",
                hint=f"use one of {', '.join(ATTRIBUTE_TYPES)}",
                at=(*at, name),
            )
        declared[name] = kind
    return declared


def check_required(names: Sequence[str]) -> None:
    """Raise ConfigError for names that are not valid as `require` of a collection."""
    if len(names) > _MOST_REQUIRED:
        raise ConfigError(f"require has {len(names)} names; the maximum is {_MOST_REQUIRED}")
    for name in names:
        _check_name(name, "require")
    if len({*names}) < len(names):
        raise ConfigError("require has an attribute twice")


def check_given(
    given: Mapping[str, object],
    declared: Mapping[str, AttributeType],
    where: str,
    at: tuple[str, ...] = (),
) -> None:
    """Raise ConfigError for attributes of a source with an invalid name or value, or a value of
    another type than the declared one. `at` is the path of their table."""
    for name, value in given.items():
        _check_name(name, where, (*at, name))
        kind = declared.get(name) or type_of(value)
        if kind is None:
            raise ConfigError(
                f"{where}: {name} is a {type(value).__name__}",
                hint="give a text, a list of texts, a number, true or false, or a date",
                at=(*at, name),
            )
        try:
            attribute_of(kind, value)
        except ValueError as error:
            raise ConfigError(
                f"{where}: {name}: {error}",
                hint=f"[attributes] declares {name} as {kind}" if name in declared else "",
                at=(*at, name),
            ) from error


def _check_name(name: object, where: str, at: tuple[str, ...] = ()) -> None:
    try:
        check_attribute_name(name)
    except ValueError as error:
        raise ConfigError(f"{where}: {error}", at=at) from error
