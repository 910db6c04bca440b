"""What reaches a hosted reranker: how often it is asked, and what it gets to read."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest

from pincite.engine import AsyncPincite
from pincite.model import EvidencePack
from pincite.settings import load_settings
from pincite.testing.contract_server import ContractServer
from tests.surfaces.conftest import Cli

T = TypeVar("T")
QUESTION = "how is a key rotated"
KEY = "sk-do-not-show-this-0123456789"


@pytest.fixture(scope="module")
def server() -> Iterator[ContractServer]:
    with ContractServer(key=KEY) as running:
        yield running


@pytest.fixture
def shop(server: ContractServer, cli: Cli) -> Cli:
    """Twenty passages about keys, found by word and judged by Voyage's reranker."""
    server.heal()
    for n in range(20):
        cli.write(f"docs/keys{n}.md", f"# Keys {n}\n\nA key is rotated by step {n}.\n")
    cli("index", "docs", "--lexical", "--name", "acme", "--ref", "v1")
    server.record.clear()
    return cli


def configure(server: ContractServer, cli: Cli, toml: str = "", options: str = "") -> None:
    cli.write(
        "pincite.toml",
        f'{toml}\n[models]\nrerank = "voyage:rerank-2.5"\n'
        f'[providers.voyage]\nurl = "{server.url("voyage")}"\ntries = 1\n{options}\n',
    )


def within(folder: Path, work: Callable[[AsyncPincite], Awaitable[T]], key: str = KEY) -> T:
    async def session() -> T:
        given = {"PINCITE_IDLE_S": "60", "PINCITE_OFFLINE": "1"}
        settings = load_settings(given | ({"VOYAGE_API_KEY": key} if key else {}), folder)
        async with AsyncPincite(settings) as engine:
            return await work(engine)

    return asyncio.run(session())


def asked(server: ContractServer) -> list[Any]:
    """The bodies of all requests to rerank."""
    pairs = zip(server.record.paths, server.record.bodies, strict=True)
    return [body for path, body in pairs if path.endswith("/rerank")]


def codes(pack: EvidencePack) -> list[str]:
    return [notice.code for notice in pack.warnings]


def untimed(pack: EvidencePack) -> EvidencePack:
    return replace(pack, timings_ms={})


def test_the_first_search_of_a_process_reranks_as_every_later_one(
    server: ContractServer, shop: Cli
) -> None:
    # 20 documents with a question of 3,300 tokens each are more than the budget of a request
    configure(server, shop, "[rerank]\nbudget_tokens = 20_000\nbatch = 8")
    question = ("how is a key rotated " * 476)[:10_000]

    async def thrice(engine: AsyncPincite) -> list[EvidencePack]:
        return [await engine.search(question) for _ in range(3)]

    first, *later = map(untimed, within(shop.folder, thrice))
    assert [len(body["documents"]) for body in asked(server)] == [8, 8, 4] * 3
    assert later == [first, first]
    assert "rerank_cut" not in codes(first)


def test_a_reranker_that_cannot_be_opened_costs_the_order_only_and_is_tried_again(
    server: ContractServer, shop: Cli
) -> None:
    configure(server, shop)

    async def twice(engine: AsyncPincite) -> list[EvidencePack]:
        return [await engine.search(QUESTION) for _ in range(2)]

    first, second = map(untimed, within(shop.folder, twice, key=""))
    assert first == second
    assert codes(first)[-1] == "rerank_unavailable"
    assert "VOYAGE_API_KEY" in first.warnings[-1].message
    assert (first.plan.reranker, first.plan.instruction) == ("voyage:rerank-2.5", "")
    assert first.evidence
    assert asked(server) == []
