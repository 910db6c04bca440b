"""Every dense provider keeps the port's promises, and asks the way its documentation says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from pincite.errors import AuthError, ConfigError, TooLarge
from pincite.model import Notice
from pincite.ports import DenseEncoder
from pincite.providers.dense.voyage import address
from pincite.providers.registry import Registry
from pincite.providers.secret import Secret
from pincite.testing.contract_server import ContractServer
from pincite.testing.encoders import DenseEncoderContract, GroupedEncoderContract
from tests.providers.dense.remotes import KEY, MODELS, opened, registry_for, served_by


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


@pytest.fixture(scope="module")
def server() -> Iterator[ContractServer]:
    with ContractServer(key=KEY) as running:
        yield running


@pytest.fixture(autouse=True)
def _healthy(server: ContractServer) -> None:
    server.heal()
    server.record.clear()


def embed(
    server: ContractServer, vendor: str, texts: list[str], query: bool = False, **values: Any
) -> Any:
    async def session() -> Any:
        async with opened(server, vendor, **values) as encoder:
            server.record.clear()
            if query:
                return await encoder.embed_query(texts[0])
            return await encoder.embed_documents(texts)

    return asyncio.run(session())


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
    assert asyncio.run(name("tei")).startswith("tei/bge-small-en-v1.5@384")


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


def test_a_text_that_is_too_long_is_cut_with_a_warning(server: ContractServer) -> None:
    notices: list[Notice] = []
    texts = ["short", "long " * 2_000, "also short"]
    rows = embed(server, "tei", texts, on_notice=notices.append)
    assert {notice.code for notice in notices} == {"text_cut_for_model"}
    assert "10,000 characters" in notices[0].message
    assert np.array_equal(rows[[0, 2]], embed(server, "tei", [texts[0], texts[2]]))


def test_a_text_that_is_too_long_fails_by_number_where_that_is_wanted(
    server: ContractServer,
) -> None:
    with pytest.raises(TooLarge, match=r"item 1 is too large on its own.*512 tokens"):
        embed(server, "tei", ["a", "long " * 2_000], oversize="fail")


def test_a_document_beyond_the_models_context_is_embedded_in_windows(
    server: ContractServer,
) -> None:
    chunks = [f"chunk {n} " + "word " * 1_000 for n in range(40)]

    async def session() -> Any:
        async with opened(server, "voyage-context") as encoder:
            return await encoder.embed_grouped([chunks, ["alone"], []])

    many, one, none = asyncio.run(session())
    assert (many.shape, one.shape, none.shape) == ((40, 1024), (1, 1024), (0, 1024))
    sent = [inner for body in server.record.bodies for inner in body["inputs"]]
    assert [chunk for inner in sent for chunk in inner] == [*chunks, "alone"]
    assert len(sent) == 4


def test_a_document_whose_estimate_was_too_low_is_halved(server: ContractServer) -> None:
    chunks = ["; " * 1_000 for _ in range(40)]  # a token every two characters

    async def session() -> Any:
        async with opened(server, "voyage-context") as encoder:
            return await encoder.embed_grouped([chunks])

    (rows,) = asyncio.run(session())
    assert rows.shape == (40, 1024)
    assert server.record.requests > 2


def test_late_chunking_is_refused(server: ContractServer) -> None:
    with pytest.raises(ConfigError, match="late_chunking"):
        embed(server, "jina", ["x"], body={"late_chunking": True})


def test_a_missing_key_is_named_before_anything_is_sent() -> None:
    with pytest.raises(AuthError) as caught:
        asyncio.run(Registry().open("dense", "voyage:voyage-4"))
    assert "export VOYAGE_API_KEY" in caught.value.hint


def test_atlas_keys_go_to_the_host_that_takes_them() -> None:
    for key, host in (("al-x", "https://ai.mongodb.com"), ("pa-x", "")):
        setup = Registry().setup("dense", "voyage:voyage-4")
        assert address(replace(setup, key=Secret(key))) == host
