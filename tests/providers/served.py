"""Providers opened as settings open them, on the contract server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from pincite.errors import (
    AuthError,
    Gone,
    Invalid,
    ProviderError,
    RateLimited,
    TooLarge,
    Unavailable,
)
from pincite.providers.provider_options import ProviderOptions
from pincite.providers.registry import Kind, Registry
from pincite.providers.secret import Secret
from pincite.support.fields import replace
from pincite.testing.contract_server import ContractServer
from pincite.testing.contract_server.vendors import VENDORS

#: What a fault of the contract server is to whoever asked, whatever was asked.
REFUSALS: dict[str, type[ProviderError]] = {
    "400": Invalid,
    "401": AuthError,
    "403": AuthError,
    "404": Gone,
    "408": Unavailable,
    "409": Unavailable,
    "410": Gone,
    "413": TooLarge,
    "422": Invalid,
    "424": Unavailable,
    "429": RateLimited,
    "429-retry-after": RateLimited,
    "500": Unavailable,
    "503": Unavailable,
    "slow": Unavailable,
}
RERANKERS = (
    "voyage:rerank-2.5",
    "voyage:rerank-2",
    "cohere:rerank-v3.5",
    "jina:jina-reranker-v2-base-multilingual",
    "jina:jina-reranker-v3",
    "tei:the-server-s",
    "vllm:BAAI/bge-reranker-v2-m3",
    "vllm:Qwen/Qwen3-Reranker-0.6B",
    "llamacpp:bge-reranker-v2-m3",
    "llamacpp:Qwen3-Reranker-0.6B-Q8_0",
    "judge:qwen3:8b",
    "openai:gpt-5-mini",
    "ollama:qwen3:8b",
    "lmstudio:qwen3-8b",
    "compatible:qwen3-8b",
)
LLMS = ("openai:gpt-5-mini", "ollama:qwen3:8b", "llamacpp:any", "vllm:any", "lmstudio:any")
#: Providers without a vendor of their own are asked as this one.
STANDS_FOR = {"judge": "ollama", "compatible": "vllm"}


def registry(server: ContractServer, **options: Any) -> Registry:
    """All providers at this server, with a key, and one try."""
    usual = ProviderOptions(**{"tries": 1, **options})
    names = (*VENDORS, *STANDS_FOR)
    each = {n: replace(usual, url=server.url(STANDS_FOR.get(n, n))) for n in names}
    return Registry(each, key_of=lambda _: Secret("key-of-the-tests"))


@asynccontextmanager
async def opened(
    server: ContractServer, kind: Kind, name: str, **options: Any
) -> AsyncIterator[Any]:
    """A model by name, closed at the end."""
    model = await registry(server, **options).open(kind, name)
    try:
        yield model
    finally:
        await model.close()
