"""Requests to a reranker, split to fit its token budget."""

from __future__ import annotations

from itertools import accumulate
from math import ceil, isfinite

import msgspec

from pincite.errors import BadResponse
from pincite.ports import Reranker, RerankScore
from pincite.ports.tracing import model_call
from pincite.stages.rerank.config import RerankConfig
from pincite.support.fields import replace
from pincite.trace import RERANKER, exchange

_CHARS_PER_TOKEN = 3  # of code and mixed text; prose has 4 to 5


class Request(msgspec.Struct, frozen=True):
    """A request to a reranker: score `documents` for the question `asked`. `ids` name the documents
    in reports."""

    asked: str
    ids: tuple[str, ...]
    documents: tuple[str, ...]
    instruction: str = ""

    @property
    def costs(self) -> tuple[int, ...]:
        """The estimated tokens that each document adds: those of the question and its own."""
        own = ceil((len(self.asked) + len(self.instruction)) / _CHARS_PER_TOKEN)
        return tuple(own + ceil(len(text) / _CHARS_PER_TOKEN) for text in self.documents)

    def first(self, count: int) -> Request:
        """Return the request for only the first `count` documents."""
        return replace(self, ids=self.ids[:count], documents=self.documents[:count])


def plan(request: Request, config: RerankConfig, *, listwise: bool) -> tuple[int, int]:
    """Return how many of the documents can be judged, and how many of them in one request. A
    `listwise` reranker judges as many as fit into one request; others judge all."""
    costs = request.costs
    if sum(costs) <= config.budget_tokens:
        return len(costs), len(costs)
    if not listwise:
        return len(costs), config.batch
    fitting = sum(total <= config.budget_tokens for total in accumulate(costs))
    return fitting, fitting


async def send(request: Request, reranker: Reranker, step: int, top: int) -> list[RerankScore]:
    """Send one request for each `step` documents, each for its best `top` (0 for all), and return
    the scores with their positions among all documents. Raises BadResponse and the errors of the
    reranker."""
    scores: list[RerankScore] = []
    told = {"instruction_chars": len(request.instruction)}
    costs = request.costs
    for start in range(0, len(costs), step):
        batch = list(request.documents[start : start + step])
        spent = sum(costs[start : start + step])
        with exchange(
            RERANKER,
            reranker.fingerprint,
            asked=lambda: told,
            items=len(batch),
            tokens=lambda spent=spent: spent,  # type: ignore[misc]
        ) as reply:
            with model_call("rerank", reranker.fingerprint, len(batch)):
                found = await reranker.rerank(
                    request.asked, batch, top or None, instruction=request.instruction
                )
            of_batch = [_placed(one, start, len(batch)) for one in found]
            reply.answered = lambda got=of_batch: {  # type: ignore[misc]
                "scores": [[request.ids[one.index], round(one.score, 6)] for one in got]
            }
        scores += of_batch
    return scores


def _placed(one: RerankScore, start: int, count: int) -> RerankScore:
    """Return the score with its position among all documents. Raises BadResponse."""
    if not 0 <= one.index < count or not isfinite(one.score):
        raise BadResponse(f"a score of {one.score} for document {one.index} of {count}")
    return RerankScore(start + one.index, float(one.score))
