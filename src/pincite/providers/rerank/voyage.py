"""Voyage: `POST /v1/rerank`, scores in 0..1, instructions before the query."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from pincite.providers.batching import Limits
from pincite.providers.rerank.service import Wire, open_service

if TYPE_CHECKING:
    from pincite.providers.registry import Setup
    from pincite.providers.rerank.scoring import OpenReranker

DEFAULT: Final = "rerank-2.5"
#: Documents and tokens of a request. The tokens are query tokens times documents plus those of
#: the documents; that is also what is billed.
LIMITS: Final = Limits(items=1_000, tokens=600_000)
_FOLLOWING = ("rerank-2.5", "rerank-3")


async def open_rerank(setup: Setup) -> OpenReranker:
    """A model of Voyage's. Only the 2.5 and 3 families follow instructions."""
    model = setup.name.model or DEFAULT
    cut = setup.options.oversize == "cut"

    def body(query: str, documents: Sequence[str]) -> dict[str, object]:
        return {"query": query, "documents": documents, "model": model, "truncation": cut}

    following = model.startswith(_FOLLOWING)
    wire = Wire(
        "/v1/rerank", body, LIMITS, results="data", instruct=before_query if following else None
    )
    return open_service(setup, wire, url=mongodb_url(setup))


def before_query(instruction: str, query: str) -> str:
    """The instruction as plain text ahead of the query."""
    return f"{instruction}\nQuery: {query}" if instruction else query


def mongodb_url(setup: Setup) -> str:
    """Keys that begin with `al-` are for another host than `pa-` ones, and refused by this one."""
    key = setup.key
    return "https://ai.mongodb.com" if key and key.reveal().startswith("al-") else ""
