"""Voyage: `/v1/embeddings` for text and code models; its contextual models are in
`voyage_context`."""

from __future__ import annotations

from collections.abc import Sequence

from pincite.providers.batching import Limits
from pincite.providers.dense.openai import embeddings_of
from pincite.providers.dense.remote import InputKind, RemoteEncoder, Wire, open_remote
from pincite.providers.dense.voyage_context import is_contextual, open_contextual
from pincite.providers.facts import Facts
from pincite.providers.registry import Setup

FACTS = Facts(
    "1,000 texts a request; 120,000 tokens (large, code-3, law, finance), 320,000 (4, 3.5, code-4)"
    " or 1,000,000 (lite); 32,000 a text. Contextual: 120,000 tokens, 32,000 a document",
    "is refused (`truncation: false`), then cut with a warning or an error",
)
_MANY, _SOME, _FEW = 1_000_000, 320_000, 120_000
_TOKENS = {
    "voyage-4-lite": _MANY,
    "voyage-3.5-lite": _MANY,
    "voyage-4": _SOME,
    "voyage-3.5": _SOME,
    "voyage-code-4": _SOME,
    "voyage-2": _SOME,
}
_OTHER_DIMENSIONS = {"voyage-code-2": 1536}
_SHORT = ("voyage-code-2", "voyage-law-2")
_KNOWN = (
    *_TOKENS,
    "voyage-4-large",
    "voyage-3-large",
    "voyage-code-3",
    *_SHORT,
    "voyage-finance-2",
)
_PROMPT_TOKENS = 10  # "Represent the query for retrieving supporting documents: "
_ATLAS = "https://ai.mongodb.com"  # accepts only keys that begin with al-


def address(setup: Setup) -> str:
    """Return the host that accepts this key."""
    atlas = setup.key is not None and setup.key.reveal().startswith("al-")
    return _ATLAS if atlas else ""


async def open_dense(setup: Setup) -> RemoteEncoder:
    """Open the model, see `Registry.open`."""
    name = setup.name
    if is_contextual(name.model):
        return await open_contextual(setup, address(setup))
    limits = Limits(
        items=1_000,
        tokens=_TOKENS.get(name.model, _FEW),
        item_tokens=16_000 if name.model in _SHORT else 32_000,
    )

    def body(texts: Sequence[str], kind: InputKind) -> dict[str, object]:
        return {
            "model": name.model,
            "input": texts,
            "input_type": kind,
            "truncation": False,
            "output_dimension": name.dimensions or None,
            "encoding_format": "base64",
        }

    usual = _OTHER_DIMENSIONS.get(name.model, 1024 if name.model in _KNOWN else 0)
    wire = Wire("/v1/embeddings", body, embeddings_of, limits, _PROMPT_TOKENS)
    return await open_remote(setup, wire, dimensions=usual, url=address(setup))
