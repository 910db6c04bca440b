"""vLLM: `POST /v1/rerank`, also for Qwen3-Reranker with its prompt; the server applies the
sigmoid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from pincite.providers.batching import Limits
from pincite.providers.facts import Facts
from pincite.providers.rerank import qwen3
from pincite.providers.rerank.service import Wire, open_service

if TYPE_CHECKING:
    from pincite.providers.registry import Setup
    from pincite.providers.rerank.scoring import OpenReranker

FACTS = Facts(
    "128 documents a request; the window of the model a pair",
    "is cut by the server (`truncate_prompt_tokens`), or an error; Qwen3-Reranker: cut with a"
    " warning",
    "probability",
)
#: vLLM itself has no limit; this keeps the answer to a request within seconds. # guess, unmeasured
LIMITS: Final = Limits(items=128)


async def open_rerank(setup: Setup) -> OpenReranker:
    """Return a model of the server.

    Qwen3-Reranker needs `--hf_overrides` for its two words. Its prompt is added here unless `prompt
    = "server"` says that the server has the template. The server then truncates nothing, as the end
    of the prompt would be lost; refused documents are cut here.
    """
    model = setup.name.model
    prompted = qwen3.is_qwen3(model) and setup.options.prompt != "server"
    cut = setup.options.oversize == "cut" and not prompted

    def body(query: str, documents: Sequence[str]) -> dict[str, object]:
        asked: dict[str, object] = {"query": query, "documents": documents, "use_activation": True}
        if model:
            asked["model"] = model
        return asked | ({"truncate_prompt_tokens": -1} if cut else {})

    wire = Wire("/v1/rerank", body, LIMITS, top="top_n")
    if prompted:
        wire = Wire(
            "/v1/rerank",
            body,
            LIMITS,
            instruct=qwen3.query_part,
            document=qwen3.document_part,
            version="qwen3-prompt",
            top="top_n",
        )
    return open_service(setup, wire)
