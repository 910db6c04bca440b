"""Functions for embedding and reranking, with the models of the settings."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike
from types import TracebackType
from typing import TYPE_CHECKING, Self

from pincite.encoders.bundled import open_encoder
from pincite.encoders.by_name import Models
from pincite.errors import ConfigError, UsageError
from pincite.model import Notice
from pincite.ports import DenseEncoder, Reranker
from pincite.settings.load import Settings
from pincite.settings.of_index import settings_for
from pincite.settings.sections.models import BUNDLED
from pincite.support.arguments import require_count, require_kind, shown
from pincite.support.valid_text import valid_text

if TYPE_CHECKING:
    from pincite.providers.bundled.minilm import MiniLmEncoder

log = logging.getLogger("pincite")
_MOST = 100_000


@dataclass(frozen=True, slots=True)
class Ranked:
    """A ranked document. `rank` counts from 1, `index` from 0 in the order of the input."""

    rank: int
    index: int
    score: float
    document: str


class OpenModels:
    """A dense model and a reranker, each opened on first use and closed at the end. Use it as an
    async context manager, with one event loop.

    >>> async with OpenModels(dense="voyage:voyage-4", rerank="cohere:rerank-v4.0-fast") as models:
    ...     vector = await models.embed_query("how is a key rotated?")  # doctest: +SKIP
    """

    def __init__(
        self,
        index: str | PathLike[str] | Settings | None = None,
        *,
        dense: str = "",
        rerank: str = "",
        on_notice: Callable[[Notice], None] | None = None,
    ) -> None:
        """`index` is the place of the settings, as for `AsyncPincite`. `dense` and `rerank` name
        other models, each as PROVIDER:MODEL. `on_notice` is called with each warning, such as
        `instruction_unused`; None logs it as `pincite`."""
        self._settings = settings_for(index)
        self._on_notice = on_notice or _log_notice
        self._models = Models(self._settings, self._on_notice)
        self.dense_name = dense or self._settings.use.dense or BUNDLED
        self.rerank_name = rerank or self._settings.use.rerank
        self._bundled: MiniLmEncoder | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._models.close()
        if self._bundled is not None:
            self._bundled.close()

    async def embed_query(self, query: str) -> list[float]:
        """Return the vector of a question, normalised to length 1. Raises UsageError for an empty
        text, ConfigError, ModelUnavailable and ProviderError."""
        vector = await (await self.dense()).embed_query(_text("query", query))
        return [float(value) for value in vector]

    async def embed_documents(self, documents: Sequence[str]) -> list[list[float]]:
        """Return a vector for each document, in their order. Raises the errors of `embed_query`."""
        rows = await (await self.dense()).embed_documents(_texts(documents))
        return [[float(value) for value in row] for row in rows]

    async def rerank(
        self,
        query: str,
        documents: Sequence[str],
        top_n: int | None = 10,
        *,
        instruction: str = "",
    ) -> tuple[Ranked, ...]:
        """Return the best documents, best first; all of them if `top_n` is None. If the model
        accepts no `instruction`, it is left out, with the notice `instruction_unused`. Raises the
        errors of `embed_query`, and ConfigError if no reranker is configured."""
        if top_n is not None:
            require_count("top_n", top_n, most=_MOST)
        texts = _texts(documents)
        asked = _text("query", query)
        if not texts:
            return ()
        reranker = await self.reranker()
        if instruction and not reranker.instructed:
            said = f"{self.rerank_name} accepts no instruction; it was omitted"
            self._on_notice(Notice("instruction_unused", said))
        scores = await reranker.rerank(asked, texts, top_n or len(texts), instruction=instruction)
        return tuple(
            Ranked(rank, one.index, one.score, texts[one.index])
            for rank, one in enumerate(scores, start=1)
        )

    async def dense(self) -> DenseEncoder:
        """Return the opened dense model. Raises ConfigError, ModelUnavailable and ProviderError."""
        if self.dense_name != BUNDLED:
            return await self._models.dense(self.dense_name)
        if self._bundled is None:
            self._bundled = open_encoder(
                self._settings.models, threads=self._settings.threads, load=False
            )
        return self._bundled

    async def reranker(self) -> Reranker:
        """Return the opened reranker. Raises ConfigError if none is configured, ModelUnavailable
        and ProviderError."""
        if not self.rerank_name:
            raise ConfigError(
                "no reranker is configured in pincite.toml, and none is named",
                hint="name one (`pincite rerank --model PROVIDER:MODEL`), or [models] with"
                ' rerank = "PROVIDER:MODEL" in pincite.toml, such as cohere:rerank-v4.0-fast or'
                " local:FOLDER: docs/providers.md",
            )
        return await self._models.reranker(self.rerank_name)


async def embed_query(
    query: str, *, model: str = "", index: str | PathLike[str] | Settings | None = None
) -> list[float]:
    """Embed a question with the configured dense model or with `model`. `OpenModels` keeps models
    open for many calls."""
    async with OpenModels(index, dense=model) as models:
        return await models.embed_query(query)


async def embed_documents(
    documents: Sequence[str],
    *,
    model: str = "",
    index: str | PathLike[str] | Settings | None = None,
) -> list[list[float]]:
    """Embed documents with the configured dense model or with `model`; see `OpenModels`."""
    async with OpenModels(index, dense=model) as models:
        return await models.embed_documents(documents)


async def rerank(
    query: str,
    documents: Sequence[str],
    top_n: int = 10,
    *,
    model: str = "",
    instruction: str = "",
    index: str | PathLike[str] | Settings | None = None,
    on_notice: Callable[[Notice], None] | None = None,
) -> tuple[Ranked, ...]:
    """Rerank documents with the configured reranker or with `model`. Returns the best `top_n`,
    best first; see `OpenModels`."""
    async with OpenModels(index, rerank=model, on_notice=on_notice) as models:
        return await models.rerank(query, documents, top_n, instruction=instruction)


def _log_notice(notice: Notice) -> None:
    log.warning("%s: %s", notice.code, notice.message)


def _text(name: str, value: object) -> str:
    """Return a text without lone surrogates. Raises UsageError for an empty or other value."""
    require_kind(name, value, str, "a text")
    text = valid_text(str(value))
    if not text.strip():
        raise UsageError(f"{name} is empty")
    return text


def _texts(documents: object) -> tuple[str, ...]:
    if isinstance(documents, str | bytes) or not isinstance(documents, Sequence):
        raise UsageError(f"documents is {shown(documents)}; it takes a list of texts")
    return tuple(_text(f"documents[{place}]", one) for place, one in enumerate(documents))
