"""Ten thousand texts: the fewest requests, bounded concurrency, order, and flat memory."""

from __future__ import annotations

import asyncio
import tracemalloc
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from pincite.providers.batching import Limits, plan
from pincite.providers.registry import Registry
from pincite.providers.tokens import estimate_tokens
from pincite.testing.contract_server import ContractServer
from pincite.testing.contract_server.texts import embed
from tests.providers.dense.remotes import opened

_WORDS = (
    "gate push turn brown bread flour water dough rise night retry policy session agent".split()
)


def texts(count: int, length: int = 12) -> list[str]:
    """Different texts of common words."""
    return [
        " ".join(_WORDS[(n * 7 + k * k) % len(_WORDS)] for k in range(length)) + f" {n % 997}"
        for n in range(count)
    ]


@pytest.fixture(scope="module")
def server() -> Iterator[ContractServer]:
    with ContractServer(keep_bodies=False) as running:
        yield running


def run(
    server: ContractServer, vendor: str, given: list[str], name: str = "", **values: Any
) -> Any:
    async def session() -> Any:
        async with opened(server, vendor, name, **values) as encoder:
            server.record.clear()
            return await encoder.embed_documents(given)

    return asyncio.run(session())


def test_ten_thousand_texts_take_the_fewest_requests_and_keep_their_order(
    server: ContractServer,
) -> None:
    given = texts(10_000)
    rows = run(server, "voyage", given, "voyage:voyage-4-lite@256", concurrency=3)
    assert server.record.requests == 10  # a thousand texts each
    assert 1 < server.record.most_at_once <= 3
    for n in (0, 1, 999, 1_000, 5_003, 9_999):
        assert np.allclose(rows[n], embed(given[n], 256, model="voyage-4-lite"), atol=1e-6)


@pytest.mark.parametrize(
    ("vendor", "requests"), [("openai", 2), ("cohere", 32), ("tei", 94), ("ollama", 47)]
)
def test_limits_by_count_are_used_in_full(
    server: ContractServer, vendor: str, requests: int
) -> None:
    name = "openai:text-embedding-3-small@256" if vendor == "openai" else ""
    run(server, vendor, texts(3_000, 4), name)
    assert server.record.requests == requests


def test_limits_by_tokens_are_used_in_full(server: ContractServer) -> None:
    given = texts(600, 400)
    costs = [estimate_tokens(text) + 10 for text in given]
    run(server, "voyage", given, "voyage:voyage-code-3@256")
    assert server.record.requests == len(plan(costs, Limits(1_000, 120_000)))
    assert server.record.requests == -(-sum(costs) // 120_000)


def _peak_beyond_result(server: ContractServer, count: int) -> float:
    given = texts(count)
    tracemalloc.start()
    rows = run(server, "voyage", given, "voyage:voyage-4-lite@256", max_items=50, concurrency=1)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return float(peak - rows.nbytes)


def test_memory_beside_the_result_does_not_grow_with_the_number_of_texts(
    server: ContractServer,
) -> None:
    _peak_beyond_result(server, 400)
    few, many = _peak_beyond_result(server, 2_000), _peak_beyond_result(server, 8_000)
    assert (many - few) / 6_000 < 512  # bytes; one vector has 1,024, as numbers of Python 8,000


def test_a_configured_tokenizer_counts_instead_of_the_estimate(
    server: ContractServer, tmp_path: Any
) -> None:
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    tokenizer = Tokenizer(WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    given = texts(600, 400)
    options = {"tokenizer": str(tmp_path / "tokenizer.json")}
    run(server, "voyage", given, "voyage:voyage-code-3@256", **options)
    counted = sum(len(text.split()) + 10 for text in given)
    assert server.record.requests == -(-counted // 120_000)


def test_the_registry_reads_limits_from_the_options() -> None:
    setup = Registry().setup("dense", "ollama:x")
    assert setup.limits(Limits(items=64, tokens=9)) == Limits(items=64, tokens=9, concurrency=4)
