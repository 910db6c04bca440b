"""llama.cpp: `POST /v1/rerank` of a server that was started with `--reranking`.

BERT-like models return logits. Qwen3-Reranker returns the probability of `yes`, with the prompt of
its GGUF file, which contains the default instruction; the server accepts no other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from pincite.errors import BadResponse
from pincite.providers.batching import Limits
from pincite.providers.facts import Facts
from pincite.providers.rerank.qwen3 import is_qwen3
from pincite.providers.rerank.service import Wire, open_service
from pincite.support.fields import replace

if TYPE_CHECKING:
    from pincite.model import SignalKind
    from pincite.providers.registry import Setup
    from pincite.providers.rerank.scoring import OpenReranker

FACTS = Facts(
    "64 documents a request; `-ub` tokens a pair",
    "is refused, then cut with a warning or an error",
    "logit, made a probability; Qwen3-Reranker: probability",
)
#: The server processes the documents of a request one by one. # guess, unmeasured
LIMITS: Final = Limits(items=64)


async def open_rerank(setup: Setup) -> OpenReranker:
    """Return the one model of the server. If neither the name nor `scores` says which kind of score
    it returns, the server is asked, as values alone cannot tell a logit from a probability."""
    model = setup.name.model
    if not model and not setup.options.scores:
        model = await _served_model(setup)
        setup = replace(setup, name=setup.name.with_model(model))

    def body(query: str, documents: Sequence[str]) -> dict[str, object]:
        return {"model": model, "query": query, "documents": documents}

    kind: SignalKind = "probability" if is_qwen3(model) else "logit"
    return open_service(setup, Wire("/v1/rerank", body, LIMITS, kind=kind))


async def _served_model(setup: Setup) -> str:
    transport = setup.transport()
    try:
        answer: Any = await transport.get("/v1/models")
        return str(answer["data"][0]["id"]).rsplit("/", 1)[-1]
    except (KeyError, IndexError, TypeError) as error:
        raise BadResponse(
            f"{setup.name} does not name the model that it serves",
            hint=f"write {setup.name}#MODEL",
        ) from error
    finally:
        await transport.close()
