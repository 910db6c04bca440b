"""Text Embeddings Inference: `POST /rerank` with a bare list; the server applies the sigmoid."""

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
    "32 documents and 16,384 tokens a request (`--max-client-batch-size`, `--max-batch-tokens`)",
    "is cut by the server (`truncate`), or an error",
    "probability",
)
#: The defaults of `--max-client-batch-size` and `--max-batch-tokens`.
LIMITS: Final = Limits(items=32, tokens=16_384)


async def open_rerank(setup: Setup) -> OpenReranker:
    """Return the one model of the server. Each document takes a permit of the server."""
    cut = setup.options.oversize == "cut"

    def body(query: str, documents: Sequence[str]) -> dict[str, object]:
        return {
            "query": query,
            "texts": documents,
            "raw_scores": False,
            "return_text": False,
            "truncate": cut,
        }

    return open_service(setup, Wire("/rerank", body, LIMITS, results="", score="score"))
