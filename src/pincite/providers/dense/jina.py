"""Jina: `/v1/embeddings` with a task. `late_chunking` is never sent: it treats all texts of a
request as one document."""

from __future__ import annotations

from collections.abc import Sequence

from pincite.errors import ConfigError
from pincite.providers.batching import Limits
from pincite.providers.dense.openai import embeddings_of
from pincite.providers.dense.remote import InputKind, RemoteEncoder, Wire, open_remote
from pincite.providers.facts import Facts
from pincite.providers.registry import Setup

FACTS = Facts(
    "512 texts a request (a bound of ours), 8,192 tokens a text (v3), 32,768 (v4, v5 small)",
    "is refused (`truncate: false`), then cut with a warning or an error",
)
_LIMITS = Limits(items=512, item_tokens=8_192)
_DIMENSIONS = {"jina-embeddings-v3": 1024, "jina-embeddings-v4": 2048}
_TASKS = {"query": "query", "document": "passage"}


async def open_dense(setup: Setup) -> RemoteEncoder:
    """Open the model, see `Registry.open`. Raises ConfigError if `body` asks for late chunking."""
    name = setup.name
    if setup.options.body.get("late_chunking"):
        raise ConfigError(
            "late_chunking would embed unrelated texts as one document",
            hint="remove late_chunking from [providers.jina.body]",
        )
    task = "nl2code" if "code" in name.model else "retrieval"

    def body(texts: Sequence[str], kind: InputKind) -> dict[str, object]:
        sent: dict[str, object] = {
            "model": name.model,
            "input": texts,
            "task": f"{task}.{_TASKS[kind]}",
            "truncate": False,
            "normalized": True,
            "embedding_type": "float",
        }
        return sent | ({"dimensions": name.dimensions} if name.dimensions else {})

    wire = Wire("/v1/embeddings", body, embeddings_of, _LIMITS)
    return await open_remote(setup, wire, dimensions=_DIMENSIONS.get(name.model, 0))
