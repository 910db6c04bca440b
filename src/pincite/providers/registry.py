"""The known providers, and how to open their models.

A provider is one line here and one file. Third parties add theirs with an entry point of the group
`pincite.providers` that names a `Provider`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from pincite.errors import ConfigError
from pincite.model import Notice
from pincite.ports import DenseEncoder
from pincite.providers.names import parse_model
from pincite.providers.provider_options import ProviderOptions
from pincite.providers.retry import Clock
from pincite.providers.secret import Secret
from pincite.providers.setup import KINDS, Kind, Provider, Setup

__all__ = [
    "GROUP",
    "KINDS",
    "HostedEncoder",
    "Kind",
    "Provider",
    "Registry",
    "Setup",
    "builtin_providers",
    "find_provider",
    "missing_extra",
    "providers",
]
GROUP = "pincite.providers"


_HERE = "pincite.providers"
_COMPATIBLE = f"{_HERE}.dense.compatible:open_dense"
_JUDGE = f"{_HERE}.rerank.judge:open_rerank"
_CHAT = f"{_HERE}.llm.chat:open_llm"
_TABLE = (
    Provider(
        "voyage",
        "VOYAGE_API_KEY",
        "https://api.voyageai.com",
        dense=f"{_HERE}.dense.voyage:open_dense",
        rerank=f"{_HERE}.rerank.voyage:open_rerank",
    ),
    Provider(
        "openai",
        "OPENAI_API_KEY",
        "https://api.openai.com",
        dense=f"{_HERE}.dense.openai:open_dense",
        rerank=_JUDGE,
        llm=_CHAT,
    ),
    Provider(
        "cohere",
        "CO_API_KEY",
        "https://api.cohere.com",
        also="COHERE_API_KEY",
        dense=f"{_HERE}.dense.cohere:open_dense",
        rerank=f"{_HERE}.rerank.cohere:open_rerank",
    ),
    Provider(
        "jina",
        "JINA_API_KEY",
        "https://api.jina.ai",
        dense=f"{_HERE}.dense.jina:open_dense",
        rerank=f"{_HERE}.rerank.jina:open_rerank",
    ),
    Provider(
        "ollama",
        "OLLAMA_API_KEY",
        "http://localhost:11434",
        dense=f"{_HERE}.dense.ollama:open_dense",
        rerank=_JUDGE,
        llm=_CHAT,
    ),
    Provider(
        "tei",
        "TEI_API_KEY",
        "http://localhost:8080",
        dense=f"{_HERE}.dense.tei:open_dense",
        rerank=f"{_HERE}.rerank.tei:open_rerank",
    ),
    Provider(
        "llamacpp",
        "LLAMA_API_KEY",
        "http://localhost:8080",
        dense=_COMPATIBLE,
        rerank=f"{_HERE}.rerank.llamacpp:open_rerank",
        llm=_CHAT,
    ),
    Provider(
        "vllm",
        "VLLM_API_KEY",
        "http://localhost:8000",
        dense=_COMPATIBLE,
        rerank=f"{_HERE}.rerank.vllm:open_rerank",
        llm=_CHAT,
    ),
    Provider(
        "lmstudio",
        "LMSTUDIO_API_KEY",
        "http://localhost:1234",
        dense=_COMPATIBLE,
        rerank=_JUDGE,
        llm=_CHAT,
    ),
    Provider("compatible", "COMPATIBLE_API_KEY", dense=_COMPATIBLE, rerank=_JUDGE, llm=_CHAT),
    Provider("judge", "JUDGE_API_KEY", rerank=_JUDGE),
    Provider(
        "local",
        sparse=f"{_HERE}.sparse.local:open_splade",
        rerank=f"{_HERE}.rerank.local:open_rerank",
    ),
    Provider("bundled", dense=f"{_HERE}.dense.bundled:open_dense"),
    Provider("fastembed", extra="hub", dense=f"{_HERE}.dense.hub:open_dense"),
)


class HostedEncoder(DenseEncoder, Protocol):
    """A dense model opened by name: a `DenseEncoder` for one event loop."""

    @property
    def name(self) -> str:
        """Return a name that opens the same model again, including the server's name of it."""

    @property
    def batch_items(self) -> int:
        """Return the number of texts that keeps the model busy."""

    async def close(self) -> None:
        """Release connections and threads."""


@dataclass(frozen=True, slots=True)
class Registry:
    """Open models by name. `options` are by provider; `key_of` returns the key of a provider.
    `rates` is the file through which processes share their rate limits, None for this process
    alone."""

    options: Mapping[str, ProviderOptions] = field(default_factory=dict)
    key_of: Callable[[Provider], Secret | None] = lambda _: None
    models: Path | None = None
    offline: bool = False
    on_notice: Callable[[Notice], None] = lambda _: None
    clock: Clock = field(default_factory=Clock)
    rates: Path | None = None

    def setup(self, kind: Kind, text: str, *, dimensions: int = 0) -> Setup:
        """Return the setup to open a model with. Raises ConfigError for a provider that is unknown,
        or that does not support this kind."""
        name = parse_model(text)
        provider = find_provider(name.provider, kind)
        return Setup(
            provider,
            name,
            self.options.get(name.provider, ProviderOptions()),
            self.key_of(provider),
            dimensions,
            self.models,
            self.offline,
            self.on_notice,
            self.clock,
            self.rates,
        )

    async def open(self, kind: Kind, text: str, *, dimensions: int = 0) -> Any:
        """Open a model: a `DenseEncoder`, `SparseEncoder`, `Reranker` or `LLM`. Raises ConfigError
        (also for a missing extra), AuthError, and errors of the provider's requests."""
        setup = self.setup(kind, text, dimensions=dimensions)
        module, _, function = str(getattr(setup.provider, kind)).partition(":")
        return await getattr(importlib.import_module(module), function)(setup)


def find_provider(name: str, kind: Kind) -> Provider:
    """Return the provider with this name. Raises ConfigError, which lists the known providers, if
    there is none or it has no models of this kind."""
    known = providers()
    if name not in known:
        names = ", ".join(n for n, one in sorted(known.items()) if kind in one.kinds)
        raise ConfigError(
            f"no provider of {kind} models is named {name!r}; known providers: {names}"
        )
    if kind not in known[name].kinds:
        names = ", ".join(n for n, one in sorted(known.items()) if kind in one.kinds)
        raise ConfigError(
            f"{name} has no {kind} models, only {', '.join(known[name].kinds)}; providers with"
            f" {kind} models: {names}"
        )
    return known[name]


def builtin_providers() -> tuple[Provider, ...]:
    """Return the providers that come with Pincite."""
    return _TABLE


@cache
def providers() -> Mapping[str, Provider]:
    """Return all providers by name, including those of installed distributions. Raises ConfigError
    for an entry that is not a `Provider` or takes the name of another."""
    from importlib.metadata import entry_points

    found = {one.name: one for one in _TABLE}
    for point in entry_points(group=GROUP):
        made = point.load()
        where = f"the entry point {point.name!r} of {point.dist.name if point.dist else '?'}"
        if not isinstance(made, Provider):
            raise ConfigError(f"{where} is not a pincite.providers.registry.Provider")
        if made.name in found:
            raise ConfigError(f"{where} adds {made.name!r}, but that name is taken")
        found[made.name] = made
    return found


def missing_extra(provider: Provider, error: ImportError) -> ConfigError:
    """Return the error for a provider whose library is not installed. If the library is installed
    but broken, its own error is raised."""
    if not isinstance(error, ModuleNotFoundError):
        raise error
    return ConfigError(
        f"{provider.name} needs {error.name}, which is not installed",
        hint=f"pip install 'pincite[{provider.extra}]'",
    )
