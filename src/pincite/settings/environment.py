"""Environment variables that set keys of `pincite.toml`, such as `CHAT_MODE` and `PINCITE_LOG`.
Options override variables, and variables override files."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, get_args

from pincite.errors import ConfigError, UsageError
from pincite.model import ChatMode
from pincite.settings.file.layers import Layer
from pincite.settings.sections.refresh import RefreshMode
from pincite.settings.sections.telemetry import LogFormat
from pincite.settings.variables import (
    CHAT_MODE,
    COLLECTION,
    LOG,
    LOG_FORMAT,
    MODE,
    REFRESH,
    REWRITE,
    STRATEGY,
    THRESHOLD,
    WEIGHT,
    flag,
    one_of,
)
from pincite.stages.retrieve import SearchMode
from pincite.stores.validate import check_name

_PLAIN: Final = {"smooth": {"weight": 0.0}, "rank_code": {"enabled": False}}
_BOTH: Final = {
    "retrieve": {"mode": "hybrid"},
    "fuse": {"method": "rrf", "k": 60},
    "diversify": {"enabled": False},
    **_PLAIN,
}
#: The keys that each strategy sets. `mmr` has the values of the preset `chat`.
STRATEGIES: Final[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
    {
        "mmr": {
            "retrieve": {"mode": "vector"},
            "load": {"vectors": True},
            "diversify": {"enabled": True},
            "rerank": {"use": "never"},
            **_PLAIN,
        },
        "hybrid": {**_BOTH, "rerank": {"use": "never"}},
        "hybrid_rerank": {**_BOTH, "rerank": {"use": "expected"}},
    }
)


def named_collection(environ: Mapping[str, str]) -> str:
    """Return the collection that the environment names, "" for none. Raises ConfigError."""
    name = environ.get(COLLECTION, "").strip()
    try:
        if name:
            check_name(name)
    except UsageError as error:
        raise ConfigError(f"{COLLECTION}: {error.message}") from error
    return name


def variable_layers(environ: Mapping[str, str]) -> tuple[Layer, ...]:
    """Return the keys of `pincite.toml` that the environment sets, one layer for each variable.
    Raises ConfigError."""
    layers = []
    if mode := one_of(environ, MODE, get_args(SearchMode)):
        layers.append(Layer(f"${MODE}", {"retrieve": {"mode": mode}}))
    if given := environ.get(WEIGHT, "").strip():
        layers.append(Layer(f"${WEIGHT}", {"fuse": {"vector_weight": _share(WEIGHT, given)}}))
    layers += _chat_layers(environ)
    if (enabled := flag(environ, LOG)) is not None:
        layers.append(Layer(f"${LOG}", {"log": {"enabled": enabled}}))
    if refreshed := one_of(environ, REFRESH, tuple(filter(None, get_args(RefreshMode)))):
        layers.append(Layer(f"${REFRESH}", {"refresh": {"mode": refreshed}}))
    if format_ := one_of(environ, LOG_FORMAT, get_args(LogFormat)):
        layers.append(Layer(f"${LOG_FORMAT}", {"logging": {"format": format_}}))
    return tuple(layers)


def _chat_layers(environ: Mapping[str, str]) -> list[Layer]:
    """Return the layers of the variables for conversations. Raises ConfigError."""
    layers = []
    if mode := one_of(environ, CHAT_MODE, get_args(ChatMode)):
        layers.append(Layer(f"${CHAT_MODE}", {"answer": {"mode": mode}}))
    if strategy := one_of(environ, STRATEGY, tuple(STRATEGIES)):
        _check_strategy(environ, strategy)
        layers.append(Layer(f"${STRATEGY}", STRATEGIES[strategy]))
    if given := environ.get(THRESHOLD, "").strip():
        probe = {"enabled": True, "threshold": _share(THRESHOLD, given)}  # with any preset
        layers.append(Layer(f"${THRESHOLD}", {"probe": probe}))
    if (rewrite := flag(environ, REWRITE)) is not None:
        layers.append(Layer(f"${REWRITE}", {"answer": {"rewrite": rewrite}}))
    return layers


def _check_strategy(environ: Mapping[str, str], strategy: str) -> None:
    """Raise ConfigError if the mode or the weight of search contradicts the strategy."""
    wanted = STRATEGIES[strategy]["retrieve"]["mode"]
    mode = environ.get(MODE, "").strip().lower()
    weight = environ.get(WEIGHT, "").strip()
    if mode and mode != wanted:
        other, said = (
            MODE,
            f"{MODE} is {mode}, but {STRATEGY} is {strategy}, whose mode is {wanted}",
        )
    elif weight and _share(WEIGHT, weight) != 0.5:
        other, said = (
            WEIGHT,
            (f"{WEIGHT} is {weight}, but {STRATEGY} is {strategy}, which has no weights"),
        )
    else:
        return
    raise ConfigError(said, hint=f"unset {other} or {STRATEGY}")


def _share(name: str, given: str) -> float:
    try:
        share = float(given)
    except ValueError as error:
        raise ConfigError(f"{name} is {given!r}; use a number from 0 to 1") from error
    if not 0 <= share <= 1:
        raise ConfigError(f"{name} is {given}; use a number from 0 to 1")
    return share
