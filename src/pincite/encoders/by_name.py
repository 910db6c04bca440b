"""Open models by name, on first use: dense and sparse encoders, rerankers and language models."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from pincite.encoders.fingerprint import require_fingerprint
from pincite.errors import PinciteError, Unavailable, UsageError
from pincite.model import CollectionSpec, Matrix, Notice, SignalKind, Vector
from pincite.providers.dense.prompts import languages_of
from pincite.providers.names import parse_model

if TYPE_CHECKING:
    from pincite.ports import LLM, CutTokens, Reranker, RerankScore, SparseEncoder
    from pincite.providers.dense.vector_cache import VectorCache
    from pincite.providers.registry import HostedEncoder, Registry
    from pincite.settings.load import Settings


E = TypeVar("E", "HostedEncoder", "SparseEncoder", "Reranker", "LLM")


class Models:
    """Opens the models of the settings, each once, in one event loop. Close it at the end, or use
    it as an async context manager. `on_notice` is called with the warnings of all models.

    An open encoder is reused unless its fingerprint differs from `made_with`: then the model may
    have changed since, and it is opened again.
    """

    def __init__(
        self, settings: Settings, on_notice: Callable[[Notice], None] = lambda _: None
    ) -> None:
        self.use = settings.use
        self._settings = settings
        self._on_notice = on_notice
        self._cache: VectorCache | None = None
        self._open: dict[tuple[str, str, int], Any] = {}
        self._replaced: list[Any] = []
        self._locks: dict[tuple[str, str, int], asyncio.Lock] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    @property
    def registry(self) -> Registry:
        """Return the registry of all providers, with the options and keys of the settings."""
        from pincite.providers.registry import Registry

        use, settings = self.use, self._settings
        return Registry(
            use.providers,
            use.key_of,
            settings.models,
            settings.offline,
            self._on_notice,
            rates=use.rates,
        )

    async def dense(self, name: str, *, dimensions: int = 0, made_with: str = "") -> HostedEncoder:
        """Return the encoder of that name, with the cache of vectors. Raises ConfigError and
        ProviderError."""

        async def open_dense() -> HostedEncoder:
            from pincite.providers.dense.cached import cached

            encoder: HostedEncoder = await self.registry.open("dense", name, dimensions=dimensions)
            options = self.use.providers.get(parse_model(name).provider)
            return cached(encoder, self.cache() if options is None or options.cache else None)

        return await self._once(("dense", name, dimensions), made_with, open_dense)

    async def sparse(self, name: str, *, made_with: str = "") -> SparseEncoder:
        """Return the sparse encoder of that name. Raises ConfigError, ModelUnavailable,
        ProviderError."""

        async def open_sparse() -> SparseEncoder:
            encoder: SparseEncoder = await self.registry.open("sparse", name)
            return encoder

        return await self._once(("sparse", name, 0), made_with, open_sparse)

    async def reranker(self, name: str) -> Reranker:
        """Return the reranker of that name. Raises ConfigError, ModelUnavailable, ProviderError."""

        async def open_reranker() -> Reranker:
            reranker: Reranker = await self.registry.open("rerank", name)
            return reranker

        return await self._once(("rerank", name, 0), "", open_reranker)

    async def llm(self, name: str) -> LLM:
        """Return the language model of that name. Raises ConfigError, ProviderError."""

        async def open_llm() -> LLM:
            model: LLM = await self.registry.open("llm", name)
            return model

        return await self._once(("llm", name, 0), "", open_llm)

    async def _once(
        self, key: tuple[str, str, int], made_with: str, opening: Callable[[], Awaitable[E]]
    ) -> E:
        async with self._locks.setdefault(key, asyncio.Lock()):
            held: E | None = self._open.get(key)
            if held is not None and made_with in ("", held.fingerprint):
                return held
            found = await opening()
            if held is not None and held.fingerprint == found.fingerprint:
                await _close(found)
                return held
            if held is not None:  # it may still be in use
                self._replaced.append(held)
            self._open[key] = found
            return found

    def cache(self) -> VectorCache | None:
        """Return the cache of vectors, None if the settings have none."""
        from pincite.providers.dense.vector_cache import VectorCache

        if self._cache is None and self.use.cache is not None:
            self._cache = VectorCache(self.use.cache, self.use.cache_bytes)
        return self._cache

    async def close(self) -> None:
        """Close all models and the cache."""
        self._replaced += self._open.values()
        self._open.clear()
        while self._replaced:
            await _close(self._replaced.pop())
        if self._cache is not None:
            self._cache.close()


class CollectionEncoder:
    """The encoder of a collection's model as a `DenseEncoder`, opened with its first query. It
    refuses to work if it is not the one that the collection was made with. It has no time limit of
    its own: the probe and each pass of a search have one for all of their vectors."""

    def __init__(self, models: Models, spec: CollectionSpec, named: str = "") -> None:
        """`named` replaces the model name of the spec."""
        self.name = named or spec.model
        self.fingerprint = spec.dense or ""
        self.dimensions = spec.dimensions
        self.languages = languages_of(parse_model(self.name).model)
        self._models = models
        self._collection = spec.name
        self._encoder: HostedEncoder | None = None

    async def embed_query(self, text: str) -> Vector:
        return await (await self.opened()).embed_query(text)

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        return await (await self.opened()).embed_documents(texts)

    async def opened(self) -> HostedEncoder:
        """Return the opened encoder. Raises FingerprintMismatch, ConfigError and ProviderError."""
        if self._encoder is None:
            size = 0 if parse_model(self.name).dimensions else self.dimensions
            encoder = await self._models.dense(
                self.name, dimensions=size, made_with=self.fingerprint
            )
            require_fingerprint(
                self._collection, "dense model", self.fingerprint, encoder.fingerprint
            )
            self._encoder = encoder
        return self._encoder


class NamedReranker:
    """The reranker of that name. Call `open` before a search, which depends on its properties: with
    `listwise`, for one, it sends other requests. If it could not be opened, `rerank` raises the
    reason."""

    def __init__(self, models: Models, name: str) -> None:
        self.fingerprint = name
        self._models = models
        self._reranker: Reranker | None = None
        self._failure: PinciteError = UsageError(f"{name} is not open yet")

    async def open(self, within_s: float) -> None:
        """Open it, unless it is open. An error is kept for `rerank`."""
        try:
            async with asyncio.timeout(within_s):
                self._reranker = await self._models.reranker(self.fingerprint)
        except PinciteError as error:
            self._failure = error
        except TimeoutError:
            said = f"{self.fingerprint} could not be opened within {within_s:g} s"
            self._failure = Unavailable(said, hint="pincite doctor")

    @property
    def kind(self) -> SignalKind:
        """See `Reranker.kind`."""
        return "probability" if self._reranker is None else self._reranker.kind

    @property
    def listwise(self) -> bool:
        """See `Reranker.listwise`."""
        return self._reranker is not None and self._reranker.listwise

    @property
    def instructed(self) -> bool:
        """See `Reranker.instructed`."""
        return self._reranker is not None and self._reranker.instructed

    @property
    def tokenizer(self) -> str:
        """Return the path of `tokenizer.json` that the settings have for its provider, "" without
        one."""
        options = self._models.use.providers.get(parse_model(self.fingerprint).provider)
        return options.tokenizer if options else ""

    async def rerank(
        self,
        query: str,
        documents: Sequence[str],
        top_n: int | None = None,
        *,
        instruction: str = "",
    ) -> tuple[RerankScore, ...]:
        if self._reranker is None:
            raise self._failure
        return await self._reranker.rerank(query, documents, top_n, instruction=instruction)


def cutter_of(reranker: Reranker | None, tokenizer: str) -> CutTokens | None:
    """Return a function that cuts texts by the `tokenizer.json` of that path, or else of the
    reranker's provider; None if there is none. Raises ConfigError for an unreadable one."""
    path = tokenizer or (reranker.tokenizer if isinstance(reranker, NamedReranker) else "")
    if not path or reranker is None:
        return None
    from pincite.providers.tokens import tokenizer_cutter

    return tokenizer_cutter(Path(path))


async def _close(model: object) -> None:
    """Close the model, if it has a `close` method."""
    close = getattr(model, "close", None)
    if close is not None:
        await close()


def rung_of(model: str) -> str:
    """Return the kind of a collection's `model`: `bundled-model`, `bundled-multilingual`,
    `hub-model`, `server-model` (on one's own machine) or `api-model`."""
    if not model:
        return "bundled-model"
    if parse_model(model).provider == "bundled":
        return "bundled-multilingual"
    from pincite.providers.registry import providers

    provider = providers().get(parse_model(model).provider)
    if provider is None:
        return "api-model"
    if provider.extra:
        return "hub-model"
    return "api-model" if provider.needs_key else "server-model"
