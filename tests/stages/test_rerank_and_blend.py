"""A second opinion, and how it is weighed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from pincite.errors import ConfigError, StoreError
from pincite.model import Pool, Query, Signal, SignalKind
from pincite.ports import RerankScore
from pincite.stages.blend import BlendConfig, blend
from pincite.stages.rerank import RerankConfig, document, rerank
from tests.builders import candidate, chunk

QUERY = Query("which one?")
POOL = Pool((candidate("a", 0.8), candidate("b", 0.4), candidate("c", 0.2)))


class Scripted:
    """A reranker that gives the scores it was told, best first."""

    fingerprint = "scripted"
    listwise = False
    instructed = False

    def __init__(self, *scores: float, kind: SignalKind = "probability") -> None:
        self.kind = kind
        self.scores = scores
        self.documents: Sequence[str] = ()

    async def rerank(
        self,
        query: str,
        documents: Sequence[str],
        top_n: int | None = None,
        *,
        instruction: str = "",
    ) -> tuple[RerankScore, ...]:
        self.documents = documents
        scores = [RerankScore(n, score) for n, score in enumerate(self.scores)]
        return tuple(sorted(scores, key=lambda one: (-one.score, one.index)))


class Failing(Scripted):
    async def rerank(
        self,
        query: str,
        documents: Sequence[str],
        top_n: int | None = None,
        *,
        instruction: str = "",
    ) -> tuple[RerankScore, ...]:
        raise StoreError("503 from the provider")


class Slow(Scripted):
    async def rerank(
        self,
        query: str,
        documents: Sequence[str],
        top_n: int | None = None,
        *,
        instruction: str = "",
    ) -> tuple[RerankScore, ...]:
        await asyncio.sleep(60)
        return ()


def reranked(
    reranker: Scripted | None, pool: Pool = POOL, config: RerankConfig | None = None
) -> Pool:
    return asyncio.run(rerank(QUERY, pool, reranker, config or RerankConfig()))


def order(pool: Pool) -> list[str]:
    return [one.chunk.path[5] for one in pool.candidates]


def test_without_a_reranker_the_pool_passes_unchanged() -> None:
    assert reranked(None) is POOL


def test_the_reranker_decides_the_order_and_scores_find_their_candidates_by_index() -> None:
    pool = reranked(Scripted(0.1, 0.9, 0.5))
    assert order(pool) == ["b", "c", "a"]
    assert pool.candidates[0].signal("reranked") == Signal("reranked", "probability", 0.9)


def test_equal_scores_are_ordered_by_id() -> None:
    pool = reranked(Scripted(0.5, 0.5, 0.5))
    ids = [one.chunk.id for one in pool.candidates]
    assert ids == sorted(ids)


def test_candidates_beyond_the_pool_stay_behind_those_that_were_judged() -> None:
    pool = reranked(Scripted(0.1, 0.2), config=RerankConfig(pool=2))
    assert order(pool) == ["b", "a", "c"]


@pytest.mark.parametrize("reranker", [Failing(), Slow()])
def test_a_reranker_that_fails_or_is_late_leaves_the_order_and_a_notice(
    reranker: Scripted,
) -> None:
    pool = reranked(reranker, config=RerankConfig(timeout_s=0.05))
    assert order(pool) == ["a", "b", "c"]
    assert [notice.code for notice in pool.notices] == ["rerank_unavailable"]


def test_a_document_begins_with_where_it_stands() -> None:
    one = chunk("a", headings=("Guide", "Setup"), url="https://example.org/a")
    assert document(one).split("\n")[:6] == [
        "SOURCE: docs",
        "REPO: acme/docs",
        "REF: c0ffee",
        "LOC: https://example.org/a",
        "LINES: 1-2",
        "IN: Guide > Setup",
    ]
    assert document(one).endswith(one.text)


def test_all_weight_to_the_reranker_leaves_its_order() -> None:
    pool = reranked(Scripted(0.1, 0.9, 0.5))
    assert blend(pool, BlendConfig()) is pool


def test_half_and_half_adds_probability_and_retrieval_over_its_maximum() -> None:
    # a: .5 * .1 + .5 * .8/.8 = .55; b: .5 * .9 + .5 * .4/.8 = .7; c: .5 * .5 + .5 * .2/.8 = .375
    pool = blend(reranked(Scripted(0.1, 0.9, 0.5)), BlendConfig(rerank_weight=0.5))
    values = [one.signals[-1].value for one in pool.candidates]
    assert order(pool) == ["b", "a", "c"]
    assert values == pytest.approx([0.7, 0.55, 0.375])


def test_logits_are_never_added_to_retrieval_scores() -> None:
    pool = reranked(Scripted(-4.0, 7.0, 1.0, kind="logit"))
    with pytest.raises(ConfigError, match="logit"):
        blend(pool, BlendConfig(rerank_weight=0.5))
    assert order(blend(pool, BlendConfig())) == ["b", "c", "a"]
