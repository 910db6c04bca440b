"""Cohere: `POST /v2/rerank`, scores in 0..1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from pincite.providers.batching import Limits
from pincite.providers.facts import Facts
from pincite.providers.rerank.service import Wire, open_service

if TYPE_CHECKING:
    from pincite.providers.registry import Setup
    from pincite.providers.rerank.scoring import OpenReranker

FACTS = Facts(
    "1,000 documents a request; 32,000 tokens a document (v3.5: 4,096)",
    "is cut by the service",
    "probability",
)
#: 10,000 documents are allowed and at most 1,000 recommended.
LIMITS: Final = Limits(items=1_000)
#: The service reads 4,096 tokens of a document by default, whatever the model supports.
_LONG: Final = 32_000


async def open_rerank(setup: Setup) -> OpenReranker:
    """Return a model of Cohere's. Longer documents are cut by the service."""
    model = setup.name.model
    tokens = setup.options.max_item_tokens or (4_096 if "v3" in model else _LONG)

    def body(query: str, documents: Sequence[str]) -> dict[str, object]:
        return {
            "model": model,
            "query": query,
            "documents": documents,
            "max_tokens_per_doc": tokens,
        }

    return open_service(setup, Wire("/v2/rerank", body, LIMITS, version=str(tokens), top="top_n"))
