"""Variables that programs over a Qdrant server share, by the names that they have there: a part of
the settings. Options of a command win over them, and they over `pincite.toml`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, get_args

from pincite.errors import ConfigError, UsageError
from pincite.profile import Profile, profile_from
from pincite.stages.retrieve import SearchMode
from pincite.stores.validate import check_name

COLLECTION: Final = "QDRANT_COLLECTION"
MODE: Final = "SEARCH_MODE"
WEIGHT: Final = "SEARCH_VECTOR_WEIGHT"
SEARCH_VARIABLES: Final = (COLLECTION, MODE, WEIGHT)


def named_collection(environ: Mapping[str, str]) -> str:
    """The collection that the environment names, or nothing. Raises ConfigError."""
    name = environ.get(COLLECTION, "").strip()
    try:
        if name:
            check_name(name)
    except UsageError as error:
        raise ConfigError(f"{COLLECTION}: {error.message}") from error
    return name


def profile_values(environ: Mapping[str, str]) -> dict[str, dict[str, object]]:
    """What the environment says of the profile, as a TOML file would. Raises ConfigError."""
    values: dict[str, dict[str, object]] = {}
    if mode := environ.get(MODE, "").strip().lower():
        if mode not in (known := get_args(SearchMode)):
            raise ConfigError(f"{MODE} is {environ[MODE]!r}; use one of {', '.join(known)}")
        values["retrieve"] = {"mode": mode}
    if given := environ.get(WEIGHT, "").strip():
        values["fuse"] = {"vector_weight": _share(given)}
    return values


def overlay(
    table: Mapping[str, object], values: Mapping[str, Mapping[str, object]], profile: Profile
) -> tuple[dict[str, object], Profile]:
    """The values laid over a file's `table`, which is valid, and over the profile that it gave.
    Raises ConfigError where they contradict it."""
    merged = dict(table)
    for section, of_section in values.items():
        before = table.get(section, {})
        merged[section] = {**(before if isinstance(before, Mapping) else {}), **of_section}
    origin = ", ".join(name for name, at in ((MODE, "retrieve"), (WEIGHT, "fuse")) if at in values)
    return merged, profile_from(values, origin, profile)


def _share(given: str) -> float:
    try:
        share = float(given)
    except ValueError as error:
        raise ConfigError(f"{WEIGHT} is {given!r}; use a number from 0 to 1") from error
    if not 0 <= share <= 1:
        raise ConfigError(f"{WEIGHT} is {given}; use a number from 0 to 1")
    return share
