"""Tests of what `Reranker` promises."""

from __future__ import annotations

from pincite.model import SignalKind
from pincite.ports import Reranker
from pincite.testing.running import contract

QUERY = "how does the brown turnstile rotate"
DOCUMENTS = (
    "a recipe for bread",
    "the brown turnstile rotates when pushed",
    "",
    "how does the brown turnstile rotate",
    "文書 🎉 and a lone \udcff",
    "a recipe for bread",
)
RANGES: dict[SignalKind, tuple[float, float]] = {
    "probability": (0.0, 1.0),
    "cosine": (-1.0, 1.0),
    "logit": (-1e6, 1e6),
}


class RerankerContract:
    """Derive from it and let `opened` yield a reranker."""

    @contract
    async def test_every_document_is_judged_once_best_first(self, reranker: Reranker) -> None:
        scores = await reranker.rerank(QUERY, DOCUMENTS)
        assert sorted(one.index for one in scores) == list(range(len(DOCUMENTS)))
        keys = [(-one.score, one.index) for one in scores]
        assert keys == sorted(keys)

    @contract
    async def test_scores_are_of_the_stated_kind(self, reranker: Reranker) -> None:
        scores = await reranker.rerank(QUERY, DOCUMENTS)
        lowest, highest = RANGES[reranker.kind]
        assert all(lowest <= one.score <= highest for one in scores)

    @contract
    async def test_a_match_is_better_than_junk(self, reranker: Reranker) -> None:
        scores = {one.index: one.score for one in await reranker.rerank(QUERY, DOCUMENTS)}
        assert scores[3] > scores[0]

    @contract
    async def test_top_n_cuts_the_list(self, reranker: Reranker) -> None:
        whole = await reranker.rerank(QUERY, DOCUMENTS)
        assert await reranker.rerank(QUERY, DOCUMENTS, 2) == whole[:2]
        assert await reranker.rerank(QUERY, DOCUMENTS, 100) == whole

    @contract
    async def test_no_documents_give_no_scores(self, reranker: Reranker) -> None:
        assert await reranker.rerank(QUERY, []) == ()

    @contract
    async def test_the_same_question_gets_the_same_answer(self, reranker: Reranker) -> None:
        first = await reranker.rerank(QUERY, DOCUMENTS)
        assert await reranker.rerank(QUERY, DOCUMENTS) == first

    @contract
    async def test_one_document_is_judged_alone(self, reranker: Reranker) -> None:
        (one,) = await reranker.rerank(QUERY, ["only this"])
        assert one.index == 0

    @contract
    async def test_an_instruction_is_taken(self, reranker: Reranker) -> None:
        plain = await reranker.rerank(QUERY, DOCUMENTS)
        steered = await reranker.rerank(QUERY, DOCUMENTS, instruction="prefer recipes")
        assert sorted(one.index for one in steered) == list(range(len(DOCUMENTS)))
        if not reranker.instructed:
            assert steered == plain

    @contract
    async def test_many_documents_are_all_judged(self, reranker: Reranker) -> None:
        many = [f"turnstile number {number}" for number in range(130)]
        if reranker.listwise:
            many = many[:20]
        scores = await reranker.rerank(QUERY, many)
        assert sorted(one.index for one in scores) == list(range(len(many)))

    @contract
    async def test_the_fingerprint_is_one_printable_line(self, reranker: Reranker) -> None:
        assert reranker.fingerprint
        assert reranker.fingerprint.isprintable()
