"""OpenAI: `/v1/embeddings`. A text over the limit is an error, and so is an empty one."""

from __future__ import annotations

from collections.abc import Sequence

from pincite.providers.batching import Limits
from pincite.providers.dense.remote import InputKind, RemoteEncoder, Wire, field, open_remote
from pincite.providers.dense.vectors import by_index
from pincite.providers.facts import Facts
from pincite.providers.registry import Setup

FACTS = Facts(
    "2,048 texts and 300,000 tokens a request, 8,192 a text",
    "is refused, then cut with a warning or an error",
)
LIMITS = Limits(items=2_048, tokens=300_000, item_tokens=8_192)
_DIMENSIONS = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
}


async def open_dense(setup: Setup) -> RemoteEncoder:
    """Open the model, see `Registry.open`."""
    name = setup.name

    def body(texts: Sequence[str], _: InputKind) -> dict[str, object]:
        # base64 floats are a quarter of the bytes and a twentieth of the work of numbers in JSON
        sent = {"model": name.model, "input": texts, "encoding_format": "base64"}
        return sent | ({"dimensions": name.dimensions} if name.dimensions else {})

    wire = Wire("/v1/embeddings", body, embeddings_of, LIMITS)
    return await open_remote(setup, wire, dimensions=_DIMENSIONS.get(name.model, 0))


def embeddings_of(answer: object, count: int, where: str) -> list[object]:
    """Return the vectors of OpenAI's list of embeddings."""
    entries = by_index(field(answer, "data", where), count, where)
    return [field(one, "embedding", f"{where}, for a text,") for one in entries]
