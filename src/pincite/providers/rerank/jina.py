"""Jina: `POST /v1/rerank`. From v3 on, models judge all documents together, by cosines."""

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
    "listwise (v3 on): 131,000 tokens of all together; v2: 1,000 documents a request, 1,024"
    " tokens a pair",
    "v2 cuts; a listwise request that is too large is an error",
    "cosine, listwise (v3 on); probability (v2)",
)
#: The window that query and all documents of a listwise model share, in tokens.
LISTWISE: Final = Limits(tokens=131_000)
#: Documents per request for the other models. # guess, the service names no number
POINTWISE: Final = Limits(items=1_000)


async def open_rerank(setup: Setup) -> OpenReranker:
    """Return a model of Jina's: `jina-reranker-v2-base-multilingual`, `jina-reranker-v3`, ..."""
    model = setup.name.model
    listwise = is_listwise(model)

    def body(query: str, documents: Sequence[str]) -> dict[str, object]:
        return {"model": model, "query": query, "documents": documents, "return_documents": False}

    wire = Wire(
        "/v1/rerank",
        body,
        LISTWISE if listwise else POINTWISE,
        kind="cosine" if listwise else "probability",
        listwise=listwise,
        top="top_n",
    )
    return open_service(setup, wire)


def is_listwise(model: str) -> bool:
    """Return whether a model judges all documents together; v1 and v2 judge one at a time."""
    return not any(mark in model for mark in ("-v1", "-v2", "colbert", "-m0"))
