"""What of an open index has nothing to do with anybody's documents: its models and collections."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

import msgspec

from pincite.engine import AsyncPincite
from pincite.errors import IndexNotFound, NotFound, UsageError
from pincite.model import SignalKind
from pincite.settings.models import BUNDLED
from pincite.stages.rerank import MOST_JUDGED
from pincite.support.arguments import require_count

_CHARS: Final = 100_000  # of a text that is judged; guess, unmeasured


class SearchedCollection(msgspec.Struct, frozen=True):
    """A collection that searches ask, one for each dense model. `model` and `dimensions` are those
    of its dense model, empty and 0 where words alone are searched. Before it `is_searched` it is
    being filled. How much is in it is not told: that would be everybody's."""

    name: str
    model: str
    dimensions: int
    is_searched: bool


class Judged(msgspec.Struct, frozen=True):
    """A text in its place: `index` counts from 0 in the order in which texts were given."""

    index: int
    score: float


class Reranked(msgspec.Struct, frozen=True):
    """Texts, best first. `kind` says what the scores are: a `probability`, a `cosine`, or a
    `logit` without bounds, which is compared with others of one request alone."""

    kind: SignalKind
    results: tuple[Judged, ...]


async def searched_collections(engine: AsyncPincite, base: str) -> tuple[SearchedCollection, ...]:
    """Those of the base, by name; none where nothing is indexed yet. Raises IndexUnavailable."""
    try:
        infos = await engine.client().collections()
    except IndexNotFound:
        return ()
    replaced = {name for info in infos for name in info.spec.replaces}
    return tuple(
        SearchedCollection(
            info.spec.name,
            "" if info.spec.dense is None else info.spec.model or BUNDLED,
            info.spec.dimensions,
            not info.spec.pending and not info.broken,
        )
        for info in sorted(infos, key=lambda one: one.spec.name)
        if info.spec.public_name == base and info.spec.name not in replaced
    )


async def rerank_texts(
    engine: AsyncPincite, query: str, texts: Sequence[str], top_n: int | None
) -> Reranked:
    """Texts that somebody gives, judged by the reranker of the settings, at most `top_n`. Raises
    NotFound where there is none, UsageError, ConfigError, ProviderError, TimeoutError."""
    if not 1 <= len(texts) <= MOST_JUDGED:
        raise UsageError(f"there are {len(texts):,} texts; it takes 1 to {MOST_JUDGED}")
    if any(len(one) > _CHARS for one in (query, *texts)):
        raise UsageError(f"a text has more than {_CHARS:,} characters")
    if top_n is not None:
        require_count("top_n", top_n, least=1, most=MOST_JUDGED)
    reranker = await engine.reranker()
    if reranker is None:
        raise NotFound("this server has no reranker")
    async with asyncio.timeout(engine.settings.profile.rerank.timeout_s):
        scores = await reranker.rerank(query, list(texts), top_n)
    return Reranked(reranker.kind, tuple(Judged(one.index, one.score) for one in scores))
