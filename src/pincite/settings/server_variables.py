"""Variables of other platforms for a Qdrant server and a reranker, such as `QDRANT_URL`.
docs/workspaces.md says which one wins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from pincite.errors import ConfigError, UsageError
from pincite.providers.addresses import check_url
from pincite.providers.names import parse_model
from pincite.settings.file.layers import Layer, merged, value_at
from pincite.settings.variables import (
    QDRANT_KEY,
    QDRANT_URL,
    RERANK,
    RERANK_MODEL,
    RERANK_PROVIDER,
    RERANK_URL,
    STRATEGY,
    flag,
    one_of,
)
from pincite.stores.validate import check_name

#: The server that QDRANT_API_KEY is for if QDRANT_URL is not set.
USUAL_URL: Final = "http://localhost:6333"
#: The model of each provider if RERANK_MODEL is not set.
RERANKERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "cohere": "rerank-v3.5",
        "jina": "jina-reranker-v2-base-multilingual",
        "local": "cross-encoder/ms-marco-MiniLM-L-6-v2",
    }
)


def base_collection(layers: Sequence[Layer]) -> str:
    """Return the default collection (`store.base`) of files and presets, "" for none. A value of a
    wrong type is reported later, when all values are checked. Raises ConfigError."""
    given = value_at(merged(layers), ("store", "base"), "")
    name = given if isinstance(given, str) else ""
    try:
        if name:
            check_name(name)
    except UsageError as error:
        raise ConfigError(f"store.base: {error.message}") from error
    return name


def server_layers(environ: Mapping[str, str], below: Sequence[Layer]) -> tuple[Layer, ...]:
    """Return the keys that variables for servers set over the files `below`, one layer for each
    variable. QDRANT_URL is used only if the store is a Qdrant server: the variable does not choose
    that, because many programs share it. Raises ConfigError."""
    layers = []
    if url := _url(environ, QDRANT_URL):
        store = merged(below).get("store", {})
        if isinstance(store, Mapping):
            kind = store.get("kind", "qdrant" if store.get("url") else "")
            if kind == "qdrant":
                layers.append(Layer(f"${QDRANT_URL}", {"store": {"url": url}}))
    return (*layers, *_rerank_layers(environ))


def _rerank_layers(environ: Mapping[str, str]) -> list[Layer]:
    others = 'set [models] rerank = "PROVIDER:MODEL" for other rerankers'
    provider = one_of(environ, RERANK_PROVIDER, RERANKERS, hint=others) or "cohere"
    model = environ.get(RERANK_MODEL, "").strip() or RERANKERS[provider]
    url = _url(environ, RERANK_URL)
    try:
        name = str(parse_model(f"{provider}:{model}"))
    except ConfigError as error:
        raise ConfigError(f"{RERANK_MODEL}: {error.message}", hint=error.hint) from error
    enabled = flag(environ, RERANK)
    strategy = environ.get(STRATEGY, "").strip().lower()
    if enabled is None:
        return []
    if not enabled:
        if strategy == "hybrid_rerank":
            raise _contradiction(environ)
        return [Layer(f"${RERANK}", {"models": {"rerank": ""}})]
    if strategy in ("mmr", "hybrid"):
        raise _contradiction(environ)
    if url and provider == "local":
        raise ConfigError(
            f"{RERANK_URL} is {url}, but {RERANK_PROVIDER} is local, which means this machine",
            hint=f"unset {RERANK_URL}, or set {RERANK_PROVIDER} to cohere or jina",
        )
    said: list[tuple[str, dict[str, Any]]] = [(RERANK, {"models": {"rerank": name}})]
    said.append((RERANK, {"rerank": {"use": "configured"}}))
    if url:
        said.append((RERANK_URL, {"providers": {provider: {"url": url}}}))
    return [Layer(f"${variable}", table) for variable, table in said]


def _contradiction(environ: Mapping[str, str]) -> ConfigError:
    return ConfigError(
        f"{RERANK} is {environ[RERANK].strip()}, but {STRATEGY} is {environ[STRATEGY].strip()}",
        hint=f"unset {RERANK} or {STRATEGY}",
    )


def server_key(environ: Mapping[str, str], variable: str, url: str) -> str:
    """Return the key of the Qdrant server at `url`, "" for none: that of `variable`, else
    QDRANT_API_KEY, which is only for the server of QDRANT_URL (or the default one), and not for
    another server that a file may name. Raises ConfigError if both are set and differ."""
    own = environ.get(variable, "").strip()
    shared = environ.get(QDRANT_KEY, "").strip()
    named = environ.get(QDRANT_URL, "").strip() or USUAL_URL
    if not shared or named.rstrip("/") != url.rstrip("/"):
        return own
    if own and own != shared:
        raise _differ(variable, QDRANT_KEY)
    return shared


def shared_key(environ: Mapping[str, str], variable: str, other: str) -> str:
    """Return the key in a variable, or in the `other` variable that programs use for it; "" for
    none. Raises ConfigError if both are set and differ."""
    own = environ.get(variable, "").strip()
    named = environ.get(other, "").strip() if other else ""
    if own and named and own != named:
        raise _differ(variable, other)
    return own or named


def _differ(one: str, other: str) -> ConfigError:
    return ConfigError(f"{one} and {other} have different keys", hint=f"unset {one} or {other}")


def _url(environ: Mapping[str, str], name: str) -> str:
    given = environ.get(name, "").strip()
    if not given:
        return ""
    try:
        return check_url(given)
    except ConfigError as error:
        raise ConfigError(f"{name}: {error.message}", hint=error.hint) from error
