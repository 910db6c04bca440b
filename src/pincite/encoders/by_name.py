"""Models that are opened by name, with their first use: dense encoders and the reranker."""

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
    """Opens what the settings name, each encoder once; one event loop. Close it at the end, or use
    it as an async context manager. `on_notice` is called with the warnings of all models.

    An encoder that is open is given again, unless it is another one than what was `made_with` it:
    then the model may have changed since.
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
        """Of all providers, with the settings' options and keys."""
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
        """The encoder of that name, behind the cache. Raises ConfigError and ProviderError."""

        async def open_dense() -> HostedEncoder:
            from pincite.providers.dense.cached import cached

            encoder: HostedEncoder = await self.registry.open("dense", name, dimensions=dimensions)
            options = self.use.providers.get(parse_model(name).provider)
            return cached(encoder, self.cache() if options is None or options.cache else None)

        return await self._once(("dense", name, dimensions), made_with, open_dense)

    async def sparse(self, name: str, *, made_with: str = "") -> SparseEncoder:
        """The sparse encoder of that name. Raises ConfigError, ModelUnavailable, ProviderError."""

        async def open_sparse() -> SparseEncoder:
            encoder: SparseEncoder = await self.registry.open("sparse", name)
            return encoder

        return await self._once(("sparse", name, 0), made_with, open_sparse)

    async def reranker(self, name: str) -> Reranker:
        """The reranker of that name. Raises ConfigError, ModelUnavailable, ProviderError."""

        async def open_reranker() -> Reranker:
            reranker: Reranker = await self.registry.open("rerank", name)
            return reranker

        return await self._once(("rerank", name, 0), "", open_reranker)

    async def llm(self, name: str) -> LLM:
        """The language model of that name. Raises ConfigError, ProviderError."""

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
            if held is not None:  # somebody may be using it
                self._replaced.append(held)
            self._open[key] = found
            return found

    def cache(self) -> VectorCache | None:
        """The cache of vectors, if there is to be one."""
        from pincite.providers.dense.vector_cache import VectorCache

        if self._cache is None and self.use.cache is not None:
            self._cache = VectorCache(self.use.cache, self.use.cache_bytes)
        return self._cache

    async def close(self) -> None:
        """Close what was opened."""
        self._replaced += self._open.values()
        self._open.clear()
        while self._replaced:
            await _close(self._replaced.pop())
        if self._cache is not None:
            self._cache.close()


class CollectionEncoder:
    """The encoder of a collection's model as a `DenseEncoder` that is opened with its first
    query. It refuses to work if it is not the one that the collection was made with. It has no
    time limit of its own: the probe and each pass of a search have one for all of their vectors."""

    def __init__(self, models: Models, spec: CollectionSpec, named: str = "") -> None:
        """`named` opens the model instead of the name that the spec keeps."""
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
        """The encoder itself. Raises FingerprintMismatch, ConfigError and ProviderError."""
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
    """The reranker of that name. `open` comes before a search, which asks by what it finds: how
    much it sends depends on `listwise`, for one. One that could not be opened fails with the reason
    when it is to judge, as one does that has gone since."""

    def __init__(self, models: Models, name: str) -> None:
        self.fingerprint = name
        self._models = models
        self._reranker: Reranker | None = None
        self._failure: PinciteError = UsageError(f"{name} is not open yet")

    async def open(self, within_s: float) -> None:
        """Open it, unless it is open. What stands in the way is for `rerank` to say."""
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
        """As `Reranker.kind`."""
        return "probability" if self._reranker is None else self._reranker.kind

    @property
    def listwise(self) -> bool:
        """As `Reranker.listwise`."""
        return self._reranker is not None and self._reranker.listwise

    @property
    def instructed(self) -> bool:
        """As `Reranker.instructed`."""
        return self._reranker is not None and self._reranker.instructed

    @property
    def tokenizer(self) -> str:
        """The `tokenizer.json` that the settings name for its provider, empty where they do not."""
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
    """What cuts texts by the `tokenizer.json` of that path, or else of the reranker's provider;
    None where none is named. Raises ConfigError for one that cannot be read."""
    path = tokenizer or (reranker.tokenizer if isinstance(reranker, NamedReranker) else "")
    if not path or reranker is None:
        return None
    from pincite.providers.tokens import tokenizer_cutter

    return tokenizer_cutter(Path(path))


async def _close(model: object) -> None:
    """Let go of what it holds, if it holds anything."""
    close = getattr(model, "close", None)
    if close is not None:
        await close()


def rung_of(model: str) -> str:
    """What kind of model a collection's `model` is: `bundled-model`, `bundled-multilingual`,
    `hub-model`, `server-model` (on a machine of one's own) or `api-model`."""
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
