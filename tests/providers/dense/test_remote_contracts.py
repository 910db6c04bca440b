"""Every dense provider keeps the port's promises, and asks the way its documentation says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import numpy as np
import pytest

from pincite.ports import DenseEncoder
from pincite.testing.contract_server import ContractServer
from pincite.testing.encoders import DenseEncoderContract, GroupedEncoderContract
from tests.providers.dense.remotes import KEY, MODELS, embed, opened, registry_for, served_by

pytestmark = pytest.mark.usefixtures("healthy")


class _Remote(DenseEncoderContract):
    vendor = ""

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[DenseEncoder]:
        with ContractServer(key=KEY) as server:
            async with opened(server, self.vendor) as encoder:
                yield encoder


class TestVoyage(_Remote):
    vendor = "voyage"


class TestVoyageContext(_Remote, GroupedEncoderContract):
    vendor = "voyage-context"


class TestOpenAI(_Remote):
    vendor = "openai"


class TestCohere(_Remote):
    vendor = "cohere"


class TestJina(_Remote):
    vendor = "jina"


class TestOllama(_Remote):
    vendor = "ollama"


class TestTei(_Remote):
    vendor = "tei"


class TestLlamaCpp(_Remote):
    vendor = "llamacpp"


class TestVllm(_Remote):
    vendor = "vllm"


class TestLmStudio(_Remote):
    vendor = "lmstudio"


class TestCompatible(_Remote):
    vendor = "compatible"


SENT: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "voyage": (
        "/v1/embeddings",
        {"input": ["q"], "input_type": "query", "truncation": False},
        {"input": ["d"], "input_type": "document", "truncation": False},
    ),
    "voyage-context": (
        "/v1/contextualizedembeddings",
        {"inputs": [["q"]], "input_type": "query"},
        {"inputs": [["d"]], "input_type": "document"},
    ),
    "openai": ("/v1/embeddings", {"input": ["q"], "dimensions": 512}, {"input": ["d"]}),
    "cohere": (
        "/v2/embed",
        {"texts": ["q"], "input_type": "search_query", "truncate": "NONE"},
        {"texts": ["d"], "input_type": "search_document", "truncate": "NONE"},
    ),
    "jina": (
        "/v1/embeddings",
        {"input": ["q"], "task": "retrieval.query", "truncate": False, "normalized": True},
        {"input": ["d"], "task": "retrieval.passage", "truncate": False, "normalized": True},
    ),
    "ollama": (
        "/api/embed",
        {"input": ["task: search result | query: q"], "truncate": False},
        {"input": ["title: none | text: d"], "truncate": False},
    ),
    "tei": (
        "/embed",
        {
            "inputs": ["Represent this sentence for searching relevant passages: q"],
            "truncate": False,
        },
        {"inputs": ["d"], "truncate": False},
    ),
    "llamacpp": (
        "/v1/embeddings",
        {"input": ["task: search result | query: q"]},
        {"input": ["title: none | text: d"]},
    ),
    "vllm": (
        "/v1/embeddings",
        {
            "input": [
                "Instruct: Given a web search query, retrieve relevant passages that answer the"
                " query\nQuery:q"
            ]
        },
        {"input": ["d"]},
    ),
    "lmstudio": (
        "/v1/embeddings",
        {"input": ["search_query: q"]},
        {"input": ["search_document: d"]},
    ),
    "compatible": ("/v1/embeddings", {"input": ["query: q"]}, {"input": ["passage: d"]}),
}


@pytest.mark.parametrize("vendor", MODELS)
def test_queries_and_documents_are_sent_as_the_vendor_wants_them(
    server: ContractServer, vendor: str
) -> None:
    path, query, document = SENT[vendor]
    for text, wanted in (("q", query), ("d", document)):
        embed(server, vendor, [text], query=text == "q")
        assert server.record.paths == [f"/{served_by(vendor)}{path}"]
        (body,) = server.record.bodies
        assert {name: body.get(name) for name in wanted} == wanted
        assert "late_chunking" not in body


@pytest.mark.parametrize("vendor", MODELS)
def test_similar_texts_are_near_and_others_are_not(server: ContractServer, vendor: str) -> None:
    texts = ["the brown turnstile rotates", "a brown turnstile that rotates", "bread recipes"]
    same, near, far = embed(server, vendor, texts)
    assert float(same @ near) > 0.2 + float(same @ far)


@pytest.mark.parametrize("vendor", MODELS)
def test_fingerprints_name_provider_model_and_dimensions_but_no_address(
    server: ContractServer, vendor: str
) -> None:
    async def fingerprints(name: str = "", **values: Any) -> tuple[str, str]:
        async with opened(server, vendor, name, **values) as encoder:
            return encoder.fingerprint, encoder.name

    found, name = asyncio.run(fingerprints())
    provider = MODELS[vendor].partition(":")[0]
    assert found.startswith(f"{provider}/")
    assert "127.0.0.1" not in found
    assert asyncio.run(fingerprints(name)) == (found, name)
    changed, _ = asyncio.run(fingerprints(body={"user": "x"}))
    assert changed != found


@pytest.mark.parametrize("vendor", ["ollama", "tei", "llamacpp", "vllm", "lmstudio", "compatible"])
def test_other_prefixes_make_other_fingerprints(server: ContractServer, vendor: str) -> None:
    async def fingerprint(**values: Any) -> str:
        async with opened(server, vendor, **values) as encoder:
            return str(encoder.fingerprint)

    found = {
        asyncio.run(fingerprint(**values))
        for values in ({}, {"query_prefix": "Q: "}, {"document_prefix": "D: "})
    }
    assert len(found) == 3


def test_servers_with_one_model_are_asked_which_it_is(server: ContractServer) -> None:
    async def name(vendor: str) -> str:
        async with opened(server, vendor) as encoder:
            return str(encoder.fingerprint)

    assert asyncio.run(name("llamacpp")).startswith("llamacpp/embeddinggemma-300M-Q8_0.gguf@768")
    assert asyncio.run(name("tei")).startswith("tei/BAAI/bge-small-en-v1.5@384")


def test_dimensions_are_the_ones_asked_for(server: ContractServer) -> None:
    async def size(vendor: str, text: str) -> int:
        encoder = await registry_for(server, vendor).open("dense", text)
        vector = await encoder.embed_query("x")
        await encoder.close()
        assert abs(float(np.linalg.norm(vector)) - 1) < 1e-6
        return len(vector)

    url = server.url("llamacpp")
    assert asyncio.run(size("voyage", "voyage:voyage-4@256")) == 256
    assert asyncio.run(size("voyage-context", "voyage:voyage-context-4@512")) == 512
    assert asyncio.run(size("cohere", "cohere:embed-v4.0@256")) == 256
    assert asyncio.run(size("llamacpp", f"llamacpp:{url}@64")) == 64  # cut here
