"""Embedding and reranking as functions: who is asked stands in the settings."""

from __future__ import annotations

import asyncio
import math
from pathlib import Path
from typing import Any

import pytest

import pincite
from pincite import OpenModels, embed_documents, embed_query
from pincite.diagnostics.rerank import put_in_order
from pincite.errors import ConfigError, ModelUnavailable, UsageError
from pincite.model import Notice
from pincite.settings.load import Settings, load_settings
from pincite.support.fields import replace
from pincite.testing.contract_server import ContractServer
from tests.providers.served import STANDS_FOR

DENSE = (
    *("voyage:voyage-4", "openai:text-embedding-3-small", "cohere:embed-v4.0"),
    *(
        "jina:jina-embeddings-v3",
        "tei:the-server-s",
        "vllm:Qwen/Qwen3-Embedding-0.6B",
        "ollama:embeddinggemma",
    ),
    "llamacpp:embeddinggemma-300M-Q8_0.gguf",
)
RERANK = (
    *("voyage:rerank-2.5", "cohere:rerank-v3.5", "jina:jina-reranker-v2-base-multilingual"),
    *("tei:the-server-s", "vllm:BAAI/bge-reranker-v2-m3", "judge:qwen3:8b"),
    "llamacpp:Qwen3-Reranker-0.6B-Q8_0",
)


def configured(folder: Path, server: ContractServer, **models: str) -> Settings:
    """Settings as a `pincite.toml` has them, all providers at this server."""
    lines = ["[models]", *(f'{use} = "{name}"' for use, name in models.items())]
    keys = {}
    for name in models.values():
        provider = name.split(":")[0]
        url = server.url(STANDS_FOR.get(provider, provider))
        lines += [f"[providers.{provider}]", f'url = "{url}"', "tries = 1"]
        keys = {f"{provider.upper()}_API_KEY": "key-of-the-tests", "CO_API_KEY": "key-of-the-tests"}
    (folder / "pincite.toml").write_text("\n".join(lines), encoding="utf-8")
    return load_settings(keys, folder)


@pytest.mark.parametrize("name", DENSE)
def test_every_dense_model_is_asked_by_its_name_in_the_settings(tmp_path: Path, name: str) -> None:
    with ContractServer() as server:
        settings = configured(tmp_path, server, dense=name)
        query = asyncio.run(embed_query("a key", index=settings))
        rows = asyncio.run(embed_documents(["a key", "a backup"], index=settings))
    assert math.isclose(math.fsum(value * value for value in query), 1, abs_tol=1e-4)
    assert [len(row) for row in rows] == [len(query)] * 2
    assert type(query[0]) is float


def test_questions_and_documents_have_the_prompts_of_the_model(tmp_path: Path) -> None:
    with ContractServer() as server:
        settings = configured(tmp_path, server, dense="llamacpp:embeddinggemma-300M-Q8_0.gguf")
        settings = replace(settings, use=replace(settings.use, cache=None))
        asyncio.run(embed_query("a key", index=settings))
        asyncio.run(embed_documents(["a backup"], index=settings))
        sent = str(server.record.bodies)
    assert "task: search result | query: a key" in sent
    assert "title: none | text: a backup" in sent


@pytest.mark.parametrize("name", RERANK)
def test_every_reranker_is_asked_by_its_name_in_the_settings(tmp_path: Path, name: str) -> None:
    documents = ["invoices are sent monthly", "rotate the key with a secret", "a key"]
    with ContractServer() as server:
        settings = configured(tmp_path, server, rerank=name)
        found = asyncio.run(pincite.rerank("rotate the key", documents, 2, index=settings))
    assert [one.rank for one in found] == [1, 2]
    assert found[0].index == 1
    assert [one.document for one in found] == [documents[one.index] for one in found]


def test_ten_are_given_where_nobody_says_how_many(tmp_path: Path) -> None:
    with ContractServer() as server:
        settings = configured(tmp_path, server, rerank="cohere:rerank-v3.5")
        found = asyncio.run(pincite.rerank("key", [f"key {n}" for n in range(15)], index=settings))
    assert len(found) == 10


def test_all_documents_are_given_on_request(tmp_path: Path) -> None:
    texts = [f"text {number}" for number in range(15)]

    async def all_of(settings: Settings) -> int:
        async with OpenModels(settings) as models:
            return len(await models.rerank("a key", texts, None))

    with ContractServer() as server:
        settings = configured(tmp_path, server, rerank=RERANK[0])
        assert asyncio.run(all_of(settings)) == len(texts)


def test_more_documents_than_top_n_may_be_are_not_refused_for_it(tmp_path: Path) -> None:
    settings, name = load_settings({}, tmp_path), "local:./missing"
    order = put_in_order(
        settings, name, "q", ["d"] * 100_001, limit=None, instruction="", on_notice=print
    )
    with pytest.raises(ModelUnavailable, match="missing does not exist"):
        asyncio.run(order)


def test_models_stay_open_and_another_can_be_named(tmp_path: Path) -> None:
    async def run(settings: Settings) -> int:
        name = "voyage:voyage-4"
        async with OpenModels(settings, dense=name, rerank="cohere:rerank-v3.5") as models:
            await models.embed_query("a")
            await models.embed_documents(["b"])
            return len(await models.rerank("a", ["a", "b"]))

    with ContractServer() as server:
        configured(tmp_path, server, dense="cohere:embed-v4.0", rerank="voyage:rerank-2.5")
        text = (tmp_path / "pincite.toml").read_text()
        keys = {"VOYAGE_API_KEY": "k", "CO_API_KEY": "k"}
        assert asyncio.run(run(load_settings(keys, tmp_path))) == 2
        assert "voyage" in text


def test_without_a_reranker_or_weights_the_error_says_what_to_do(tmp_path: Path) -> None:
    settings = load_settings({"PINCITE_MODELS": str(tmp_path / "none")}, tmp_path)
    with pytest.raises(ConfigError, match="no reranker is configured"):
        asyncio.run(pincite.rerank("a", ["b"], index=settings))
    with pytest.raises(ModelUnavailable, match="pincite models fetch"):
        asyncio.run(embed_query("a", index=settings))


def test_an_instruction_that_a_model_cannot_take_is_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    heard: list[Notice] = []
    with ContractServer() as server:
        settings = configured(tmp_path, server, rerank="cohere:rerank-v3.5")
        asked = {"index": settings, "instruction": "Code first."}
        asyncio.run(pincite.rerank("a", ["b"], on_notice=heard.append, **asked))  # type: ignore[arg-type]
        asyncio.run(pincite.rerank("a", ["b"], **asked))  # type: ignore[arg-type]
    assert [(one.code, "cohere:rerank-v3.5" in one.message) for one in heard] == [
        ("instruction_unused", True)
    ]
    assert caplog.text.count("instruction_unused") == 1


def test_no_documents_are_an_answer_and_ask_nobody(tmp_path: Path) -> None:
    settings = load_settings({}, tmp_path)
    assert asyncio.run(pincite.rerank("a", [], index=settings)) == ()


@pytest.mark.parametrize(
    ("documents", "top_n", "said"),
    [
        ("one text", 10, "documents is 'one text'; it takes a list of texts"),
        ([3], 10, r"documents\[0\]"),
        (["a", " "], 10, r"documents\[1\] is empty"),
        (None, 10, "documents is None"),
        (["a"], 0, "top_n is 0"),
        (["a"], True, "top_n is True"),
    ],
)
def test_what_cannot_be_asked_is_wrong_usage(
    tmp_path: Path, documents: Any, top_n: Any, said: str
) -> None:
    settings = load_settings({}, tmp_path)
    with pytest.raises(UsageError, match=said):
        asyncio.run(pincite.rerank("a", documents, top_n, index=settings))
    for query in ("", None, 3):
        with pytest.raises(UsageError, match="query"):
            asyncio.run(embed_query(query, index=settings))  # type: ignore[arg-type]
