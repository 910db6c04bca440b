"""Every dense provider that is asked over HTTP, pointed at the contract server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from pincite.model import Notice
from pincite.providers.provider_options import ProviderOptions
from pincite.providers.registry import Registry
from pincite.providers.retry import Clock
from pincite.providers.secret import Secret
from pincite.testing.contract_server import ContractServer

KEY = "sk-do-not-show-this-0123456789"
#: vendor -> what names a model of it, `{url}` standing for the server
MODELS = {
    "voyage": "voyage:voyage-code-3",
    "voyage-context": "voyage:voyage-context-3",
    "openai": "openai:text-embedding-3-small@512",
    "cohere": "cohere:embed-v4.0",
    "jina": "jina:jina-embeddings-v3",
    "ollama": "ollama:embeddinggemma",
    "tei": "tei:{url}",
    "llamacpp": "llamacpp:{url}",
    "vllm": "vllm:Qwen/Qwen3-Embedding-0.6B",
    "lmstudio": "lmstudio:text-embedding-nomic-embed-text-v1.5",
    "compatible": "compatible:{url}#intfloat/e5-small-v2",
}
#: where a vendor's name is not that of the server's
_SERVED_BY = {"voyage-context": "voyage", "compatible": "vllm"}
_HURRIED = Clock(sleep=lambda _: asyncio.sleep(0))  # how long is waited has its own tests


def served_by(vendor: str) -> str:
    """The contract server's name for a vendor."""
    return _SERVED_BY.get(vendor, vendor)


def registry_for(
    server: ContractServer,
    vendor: str,
    *,
    on_notice: Callable[[Notice], None] = lambda _: None,
    **values: Any,
) -> Registry:
    """A registry with a vendor at the server, and any other options."""
    given = ProviderOptions(url=server.url(served_by(vendor)), **values)
    provider = MODELS[vendor].partition(":")[0]
    return Registry({provider: given}, lambda _: Secret(KEY), on_notice=on_notice, clock=_HURRIED)


def name_of(server: ContractServer, vendor: str) -> str:
    """The model's name, with the address where it has one."""
    return MODELS[vendor].format(url=server.url(served_by(vendor)))


@asynccontextmanager
async def opened(
    server: ContractServer, vendor: str, name: str = "", **values: Any
) -> AsyncIterator[Any]:
    """The encoder of a vendor, closed at the end."""
    registry = registry_for(server, vendor, **values)
    encoder = await registry.open("dense", name or name_of(server, vendor))
    try:
        yield encoder
    finally:
        await encoder.close()


def embed(
    server: ContractServer, vendor: str, texts: list[str], query: bool = False, **values: Any
) -> Any:
    """What a vendor's encoder gives; the record has what was asked for that and nothing else."""

    async def session() -> Any:
        async with opened(server, vendor, **values) as encoder:
            server.record.clear()
            if query:
                return await encoder.embed_query(texts[0])
            return await encoder.embed_documents(texts)

    return asyncio.run(session())
