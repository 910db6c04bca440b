"""The vendors' own clients, pointed at the contract server, get what our adapters get: that keeps
the server honest about shapes, and the adapters about requests."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from pincite.testing.contract_server import ContractServer
from tests.providers.dense.remotes import KEY, opened

TEXTS = ["the brown turnstile", "a recipe for bread", "文書 🎉"]

# Their own imports warn of what they use; it is not ours to mend.
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("healthy")]


@pytest.fixture(scope="module")
def voyage_client(server: ContractServer) -> Iterator[Any]:
    """Voyage's client with a session that is closed at the end."""
    import requests
    import voyageai

    with requests.Session() as session:
        voyageai.requestssession = session
        client: Any = voyageai.Client  # type: ignore[attr-defined]
        yield client(api_key=KEY, base_url=server.url("voyage") + "/v1")
        voyageai.requestssession = None


@pytest.fixture
def cohere_client(server: ContractServer) -> Iterator[Any]:
    """Cohere's client with connections that are closed at the end."""
    import cohere
    import httpx

    with httpx.Client() as http:
        yield cohere.ClientV2(api_key=KEY, base_url=server.url("cohere"), httpx_client=http)


def ours(server: ContractServer, vendor: str, name: str = "") -> tuple[Any, Any]:
    async def session() -> tuple[Any, Any]:
        async with opened(server, vendor, name) as encoder:
            return await encoder.embed_documents(TEXTS), await encoder.embed_query(TEXTS[0])

    return asyncio.run(session())


def test_voyage(server: ContractServer, voyage_client: Any) -> None:
    documents = voyage_client.embed(
        TEXTS, model="voyage-code-3", input_type="document", truncation=False
    )
    query = voyage_client.embed(
        TEXTS[:1], model="voyage-code-3", input_type="query", truncation=False
    )
    mine, asked = ours(server, "voyage")
    assert np.allclose(mine, documents.embeddings, atol=1e-6)
    assert np.allclose(asked, query.embeddings[0], atol=1e-6)
    theirs, _, own = server.record.bodies[:3]
    assert {k: v for k, v in theirs.items() if v is not None} == {
        k: v for k, v in own.items() if v is not None
    }


def test_voyage_contextual(server: ContractServer, voyage_client: Any) -> None:
    found = voyage_client.contextualized_embed([TEXTS, ["alone"]], "voyage-context-3", "document")

    async def session() -> Any:
        async with opened(server, "voyage-context") as encoder:
            return await encoder.embed_grouped([TEXTS, ["alone"]])

    for mine, theirs in zip(asyncio.run(session()), found.results, strict=True):
        assert np.allclose(mine, theirs.embeddings, atol=1e-6)
    assert server.record.bodies[0]["inputs"] == server.record.bodies[1]["inputs"]


def test_openai(server: ContractServer) -> None:
    import openai

    with openai.OpenAI(api_key=KEY, base_url=server.url("openai") + "/v1") as client:
        found = client.embeddings.create(
            model="text-embedding-3-small", input=TEXTS, dimensions=512
        )
    mine, _ = ours(server, "openai")
    assert np.allclose(mine, [one.embedding for one in found.data], atol=1e-6)
    assert server.record.bodies[0] == server.record.bodies[1]


@pytest.mark.parametrize("vendor", ["vllm", "llamacpp", "lmstudio"])
def test_openai_against_servers_that_speak_like_it(server: ContractServer, vendor: str) -> None:
    import openai

    _, asked = ours(server, vendor)
    body = server.record.bodies[-1]
    with openai.OpenAI(api_key="none", base_url=server.url(vendor) + "/v1") as client:
        found = client.embeddings.create(model=body["model"], input=body["input"])
    assert np.allclose(asked, found.data[0].embedding, atol=1e-6)


def test_cohere(server: ContractServer, cohere_client: Any) -> None:
    found = cohere_client.embed(
        model="embed-v4.0",
        texts=TEXTS,
        input_type="search_document",
        embedding_types=["float"],
        truncate="NONE",
    )
    mine, _ = ours(server, "cohere")
    assert found.embeddings.float_ is not None
    assert np.allclose(mine, found.embeddings.float_, atol=1e-6)
    assert server.record.bodies[0] == server.record.bodies[1]


@pytest.mark.parametrize(
    ("fault", "name"),
    [
        ("400", "BadRequestError"),
        ("401", "AuthenticationError"),
        ("404", "NotFoundError"),
        ("429", "RateLimitError"),
        ("500", "InternalServerError"),
    ],
)
def test_openai_understands_the_errors(server: ContractServer, fault: str, name: str) -> None:
    import openai

    server.fail(fault)
    client = openai.OpenAI(api_key=KEY, base_url=server.url("openai") + "/v1", max_retries=0)
    with client, pytest.raises(getattr(openai, name)):
        client.embeddings.create(model="text-embedding-3-small", input=TEXTS)


@pytest.mark.parametrize(
    ("fault", "name"),
    [
        ("400", "InvalidRequestError"),
        ("401", "AuthenticationError"),
        ("429", "RateLimitError"),
        ("500", "ServerError"),
        ("503", "ServiceUnavailableError"),
    ],
)
def test_voyage_understands_the_errors(
    server: ContractServer, voyage_client: Any, fault: str, name: str
) -> None:
    from voyageai import error

    server.fail(fault)
    with pytest.raises(getattr(error, name)):
        voyage_client.embed(TEXTS, model="voyage-code-3")


@pytest.mark.parametrize(
    ("fault", "name"),
    [("400", "BadRequestError"), ("401", "UnauthorizedError"), ("404", "NotFoundError")],
)
def test_cohere_understands_the_errors(
    server: ContractServer, cohere_client: Any, fault: str, name: str
) -> None:
    import cohere

    server.fail(fault)
    with pytest.raises(getattr(cohere.errors, name)):
        cohere_client.embed(
            model="embed-v4.0", texts=TEXTS, input_type="search_query", embedding_types=["float"]
        )
