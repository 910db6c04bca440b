"""Cohere: `/v2/embed`, at most 96 texts per request."""

from __future__ import annotations

from collections.abc import Sequence

from pincite.providers.batching import Limits
from pincite.providers.dense.remote import InputKind, RemoteEncoder, Wire, field, open_remote
from pincite.providers.facts import Facts
from pincite.providers.registry import Setup

FACTS = Facts(
    "96 texts a request; 128,000 tokens a text (v4), 512 (v3)",
    'is refused (`truncate: "NONE"`), then cut with a warning or an error',
)
_DIMENSIONS = {
    "embed-v4.0": 1536,
    "embed-english-v3.0": 1024,
    "embed-multilingual-v3.0": 1024,
    "embed-english-light-v3.0": 384,
    "embed-multilingual-light-v3.0": 384,
}


async def open_dense(setup: Setup) -> RemoteEncoder:
    """Open the model, see `Registry.open`."""
    name = setup.name

    def body(texts: Sequence[str], kind: InputKind) -> dict[str, object]:
        sent: dict[str, object] = {
            "model": name.model,
            "texts": texts,
            "input_type": f"search_{kind}",
            "embedding_types": ["float"],
            "truncate": "NONE",
        }
        return sent | ({"output_dimension": name.dimensions} if name.dimensions else {})

    def vectors(answer: object, _: int, where: str) -> object:
        return field(field(answer, "embeddings", where), "float", where)

    limits = Limits(items=96, item_tokens=512 if "-v3" in name.model else 128_000)
    wire = Wire("/v2/embed", body, vectors, limits)
    return await open_remote(setup, wire, dimensions=_DIMENSIONS.get(name.model, 0))
