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

#: Where the key of a server goes if QDRANT_URL does not say it.
USUAL_URL: Final = "http://localhost:6333"
#: The model of each provider where RERANK_MODEL names none.
RERANKERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "cohere": "rerank-v3.5",
        "jina": "jina-reranker-v2-base-multilingual",
        "local": "cross-encoder/ms-marco-MiniLM-L-6-v2",
    }
)


def base_collection(layers: Sequence[Layer]) -> str:
    """The collection that is meant where none is named, as files and presets say it; a wrong type
    is found where all of them are read. Raises ConfigError."""
    given = value_at(merged(layers), ("store", "base"), "")
    name = given if isinstance(given, str) else ""
    try:
        if name:
            check_name(name)
    except UsageError as error:
        raise ConfigError(f"store.base: {error.message}") from error
    return name


def server_layers(environ: Mapping[str, str], below: Sequence[Layer]) -> tuple[Layer, ...]:
    """What the environment says over the files `below`, a layer for each variable. QDRANT_URL says
    where a Qdrant server is, and not that one is used: many programs share it. Raises
    ConfigError."""
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
    """The key of the Qdrant server at `url`: that of our own variable, else QDRANT_API_KEY, which
    goes to the server that QDRANT_URL names (or the default one) and to no other that a file may
    name. Raises ConfigError where both are set and differ."""
    own = environ.get(variable, "").strip()
    shared = environ.get(QDRANT_KEY, "").strip()
    named = environ.get(QDRANT_URL, "").strip() or USUAL_URL
    if not shared or named.rstrip("/") != url.rstrip("/"):
        return own
    if own and own != shared:
        raise _differ(variable, QDRANT_KEY)
    return shared


def shared_key(environ: Mapping[str, str], variable: str, other: str) -> str:
    """The key in a variable, or in the `other` name that programs have for it. Raises ConfigError
    where both are set and differ."""
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
