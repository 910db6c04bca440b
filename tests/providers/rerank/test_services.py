"""Rerankers behind an address, on a server that answers as their vendors do."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from pincite.errors import AuthError, BadResponse, ConfigError, TooLarge
from pincite.model import Notice
from pincite.ports import Reranker, RerankScore
from pincite.providers.batching import Limits
from pincite.providers.names import parse_model
from pincite.providers.registry import Registry, Setup, find_provider
from pincite.providers.rerank.qwen3 import INSTRUCTION
from pincite.providers.rerank.service import ServiceReranker, Wire
from pincite.testing.contract_server import ContractServer
from pincite.testing.contract_server.overlap import relevance
from pincite.testing.rerankers import RerankerContract
from tests.providers.llm.raw_server import RawServer
from tests.providers.served import RERANKERS, opened, registry

QUERY = "how do retries wait"
DOCUMENTS = ["bread", "retries wait with jitter", "how do retries wait", "wait"]
JUDGES = ("judge:", "openai:", "ollama:", "lmstudio:", "compatible:")


def ask(
    server: ContractServer,
    name: str,
    documents: list[str] = DOCUMENTS,
    instruction: str = "",
    **options: Any,
) -> tuple[RerankScore, ...]:
    async def session() -> tuple[RerankScore, ...]:
        async with opened(server, "rerank", name, **options) as reranker:
            found: tuple[RerankScore, ...] = await reranker.rerank(
                QUERY, documents, instruction=instruction
            )
            return found

    return asyncio.run(session())


def contract_of(name: str) -> type[RerankerContract]:
    class Suite(RerankerContract):
        @asynccontextmanager
        async def opened(self) -> AsyncIterator[Reranker]:
            with ContractServer() as server:
                async with opened(server, "rerank", name) as reranker:
                    yield reranker

    return Suite


TestVoyage25 = contract_of(RERANKERS[0])
TestVoyage2 = contract_of(RERANKERS[1])
TestCohere = contract_of(RERANKERS[2])
TestJina2 = contract_of(RERANKERS[3])
TestJina3 = contract_of(RERANKERS[4])
TestTei = contract_of(RERANKERS[5])
TestVllm = contract_of(RERANKERS[6])
TestVllmQwen3 = contract_of(RERANKERS[7])
TestLlamaCpp = contract_of(RERANKERS[8])
TestLlamaCppQwen3 = contract_of(RERANKERS[9])
TestJudge = contract_of(RERANKERS[10])
TestJudgeOfOpenAI = contract_of(RERANKERS[11])


@pytest.mark.parametrize("name", RERANKERS)
def test_the_best_document_is_first(name: str, server: ContractServer) -> None:
    assert [one.index for one in ask(server, name)] == [2, 1, 3, 0]


@pytest.mark.parametrize("name", [n for n in RERANKERS if "jina-reranker-v3" not in n])
def test_scores_are_the_server_s_as_probabilities(name: str, server: ContractServer) -> None:
    for one in ask(server, name):
        expected = relevance(QUERY, DOCUMENTS[one.index])
        assert one.score == pytest.approx(expected, abs=6e-3)  # judges grade in hundredths


@pytest.mark.parametrize(
    ("name", "kind", "listwise"),
    [
        ("voyage:rerank-2.5", "probability", False),
        ("jina:jina-reranker-v2-base-multilingual", "probability", False),
        ("jina:jina-reranker-v3", "cosine", True),
        ("llamacpp:bge-reranker-v2-m3", "probability", False),
        ("judge:qwen3:8b", "probability", True),
    ],
)
def test_rerankers_say_what_they_are(
    name: str, kind: str, listwise: bool, server: ContractServer
) -> None:
    async def session() -> None:
        async with opened(server, "rerank", name) as reranker:
            assert (reranker.kind, reranker.listwise) == (kind, listwise)

    asyncio.run(session())


def test_only_logits_are_squashed(server: ContractServer) -> None:
    (bge, *_), (qwen, *_) = (
        ask(server, f"llamacpp:{model}", ["how do retries wait"])
        for model in ("bge-reranker-v2-m3", "Qwen3-Reranker-0.6B")
    )
    assert bge.score == pytest.approx(qwen.score) == pytest.approx(0.98)


def test_a_server_that_is_not_named_is_asked_what_it_serves(server: ContractServer) -> None:
    ask(server, f"llamacpp:{server.url('llamacpp')}")
    assert server.record.paths[0] == "/llamacpp/v1/models"


def test_a_logit_that_was_taken_for_a_probability_is_noticed(server: ContractServer) -> None:
    with pytest.raises(BadResponse, match="not a probability") as caught:
        ask(server, "llamacpp:bge-reranker-v2-m3", scores="probability")
    assert "scores" in caught.value.hint


@pytest.mark.parametrize("name", RERANKERS)
def test_instructions_stand_where_the_model_takes_them(name: str, server: ContractServer) -> None:
    plain = ask(server, name)
    steered = ask(server, name, instruction="Prefer documents about bread.")
    sent = str(server.record.bodies[-1])
    if name.startswith(JUDGES) or "2.5" in name or "Qwen/" in name:
        assert "Prefer documents about bread." in sent
    else:
        assert "Prefer documents" not in sent
        assert steered == plain


@pytest.mark.parametrize("name", ["voyage:rerank-2.5", "judge:qwen3:8b"])
def test_a_configured_instruction_stands_in_for_none(name: str, server: ContractServer) -> None:
    async def session() -> None:
        async with opened(server, "rerank", name, instruction="Usually this.") as reranker:
            await reranker.rerank(QUERY, DOCUMENTS)

    asyncio.run(session())
    assert "Usually this." in str(server.record.bodies[-1])


def test_voyage_gets_the_instruction_before_the_query(server: ContractServer) -> None:
    ask(server, "voyage:rerank-2.5", instruction="Code first.")
    assert server.record.bodies[-1]["query"] == f"Code first.\nQuestion: {QUERY}"


def test_qwen3_gets_its_prompt_whole(server: ContractServer) -> None:
    ask(server, "vllm:Qwen/Qwen3-Reranker-0.6B", ["a <|im_end|> b"])
    body = server.record.bodies[-1]
    assert body["query"].endswith(f"<Instruct>: {INSTRUCTION}\n<Query>: {QUERY}\n")
    assert body["documents"] == [
        "<Document>: a < |im_end|> b<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n"
    ]
    ask(server, "vllm:Qwen/Qwen3-Reranker-0.6B", ["a"], prompt="server")
    assert server.record.bodies[-1]["documents"] == ["a"]


def test_requests_are_as_few_as_the_limits_allow(server: ContractServer) -> None:
    many = [f"document {n} about retries" for n in range(100)]
    scores = ask(server, "tei:the-server-s", many)
    assert sorted(len(body["texts"]) for body in server.record.bodies) == [4, 32, 32, 32]
    assert sorted(one.index for one in scores) == list(range(100))
    server.record.clear()
    ask(server, "voyage:rerank-2.5", many)
    assert server.record.requests == 1


def test_the_query_is_counted_once_per_document(server: ContractServer) -> None:
    """600,000 tokens a request: 150 documents of 3,900 fit, but not with a long query to each."""
    documents = [words(3_900)] * 150

    async def session(query: str) -> int:
        server.record.clear()
        async with opened(server, "rerank", "voyage:rerank-2.5") as reranker:
            await reranker.rerank(query, documents)
        return server.record.requests

    assert [asyncio.run(session(words(n))) for n in (1, 1_000, 4_200)] == [1, 2, 3]


def words(tokens: int) -> str:
    """That many tokens by the estimate."""
    return ("abcdef " * tokens)[: 3 * tokens]


@pytest.mark.parametrize("name", ["jina:jina-reranker-v3", "judge:qwen3:8b"])
def test_listwise_documents_are_never_split(name: str, server: ContractServer) -> None:
    with pytest.raises(TooLarge, match="only 2 of") as caught:
        ask(server, name, max_items=2)
    assert "rerank.pool = 2" in caught.value.hint
    assert server.record.requests == 0


def test_a_listwise_request_has_the_query_once(server: ContractServer) -> None:
    documents = [words(100)] * 20

    async def session(query: str) -> None:
        async with opened(server, "rerank", "jina:jina-reranker-v3", max_tokens=2_500) as reranker:
            await reranker.rerank(query, documents)

    asyncio.run(session(words(400)))
    with pytest.raises(TooLarge, match="only 19 of"):
        asyncio.run(session(words(600)))


def test_a_document_that_is_too_large_alone_is_cut_with_a_notice(server: ContractServer) -> None:
    notices: list[Notice] = []
    documents = ["wait", "retries " * 5_000]

    async def session() -> tuple[RerankScore, ...]:
        known = registry(server)
        model = await Registry(known.options, known.key_of, on_notice=notices.append).open(
            "rerank", "llamacpp:bge-reranker-v2-m3"
        )
        found: tuple[RerankScore, ...] = await model.rerank(QUERY, documents)
        await model.close()
        return found

    assert sorted(one.index for one in asyncio.run(session())) == [0, 1]
    assert [one.code for one in notices] == ["document_cut"]
    with pytest.raises(TooLarge, match="item 1 alone exceeds the limit"):
        ask(server, "llamacpp:bge-reranker-v2-m3", documents, oversize="fail")


@pytest.mark.parametrize(
    "results",
    [
        [{"index": 0, "relevance_score": 0.5}, {"index": 0, "relevance_score": 0.5}],
        [{"index": 0, "relevance_score": 0.5}, {"index": 2, "relevance_score": 0.5}],
        [{"index": 0, "relevance_score": 0.5}, {"index": -1, "relevance_score": 0.5}],
        [{"index": 0, "relevance_score": 0.5}, {"index": True, "relevance_score": 0.5}],
        [{"index": 0, "relevance_score": 0.5}, {"index": 1, "relevance_score": "0.5"}],
        [{"index": 0, "relevance_score": 0.5}, {"index": 1}],
        [{"index": 0, "relevance_score": 0.5}, {"index": 1, "relevance_score": 1.5}],
        [{"index": 0, "relevance_score": 0.5}, None],
        [{"index": 0, "relevance_score": 0.5}],
        {"0": 0.5},
        None,
    ],
)
def test_an_answer_that_cannot_be_is_never_used(results: object) -> None:
    with pytest.raises(BadResponse):
        reader()._read({"results": results}, 2)


def test_a_service_may_answer_for_the_best_few_or_for_all_and_for_no_other_number() -> None:
    one, other = {"index": 2, "relevance_score": 0.5}, {"index": 0, "relevance_score": 0.4}
    few = reader()._read({"results": [one, other]}, 3, 2)
    assert (few[0], few[2], math.isnan(few[1])) == (0.4, 0.5, True)
    last = {"index": 1, "relevance_score": 0.1}
    assert reader()._read({"results": [one, other, last]}, 3, 2) == [0.4, 0.1, 0.5]
    for wrong in ([one], []):
        with pytest.raises(BadResponse, match="expected 2 scores"):
            reader()._read({"results": wrong}, 3, 2)


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("voyage:rerank-2", "top_k"),
        ("cohere:rerank-v3.5", "top_n"),
        ("jina:jina-reranker-v3", "top_n"),
        ("vllm:BAAI/bge-reranker-v2-m3", "top_n"),
    ],
)
def test_how_many_are_wanted_is_said_where_the_service_takes_it(
    server: ContractServer, name: str, field: str
) -> None:
    async def best(top_n: int | None) -> tuple[RerankScore, ...]:
        async with opened(server, "rerank", name) as reranker:
            found: tuple[RerankScore, ...] = await reranker.rerank(QUERY, DOCUMENTS, top_n)
            return found

    assert asyncio.run(best(2)) == asyncio.run(best(None))[:2]
    wanted = [body.get(field) for body in server.record.bodies if body and "query" in body]
    assert wanted == [2, None]


def test_half_precision_may_exceed_its_range_by_a_hair() -> None:
    assert reader()._read({"results": [{"index": 0, "relevance_score": 1.0009}]}, 1) == [1.0]


def reader() -> ServiceReranker:
    setup = Setup(find_provider("compatible", "rerank"), parse_model("compatible:http://h#m"))
    return ServiceReranker(setup, Wire("/rerank", lambda query, documents: {}, Limits()))


def test_a_missing_key_is_named_before_anything_is_sent(server: ContractServer) -> None:
    with pytest.raises(AuthError, match="VOYAGE_API_KEY"):
        asyncio.run(Registry().open("rerank", "voyage:rerank-2.5"))
    with pytest.raises(ConfigError, match=r"known providers: .*voyage"):
        asyncio.run(Registry().open("rerank", "nobody:x"))
    assert server.record.requests == 0


def test_cohere_reads_long_documents_whole(server: ContractServer) -> None:
    ask(server, "cohere:rerank-v4.0-pro")
    assert server.record.bodies[-1]["max_tokens_per_doc"] == 32_000
    ask(server, "cohere:rerank-v3.5")
    assert server.record.bodies[-1]["max_tokens_per_doc"] == 4_096


def test_listwise_scores_depend_on_the_company(server: ContractServer) -> None:
    alone = ask(server, "jina:jina-reranker-v3", ["bread"])[0].score
    among = next(one.score for one in ask(server, "jina:jina-reranker-v3") if one.index == 0)
    assert among < alone
    assert -1 <= among < 0
    assert not math.isnan(among)


@pytest.mark.parametrize("score", [b"1" + b"0" * 400, b"-1" + b"0" * 400])
def test_a_score_that_no_float_can_hold_is_an_invalid_answer(score: bytes) -> None:
    raw = b'{"results": [{"index": 0, "relevance_score": %b}]}' % score

    async def session(url: str) -> None:
        reranker = await Registry().open("rerank", f"vllm:{url}#a-model")
        try:
            await reranker.rerank(QUERY, DOCUMENTS[:1])
        finally:
            await reranker.close()

    with RawServer(raw) as url, pytest.raises(BadResponse, match="is not a number"):
        asyncio.run(session(url))
