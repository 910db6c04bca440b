"""Voyage: `POST /v1/rerank`, scores in 0..1, instructions before the query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from pincite.providers.batching import Limits
from pincite.providers.dense.voyage import address
from pincite.providers.facts import Facts
from pincite.providers.rerank.service import Wire, open_service

if TYPE_CHECKING:
    from pincite.providers.registry import Setup
    from pincite.providers.rerank.scoring import OpenReranker

FACTS = Facts(
    "1,000 documents a request; query tokens times documents plus tokens of documents at most"
    " 600,000; 8,000 a query, 32,000 a query with a document (rerank-2: 4,000 and 16,000)",
    "is cut by the service (`truncation`), or an error",
    "probability",
)
DEFAULT: Final = "rerank-2.5"
#: Documents and tokens of a request. The tokens are query tokens times documents plus those of the
#: documents; they are also billed.
LIMITS: Final = Limits(items=1_000, tokens=600_000)
_FOLLOWING = ("rerank-2.5", "rerank-3")


async def open_rerank(setup: Setup) -> OpenReranker:
    """Return a model of Voyage's. Only the 2.5 and 3 families follow instructions."""
    model = setup.name.model or DEFAULT
    cut = setup.options.oversize == "cut"

    def body(query: str, documents: Sequence[str]) -> dict[str, object]:
        return {"query": query, "documents": documents, "model": model, "truncation": cut}

    following = model.startswith(_FOLLOWING)
    wire = Wire(
        "/v1/rerank",
        body,
        LIMITS,
        results="data",
        instruct=before_query if following else None,
        version="question" if following else "",
        top="top_k",
    )
    return open_service(setup, wire, url=address(setup))


def before_query(instruction: str, query: str) -> str:
    """Return the instruction as plain text before the query."""
    return f"{instruction}\nQuestion: {query}" if instruction else query
