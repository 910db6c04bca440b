"""A second opinion, and how it is weighed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

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


class Topped(Scripted):
    """Answers for as many as are asked for, and keeps how many that were."""

    asked: tuple[int | None, ...] = ()

    async def rerank(
        self,
        query: str,
        documents: Sequence[str],
        top_n: int | None = None,
        *,
        instruction: str = "",
    ) -> tuple[RerankScore, ...]:
        self.asked += (top_n,)
        scores = [RerankScore(n, float(text[-1]) / 10) for n, text in enumerate(documents)]
        return tuple(sorted(scores, key=lambda one: (-one.score, one.index))[:top_n])


@pytest.mark.parametrize(("batch", "requests"), [(60, 1), (2, 2)])
def test_only_the_best_few_are_asked_for_and_kept(batch: int, requests: int) -> None:
    texts = {"a": "note 1", "b": "note 3", "c": "note 2", "d": "note 4"}
    pool = Pool(tuple(candidate(name, 0.5, text=text) for name, text in texts.items()))
    budget = 500_000 if requests == 1 else 1
    config = RerankConfig(top=2, header="none", batch=batch, budget_tokens=budget)
    reranker = Topped()
    assert order(reranked(reranker, pool, config)) == ["d", "b"]
    assert reranker.asked == (2,) * requests
    whole = reranked(Topped(), pool, RerankConfig(header="none"))
    assert order(whole) == ["d", "b", "c", "a"]


def test_where_only_the_best_are_kept_a_reranker_that_fails_loses_none() -> None:
    assert order(reranked(Failing(), config=RerankConfig(top=1))) == ["a", "b", "c"]
    with pytest.raises(ConfigError, match=r"rerank\.top is -1"):
        RerankConfig(top=-1)


@pytest.mark.parametrize("reranker", [Failing(), Slow()])
def test_a_reranker_that_fails_or_is_late_leaves_the_order_and_a_notice(
    reranker: Scripted,
) -> None:
    pool = reranked(reranker, config=RerankConfig(timeout_s=0.05))
    assert order(pool) == ["a", "b", "c"]
    assert [notice.code for notice in pool.notices] == ["rerank_unavailable"]


class Own(Scripted):
    """One that a program brings, with a fault in it."""

    def __init__(self, found: object) -> None:
        super().__init__()
        self.found = found

    async def rerank(self, *_: object, **__: object) -> Any:
        if isinstance(self.found, BaseException):
            raise self.found
        return self.found


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (ValueError("boom"), "ValueError: boom"),
        (None, "TypeError: "),
        ([5], "AttributeError: "),
        ([RerankScore(3, 1.0)], "a score of 1.0 for document 3 of 3"),
        ([RerankScore(-1, 1.0)], "a score of 1.0 for document -1 of 3"),
        ([RerankScore(0, float("nan"))], "a score of nan for document 0 of 3"),
        ([RerankScore(0, "high")], "TypeError: "),  # type: ignore[arg-type]
    ],
)
def test_a_reranker_of_ones_own_that_breaks_its_promise_ends_no_search(
    found: object, said: str
) -> None:
    pool = reranked(Own(found))
    assert order(pool) == ["a", "b", "c"]
    (notice,) = pool.notices
    assert notice.code == "rerank_unavailable"
    assert notice.message.startswith(f"the order of retrieval stays: {said}")


def test_what_cancels_a_search_is_no_failure_of_the_reranker() -> None:
    for error in (asyncio.CancelledError(), KeyboardInterrupt()):
        with pytest.raises(type(error)):
            reranked(Own(error))


def test_a_document_begins_with_where_it_stands() -> None:
    one = chunk("a", headings=("Guide", "Setup"), url="https://example.org/a")
    assert document(one, RerankConfig()).split("\n") == [
        "SOURCE: docs",
        "REPO: acme/docs",
        "REF: c0ffee",
        "LOC: https://example.org/a",
        "LINES: 1-2",
        f"CHUNK: {one.id}",
        "IN: Guide > Setup",
        "",
        *one.text.split("\n"),
    ]
    code = chunk("a", source_type="code", symbols=("Reader.read",), path="reader.py")
    lines = document(code, RerankConfig()).split("\n")
    assert {"PATH: reader.py", "SYMBOLS: Reader.read"} <= set(lines)
    assert document(one, RerankConfig(header="none")) == one.text
    assert document(one, RerankConfig(header="short")).startswith("docs/a.md\nGuide > Setup\n\n")


def test_a_long_text_is_cut_and_its_header_never() -> None:
    # by the estimate every word of four letters is two tokens, every comma one
    one = chunk("a", text=", ".join(["word"] * 50), symbols=("a_very_long_name",))
    cut = document(one, RerankConfig(body_tokens=9)).partition("\n\n")
    assert "SYMBOLS: a_very_long_name" in cut[0]
    assert cut[2] == "word, word, word,"


class Counting(Scripted):
    """Scores a document by its last letter, and keeps what it was asked."""

    instructed = True

    def __init__(self, *, listwise: bool = False) -> None:
        super().__init__()
        self.listwise = listwise
        self.calls: list[tuple[int, str]] = []

    async def rerank(
        self,
        query: str,
        documents: Sequence[str],
        top_n: int | None = None,
        *,
        instruction: str = "",
    ) -> tuple[RerankScore, ...]:
        self.calls.append((len(documents), instruction))
        scores = [RerankScore(n, ord(text[-1]) / 200) for n, text in enumerate(documents)]
        return tuple(sorted(scores, key=lambda one: (-one.score, one.index)))


MANY = Pool(tuple(candidate(c, 1.0 - n / 10, text=f"text {c}") for n, c in enumerate("abcdefg")))
DEAR = RerankConfig(header="none", budget_tokens=20, batch=3)


def test_one_request_unless_it_would_cost_too_much_then_batches_put_together_by_index() -> None:
    whole, batched = Counting(), Counting()
    at_once = reranked(whole, MANY, RerankConfig(header="none"))
    assert [n for n, _ in whole.calls] == [7]
    assert reranked(batched, MANY, DEAR) == at_once
    assert [n for n, _ in batched.calls] == [3, 3, 1]
    assert order(at_once) == list("gfedcba")


def test_a_listwise_reranker_gets_what_fits_into_one_request_and_no_second_one() -> None:
    # each document: (12 + instruction 0) / 3 = 4 of the query, 6 / 3 = 2 of its own
    listwise = Counting(listwise=True)
    config = RerankConfig(header="none", budget_tokens=20, batch=3, instruction="")
    pool = reranked(listwise, MANY, config)
    assert [n for n, _ in listwise.calls] == [3]
    assert order(pool) == list("cbadefg")
    assert [notice.code for notice in pool.notices] == ["rerank_cut"]


def test_an_instruction_says_what_the_passages_are_for_to_those_who_read_it() -> None:
    one = Counting()
    query = Query("which one?", mode="debug")
    config = RerankConfig(corpus="the Acme framework")
    asyncio.run(rerank(query, MANY, one, config))
    first, *_, last = one.calls[0][1].split("\n")
    assert first.endswith("help implement a correct solution using the Acme framework.")
    assert last == "The task is to find the cause of a fault and to mend it."
    one.instructed = False
    asyncio.run(rerank(query, MANY, one, config))
    assert one.calls[1][1] == ""
    with pytest.raises(ConfigError, match="mode"):
        RerankConfig(instruction="for {mode}")


@pytest.mark.parametrize(
    ("left_ms", "judged", "codes"),
    [(1000.0, 7, []), (180.0, 3, ["budget_fewer_reranked"]), (155.0, 0, ["budget_no_rerank"])],
)
def test_a_time_budget_is_spent_on_as_many_as_it_is_good_for(
    left_ms: float, judged: int, codes: list[str]
) -> None:
    one = Counting()
    config = RerankConfig(header="none", start_ms=150, each_ms=10)
    pool = asyncio.run(rerank(QUERY, MANY, one, config, left_ms))
    assert sum(n for n, _ in one.calls) == judged
    assert [notice.code for notice in pool.notices] == codes
    assert len(pool.candidates) == 7


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
