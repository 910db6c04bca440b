"""The vendors' own clients, at the contract server, agree with our adapters: what the one takes for
an answer the other does, too, and both ask the same."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from pincite.ports import Message
from pincite.testing.contract_server import ContractServer
from tests.providers.served import opened

QUERY = "how do retries wait"
DOCUMENTS = ["bread", "retries wait with jitter", "how do retries wait", "文書 🎉"]
KEY = "key-of-the-tests"


@pytest.fixture
def server() -> Iterator[ContractServer]:
    with ContractServer(key=KEY) as running:
        yield running


def ours(server: ContractServer, name: str) -> dict[int, float]:
    async def session() -> dict[int, float]:
        async with opened(server, "rerank", name) as reranker:
            scores = await reranker.rerank(QUERY, DOCUMENTS)
            return {one.index: one.score for one in scores}

    return asyncio.run(session())


def same_request(server: ContractServer, *more: str) -> None:
    """What both sent, but for fields that are null and those named."""
    theirs, mine = ({k: v for k, v in b.items() if v is not None} for b in server.record.bodies)
    for name in more:
        theirs.pop(name, None)
        mine.pop(name, None)
    assert mine == theirs
    assert server.record.paths[0] == server.record.paths[1]


def test_voyage(server: ContractServer) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its imports warn of their own deprecations
        from voyageai.client import Client

    client = Client(api_key=KEY, base_url=f"{server.url('voyage')}/v1")
    found = client.rerank(QUERY, DOCUMENTS, "rerank-2.5")
    expected = {one.index: one.relevance_score for one in found.results}
    assert ours(server, "voyage:rerank-2.5") == pytest.approx(expected)
    same_request(server, "encoding_format")


def test_cohere(server: ContractServer) -> None:
    import cohere

    with cohere.ClientV2(KEY, base_url=server.url("cohere")) as client:
        found = client.rerank(
            model="rerank-v3.5", query=QUERY, documents=DOCUMENTS, max_tokens_per_doc=4_096
        )
    expected = {one.index: one.relevance_score for one in found.results}
    assert ours(server, "cohere:rerank-v3.5") == pytest.approx(expected)
    same_request(server)


def test_openai(server: ContractServer) -> None:
    import openai

    turns: Any = [{"role": "user", "content": "one two three"}]
    with openai.OpenAI(api_key=KEY, base_url=f"{server.url('openai')}/v1") as client:
        found = client.chat.completions.create(model="gpt-5-mini", messages=turns, max_tokens=2)

        async def session() -> Any:
            async with opened(server, "llm", "openai:gpt-5-mini") as llm:
                return await llm.complete([Message("user", "one two three")], max_tokens=2)

        mine = asyncio.run(session())
        same_request(server)
        assert mine.text == found.choices[0].message.content
        assert mine.finish == found.choices[0].finish_reason == "length"
        assert found.usage is not None
        assert mine.completion_tokens == found.usage.completion_tokens


def test_openai_streams(server: ContractServer) -> None:
    import openai

    turns: Any = [{"role": "user", "content": "one two three"}]
    with (
        openai.OpenAI(api_key=KEY, base_url=f"{server.url('openai')}/v1") as client,
        client.chat.completions.create(model="gpt-5-mini", messages=turns, stream=True) as chunks,
    ):
        theirs = [c.choices[0].delta.content for c in chunks if c.choices]

    async def session() -> list[str]:
        async with opened(server, "llm", "openai:gpt-5-mini") as llm:
            return [piece async for piece in llm.stream([Message("user", "one two three")])]

    assert asyncio.run(session()) == [piece for piece in theirs if piece]
    same_request(server)


@pytest.mark.parametrize(("status", "name"), [("401", "Authentication"), ("429", "RateLimit")])
def test_both_understand_a_refusal(status: str, name: str, server: ContractServer) -> None:
    import openai

    from pincite.errors import ProviderError

    server.fail(status, times=2)
    with (
        openai.OpenAI(api_key=KEY, base_url=f"{server.url('openai')}/v1", max_retries=0) as client,
        pytest.raises(openai.APIStatusError) as theirs,
    ):
        client.chat.completions.create(model="m", messages=[{"role": "user", "content": "x"}])
    assert type(theirs.value).__name__.startswith(name)
    with pytest.raises(ProviderError) as mine:
        ours(server, "openai:gpt-5-mini")
    assert type(mine.value).__name__.startswith(("Auth", "RateLimited"))
    assert mine.value.message.endswith(str(theirs.value.body["message"]))  # type: ignore[index]
