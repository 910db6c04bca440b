"""The models and collections of an open index, which belong to no user."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from pincite.engine import AsyncPincite
from pincite.errors import IndexNotFound, NotFound, UsageError
from pincite.model import SignalKind
from pincite.stages.rerank import MOST_JUDGED, judge
from pincite.support.arguments import require_count

_CHARS: Final = 100_000  # of a text to rerank; guess, unmeasured


class SearchedCollection(msgspec.Struct, frozen=True):
    """A collection that searches use, one for each dense model. `model` and `dimensions` describe
    its dense model; they are empty and 0 for a keyword-only index. It is still being filled if
    `is_searched` is False. Its size is not part of this value, because it would count the documents
    of all users."""

    name: str
    model: str
    dimensions: int
    is_searched: bool


class Judged(msgspec.Struct, frozen=True):
    """A text with its score. `index` counts from 0 in the order in which texts were given."""

    index: int
    score: float


class Reranked(msgspec.Struct, frozen=True):
    """Reranked texts, best first. `kind` is the kind of the scores: `probability`, `cosine`, or
    `logit`, which has no bounds and is comparable only within one request. `cut` are the texts that
    were judged only by their beginning, because of `rerank.body_tokens`."""

    kind: SignalKind
    results: tuple[Judged, ...]
    cut: tuple[int, ...] = ()


async def searched_collections(engine: AsyncPincite, base: str) -> tuple[SearchedCollection, ...]:
    """Return the collections of the base by name, none if nothing is indexed yet. Raise
    IndexUnavailable."""
    try:
        infos = await engine.client().collections()
    except IndexNotFound:
        return ()
    replaced = {name for info in infos for name in info.spec.replaces}
    return tuple(
        SearchedCollection(
            info.spec.name,
            info.spec.dense_name,
            info.spec.dimensions,
            not info.spec.pending and not info.broken,
        )
        for info in sorted(infos, key=lambda one: one.spec.name)
        if info.spec.public_name == base and info.spec.name not in replaced
    )


async def rerank_texts(
    engine: AsyncPincite, query: str, texts: Sequence[str], top_n: int | None
) -> Reranked:
    """Return the given texts in the order of the configured reranker, at most `top_n`. The limits
    are those of a search: `rerank.body_tokens` of each text, batches of `rerank.batch` above
    `rerank.budget_tokens`, `rerank.timeout_s` in total. Raise NotFound if no reranker is
    configured, UsageError, ConfigError, ProviderError, TimeoutError."""
    if not 1 <= len(texts) <= MOST_JUDGED:
        raise UsageError(f"got {len(texts):,} texts; it takes 1 to {MOST_JUDGED}")
    if any(len(one) > _CHARS for one in (query, *texts)):
        raise UsageError(f"a text has more than {_CHARS:,} characters")
    if top_n is not None:
        require_count("top_n", top_n, least=1, most=MOST_JUDGED)
    reranker = await engine.reranker()
    if reranker is None:
        raise NotFound("no reranker is configured on this server")
    scores, cut = await judge(query, texts, reranker, engine.settings.profile.rerank, top_n)
    return Reranked(reranker.kind, tuple(Judged(one.index, one.score) for one in scores), cut)
