"""Variables that programs over a Qdrant server share, by the names that they have there: a part of
the settings. Options of a command win over them, and they over `pincite.toml`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, get_args

from pincite.errors import ConfigError, UsageError
from pincite.settings.layers import Layer
from pincite.settings.refresh import VARIABLE as REFRESH
from pincite.settings.refresh import refresh_mode
from pincite.settings.retrieval_log import VARIABLE as LOG
from pincite.settings.retrieval_log import log_enabled
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


def variable_layers(environ: Mapping[str, str]) -> tuple[Layer, ...]:
    """What the environment says of keys of `pincite.toml`, a layer for each variable. Raises
    ConfigError."""
    layers = []
    if mode := environ.get(MODE, "").strip().lower():
        if mode not in (known := get_args(SearchMode)):
            raise ConfigError(f"{MODE} is {environ[MODE]!r}; use one of {', '.join(known)}")
        layers.append(Layer(f"${MODE}", {"retrieve": {"mode": mode}}))
    if given := environ.get(WEIGHT, "").strip():
        layers.append(Layer(f"${WEIGHT}", {"fuse": {"vector_weight": _share(given)}}))
    if (enabled := log_enabled(environ)) is not None:
        layers.append(Layer(f"${LOG}", {"log": {"enabled": enabled}}))
    if (refreshed := refresh_mode(environ)) is not None:
        layers.append(Layer(f"${REFRESH}", {"refresh": {"mode": refreshed}}))
    return tuple(layers)


def _share(given: str) -> float:
    try:
        share = float(given)
    except ValueError as error:
        raise ConfigError(f"{WEIGHT} is {given!r}; use a number from 0 to 1") from error
    if not 0 <= share <= 1:
        raise ConfigError(f"{WEIGHT} is {given}; use a number from 0 to 1")
    return share
