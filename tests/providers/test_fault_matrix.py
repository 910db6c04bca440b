"""Every fault, against every reranker and every model that writes: the named error or the right
result, and nothing else."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from pincite.errors import (
    BadResponse,
    ProviderError,
    Unavailable,
)
from pincite.ports import Message
from pincite.testing.contract_server import FAULTS, ContractServer
from tests.providers.served import LLMS, REFUSALS, RERANKERS, opened
from tests.time_limits import HANGS_S

#: What rerankers must notice in an answer; the order is restored.
SCORES: dict[str, type[ProviderError] | None] = {
    "cut-off": Unavailable,
    "no-json": BadResponse,
    "wrong-count": BadResponse,
    "nan": BadResponse,
    "wrong-order": None,
}
#: An answer in prose has no count, order or number that could be wrong.
PROSE: dict[str, type[ProviderError] | None] = {
    **SCORES,
    **dict.fromkeys(("wrong-count", "nan", "wrong-order")),
}
QUERY, DOCUMENTS = "how do retries wait", ["bread", "retries wait", "how do retries wait"]
LASTING = 1_000
JUDGES = ("judge", "openai", "ollama", "lmstudio", "compatible")


@pytest.fixture
def server() -> Iterator[ContractServer]:
    with ContractServer(keep_bodies=False) as running:
        yield running


def test_no_fault_is_forgotten() -> None:
    assert set(FAULTS) == set(REFUSALS) | set(SCORES)


async def rerank(server: ContractServer, name: str, **options: Any) -> list[int]:
    async with opened(server, "rerank", name, **options) as reranker:
        return [one.index for one in await reranker.rerank(QUERY, DOCUMENTS)]


async def complete(server: ContractServer, name: str, **options: Any) -> str:
    async with opened(server, "llm", name, **options) as llm:
        return str((await llm.complete([Message("user", "one two three")])).text)


async def stream(server: ContractServer, name: str, **options: Any) -> str:
    async with opened(server, "llm", name, **options) as llm:
        pieces = [piece async for piece in llm.stream([Message("user", "one two three")])]
        return "".join(pieces)


def outcome(run: Any, expected: type[ProviderError] | None, right: object) -> None:
    if expected is None:
        assert asyncio.run(run) == right
        return
    with pytest.raises(ProviderError) as caught:
        asyncio.run(run)
    assert type(caught.value) is expected
    assert "key-of-the-tests" not in str(caught.value)


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", RERANKERS)
def test_a_reranker_meets_a_fault(name: str, fault: str, server: ContractServer) -> None:
    server.fail(fault, times=LASTING, wait_s=0.3)
    answers = PROSE if name.startswith(JUDGES) else SCORES
    expected = REFUSALS.get(fault) or answers[fault]
    timeout_s = 0.1 if fault == "slow" else HANGS_S
    outcome(rerank(server, name, timeout_s=timeout_s), expected, [2, 1, 0])


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", LLMS)
def test_a_model_that_writes_meets_a_fault(name: str, fault: str, server: ContractServer) -> None:
    server.fail(fault, times=LASTING, wait_s=0.3)
    expected = REFUSALS.get(fault) or PROSE[fault]
    timeout_s = 0.1 if fault == "slow" else HANGS_S
    outcome(complete(server, name, timeout_s=timeout_s), expected, "three two one")


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("name", LLMS)
def test_a_stream_meets_a_fault(name: str, fault: str, server: ContractServer) -> None:
    server.fail(fault, times=LASTING, wait_s=0.3)
    expected = REFUSALS.get(fault) or PROSE[fault]
    if fault == "cut-off":
        expected = BadResponse  # a stream has no length that would be missed
    timeout_s = 0.1 if fault == "slow" else HANGS_S
    outcome(stream(server, name, timeout_s=timeout_s), expected, "three two one")


@pytest.mark.parametrize("fault", ["429-retry-after", "503"])
@pytest.mark.parametrize(
    ("ask", "name", "right"),
    [
        (rerank, "cohere:rerank-v3.5", [2, 1, 0]),
        (rerank, "judge:qwen3:8b", [2, 1, 0]),
        (complete, "ollama:m", "three two one"),
        (stream, "ollama:m", "three two one"),
    ],
)
def test_what_passes_is_asked_again(
    ask: Any, name: str, right: object, fault: str, server: ContractServer
) -> None:
    server.fail(fault, times=1)
    assert asyncio.run(ask(server, name, tries=2)) == right
    assert server.record.requests == 2


@pytest.mark.parametrize("fault", ["400", "401", "404", "nan"])
def test_what_would_fail_again_is_not_asked_again(fault: str, server: ContractServer) -> None:
    server.fail(fault, times=LASTING)
    with pytest.raises(ProviderError):
        asyncio.run(rerank(server, "cohere:rerank-v3.5", tries=3))
    assert server.record.requests == 1


def test_a_request_that_was_too_large_is_halved(server: ContractServer) -> None:
    server.fail("413", times=1)
    assert asyncio.run(rerank(server, "cohere:rerank-v3.5")) == [2, 1, 0]
    assert server.record.requests == 3
