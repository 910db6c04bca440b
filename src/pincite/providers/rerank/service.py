"""A reranker behind an address. A `Wire` describes the differences between vendors."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pincite.errors import BadResponse, TooLarge
from pincite.model import Notice, SignalKind
from pincite.ports import RerankScore
from pincite.providers.batching import Batches, Limits, plan
from pincite.providers.http import Load
from pincite.providers.rerank.scoring import RANGES, AsProbabilities, OpenReranker, best_first
from pincite.support.fields import replace

if TYPE_CHECKING:
    from pincite.providers.registry import Setup

#: Replaces a document without text: services refuse empty strings, and a dash contains no answer.
EMPTY: Final = "-"
#: How far a score may exceed its range: services compute in half precision.
MARGIN: Final = 2e-3


@dataclass(frozen=True, slots=True)
class Wire:
    """The protocol of a vendor.

    `body(query, documents)` is the request. The results are the list in the answer's field
    `results`, or the answer itself if `results` is empty, each with `index` and the field `score`.
    `instruct(instruction, query)` is the query with the instruction in it, None if the model takes
    none; `document(text)` is a document in the form to send. `limits` are those of one request; a
    document costs its tokens and, unless `listwise`, those of the query. `version` names anything
    else that changes scores, for the fingerprint. `top` is the field for the number of results,
    empty if the service has none.
    """

    path: str
    body: Callable[[str, Sequence[str]], dict[str, object]]
    limits: Limits
    kind: SignalKind = "probability"
    results: str = "results"
    score: str = "relevance_score"
    listwise: bool = False
    instruct: Callable[[str, str], str] | None = None
    document: Callable[[str], str] = str
    version: str = ""
    top: str = ""


class ServiceReranker:
    """A `Reranker` over a `Wire`."""

    def __init__(self, setup: Setup, wire: Wire, *, url: str = "") -> None:
        """Prepare the reranker. Raises AuthError if a required key is missing, and ConfigError."""
        self._transport = setup.transport(url)
        self._limits = setup.limits(wire.limits)
        self._count = setup.counter()
        self._wire = wire
        self._extra = dict(setup.options.body)
        self._name = setup.name
        self._instruction = setup.options.instruction
        self._cuts = setup.options.oversize == "cut"
        self._on_notice = setup.on_notice
        self.kind: SignalKind = wire.kind
        self.listwise = wire.listwise
        self.instructed = wire.instruct is not None
        placed = "in-query" if self.instructed else "none"
        version = f"/{wire.version}" if wire.version else ""
        self.fingerprint = (
            f"{setup.name.provider}/{setup.name.model or 'the-server-s'}{version}"
            f"/instruction={placed}"
        )

    async def rerank(
        self,
        query: str,
        documents: Sequence[str],
        top_n: int | None = None,
        *,
        instruction: str = "",
    ) -> tuple[RerankScore, ...]:
        """See `Reranker.rerank`."""
        if not documents:
            return ()
        asked = query
        if self._wire.instruct is not None:
            asked = self._wire.instruct(instruction or self._instruction, query)
        sent = [text if text.strip() else EMPTY for text in documents]
        per_query = self._count(asked)
        costs = [self._count(self._wire.document(text)) for text in sent]
        if self.listwise:  # the query is sent once there, elsewhere with each document
            self._require_one_request([costs[0] + per_query, *costs[1:]])
        found: list[float] = [math.nan] * len(sent)

        def take(start: int, scores: Sequence[float]) -> None:
            found[start : start + len(scores)] = scores

        def cost(texts: Sequence[str]) -> int:
            times = 1 if self.listwise else len(texts)
            return per_query * times + sum(map(self._count, texts))

        async def send(texts: Sequence[str]) -> Sequence[float]:
            body = {**self._wire.body(asked, list(map(self._wire.document, texts))), **self._extra}
            wanted = len(texts)
            if self._wire.top and top_n is not None and top_n < wanted:
                body[self._wire.top] = wanted = max(1, top_n)
            load = Load(len(texts), lambda: cost(texts))
            answer = await self._transport.post(self._wire.path, body, load)
            return self._read(answer, len(texts), wanted)

        if self.listwise:
            take(0, await send(sent))
        else:
            known = dict(zip(sent, costs, strict=True))
            shrink = self._half if self._cuts else None
            batches = Batches(
                self._limits,
                send,
                lambda text: per_query + known[text],
                shrink,
                shortened=self._tell_cut,
            )
            await batches.run(sent, take)
        scored = (RerankScore(n, value) for n, value in enumerate(found) if not math.isnan(value))
        return best_first(scored, top_n)

    async def close(self) -> None:
        """Close the connections."""
        await self._transport.close()

    def _require_one_request(self, costs: Sequence[int]) -> None:
        first = plan(costs, self._limits)[0]
        if len(first) < len(costs):
            raise TooLarge(
                f"{self._name} judges all documents together, but only {len(first)} of"
                f" {len(costs)} fit into one request",
                hint=f"set rerank.pool = {len(first)}",
            )

    def _half(self, text: str, tries: int) -> str | None:
        """Return the shortened text of a document that is refused alone, or None."""
        return None if len(text) < 2 or tries == 8 else text[: len(text) // 2]

    def _tell_cut(self, text: str, kept: str) -> None:
        said = (
            f"{self._name} refused a document of {len(text):,} characters; its end was cut,"
            f" {len(kept):,} were judged"
        )
        self._on_notice(Notice("document_cut", said))

    def _read(self, answer: Any, expected: int, wanted: int | None = None) -> list[float]:
        """Return the scores in the order of the documents. A service may return more than the
        `wanted` number; documents that it leaves out get NaN. Raises BadResponse."""
        wanted = expected if wanted is None else wanted
        results = answer
        if self._wire.results:
            results = answer.get(self._wire.results) if isinstance(answer, dict) else None
        if not isinstance(results, list) or len(results) not in (wanted, expected):
            count = len(results) if isinstance(results, list) else "no"
            raise self._bad(f"expected {wanted} scores, got {count}")
        scores: dict[int, float] = {}
        lowest, highest = RANGES[self.kind]
        for one in results:
            index, score = _pair(one, self._wire.score)
            if not 0 <= index < expected or index in scores:
                raise self._bad(f"document {index} of {expected} is out of range or occurs twice")
            if not math.isfinite(score):
                raise self._bad(f"the score of document {index} is not a number")
            if not lowest - MARGIN <= score <= highest + MARGIN:
                raise self._bad(
                    f"the score {score:g} is not a {self.kind}",
                    hint=(
                        f"set the kind of its scores: [providers.{self._name.provider}]"
                        " scores = ..."
                    ),
                )
            scores[index] = min(max(score, lowest), highest)
        return [scores.get(index, math.nan) for index in range(expected)]

    def _bad(self, message: str, *, hint: str = "") -> BadResponse:
        return BadResponse(f"{self._name} at {self._wire.path}: {message}", hint=hint)


def _pair(one: Any, field: str) -> tuple[int, float]:
    """Return index and score; -1 and NaN if they are missing or of another type."""
    values: Mapping[str, Any] = one if isinstance(one, dict) else {}
    index, score = values.get("index"), values.get(field)
    whole = isinstance(index, int) and not isinstance(index, bool)
    number = isinstance(score, int | float) and not isinstance(score, bool)
    try:
        value = float(score) if number else math.nan  # type: ignore[arg-type]
    except OverflowError:  # an integer that no float can hold
        value = math.nan
    return (index if whole else -1), value  # type: ignore[return-value]


def open_service(setup: Setup, wire: Wire, *, url: str = "") -> OpenReranker:
    """Return a reranker with the kind of scores that the options name, otherwise the wire's. Logits
    become probabilities. Raises AuthError and ConfigError."""
    if setup.options.scores:
        wire = replace(wire, kind=setup.options.scores)
    found = ServiceReranker(setup, wire, url=url)
    return AsProbabilities(found) if found.kind == "logit" else found
