"""A second opinion on the best candidates, where a reranker is configured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import accumulate
from math import ceil
from typing import Final, Literal

from pincite.errors import ConfigError, PinciteError
from pincite.model import Candidate, Chunk, Corpus, Notice, Pool, Query, Signal, TaskMode
from pincite.ports import CutTokens, Reranker, RerankScore
from pincite.ports.failures import rate_notices
from pincite.ports.tracing import model_call
from pincite.support.concurrency import within
from pincite.support.token_estimate import cut_estimated
from pincite.trace import RERANKER, exchange

MOST_JUDGED: Final = 250  # candidates; more cost much and bring little
_CHARS_PER_TOKEN = 3  # of code and mixed text; prose has 4 to 5
_TASKS: Final[dict[TaskMode, str]] = {
    "build": "",
    "debug": "The task is to find the cause of a fault and to mend it.",
    "explain": "The task is to explain how it works.",
    "refactor": "The task is to change code without changing what it does.",
}
#: That of the specification which the preset `evidence` follows, word for word in the mode build
#: with the names of its corpus. Rerankers put the question behind it.
INSTRUCTION = """\
You are ranking evidence to help implement a correct solution using {corpus}.
Prefer: official {docs} docs that describe the exact API and constraints, and {code} source that \
demonstrates real patterns.
Prefer: content that directly answers the question and includes concrete parameters, \
function/class names, and usage patterns.
Deprioritize: tangential mentions, outdated references, or generic LLM commentary.
{task}"""
_MISSING: Final = (
    "no reranker is configured, and one is expected (rerank.use): the order is that without one;"
    " set [models] rerank"
)
_UNNAMED = "this software"  # instead of {corpus} where the corpus has no name


@dataclass(frozen=True, slots=True)
class RerankConfig:
    """How many of the best are judged, and within what time.

    `use`: the reranker that is `configured`, if there is one; `expected` says so where there is
    none; `never` leaves it out.

    `instruction` is what a reranker that takes one is told, with the fields `{task}` (a sentence
    that says what the mode is for, nothing for build) and those of `Corpus`; empty tells it
    nothing. `corpus` stands in for the name of the corpus. `header` says where a passage stands
    ahead of its text. `body_tokens`: so much of a text is sent, by the `tokenizer`, a
    `tokenizer.json`; else by that of the provider, else by an estimate from above.
    `budget_tokens`: what one request may cost, query tokens times documents plus document tokens;
    above it there are batches of `batch`, and a listwise reranker gets as many as fit. `top`: so
    many of the best are asked for and kept, and the rest is left out; 0 keeps all.

    `start_ms` and `each_ms`: what a request and a document cost, to spend what is left of a time
    budget on as many documents as it is good for.
    """

    use: Literal["configured", "expected", "never"] = "configured"
    pool: int = 60
    timeout_s: float = 20.0
    corpus: str = ""
    instruction: str = INSTRUCTION
    header: Literal["full", "short", "none"] = "full"
    body_tokens: int = 1200
    tokenizer: str = ""
    budget_tokens: int = 500_000
    batch: int = 60
    top: int = 0
    start_ms: float = 150.0  # guess, unmeasured: no hosted reranker was at hand
    each_ms: float = 5.0  # guess, unmeasured

    def __post_init__(self) -> None:
        if not 1 <= self.pool <= MOST_JUDGED or self.timeout_s <= 0:
            raise ConfigError(
                f"rerank.pool must be in 1..{MOST_JUDGED} and rerank.timeout_s positive"
            )
        if min(self.body_tokens, self.budget_tokens, self.batch) < 1:
            raise ConfigError("rerank.body_tokens, budget_tokens and batch must be at least 1")
        if self.top < 0:
            raise ConfigError(f"rerank.top is {self.top}; it takes 1 or more, or 0 for all")
        if min(self.start_ms, self.each_ms) < 0:
            raise ConfigError("rerank.start_ms and rerank.each_ms must not be negative")
        try:
            self.instruction.format(task="", **Corpus().words)
        except (KeyError, IndexError, ValueError) as error:
            raise ConfigError(
                f"rerank.instruction: {error}; its fields are"
                f" {', '.join(f'{{{name}}}' for name in ('task', *Corpus().words))}"
            ) from error


async def rerank(
    query: Query,
    pool: Pool,
    reranker: Reranker | None,
    config: RerankConfig,
    left_ms: float | None = None,
    before: Pool | None = None,
    cut: CutTokens | None = None,
) -> Pool:
    """The pool with the signal `reranked` on its best, these ahead of the others.

    Without a reranker the pool passes unchanged, with the notice `rerank_missing` where one is
    expected; when it fails or is late, too, with the notice `rerank_unavailable`. With `left_ms` of
    a time budget it judges fewer, or none, and says so. `before` is what the try before gave back:
    where there is no candidate besides its own the scores that they have are kept, with the notice
    `rerank_spared`, and no request is sent. `cut` cuts texts by the reranker's tokenizer, where
    that is known.
    """
    if config.use == "never" or not pool.candidates:
        return pool
    if reranker is None:
        missing = (Notice("rerank_missing", _MISSING),) if config.use == "expected" else ()
        return replace(pool, notices=(*pool.notices, *missing)) if missing else pool
    if before is not None and (kept := _as_before(pool, before, config)) is not None:
        return kept
    judged, notices = _affordable(pool.candidates[: config.pool], config, left_ms)
    documents = [document(one.chunk, config, cut or cut_estimated) for one in judged]
    notices += _cut_notices(judged, documents, reranker, config, cut)
    instruction = instruction_for(query, reranker, config)
    costs = _costs(query, documents, instruction)
    whole = sum(costs) <= config.budget_tokens
    if reranker.listwise and not whole:
        fitting = sum(total <= config.budget_tokens for total in accumulate(costs))
        judged, documents = judged[:fitting], documents[:fitting]
        notices.append(Notice("rerank_cut", f"{fitting} fit into one request and were judged"))
    if not judged:
        return replace(pool, notices=(*pool.notices, *notices))
    step = len(documents) if whole or reranker.listwise else config.batch
    timeout_s = config.timeout_s if left_ms is None else min(config.timeout_s, left_ms / 1000)
    try:
        async with within(timeout_s):
            asking = (step, config.top, reranker, instruction)
            scores = await _scores(query, judged, documents, costs, *asking)
    except (PinciteError, TimeoutError) as error:
        reason = str(error) or f"no answer within {timeout_s:g} s"
        notices.append(
            Notice("rerank_unavailable", f"the order is that before reranking: {reason}")
        )
        notices += rate_notices(error)
        return replace(pool, notices=(*pool.notices, *notices))
    kind = reranker.kind
    found = {one.index: Signal("reranked", kind, one.score) for one in scores}
    return _ordered(pool, judged, found, notices, config.top)


def _ordered(
    pool: Pool,
    judged: Sequence[Candidate],
    found: Mapping[int, Signal],
    notices: Sequence[Notice],
    top: int,
) -> Pool:
    """The judged first, by what was found at their places; those without a score behind them, or
    nothing behind the best `top`."""
    scored = [judged[place].with_signal(signal) for place, signal in found.items()]
    ordered = sorted(scored, key=lambda c: c.rank_key)
    if top:
        return replace(pool, candidates=tuple(ordered[:top]), notices=(*pool.notices, *notices))
    unnamed = [one for place, one in enumerate(judged) if place not in found]
    rest = pool.candidates[len(judged) :]
    return replace(pool, candidates=(*ordered, *unnamed, *rest), notices=(*pool.notices, *notices))


def _as_before(pool: Pool, before: Pool, config: RerankConfig) -> Pool | None:
    """The pool with the scores of the try before and what was said then, None if it has a candidate
    that was not among those to be judged then, or if there are no scores."""

    def key(one: Candidate) -> tuple[str, str, str]:
        return one.collection, one.chunk.id, one.chunk.content_hash

    judged = pool.candidates[: config.pool]
    last = {key(one): one.signal("reranked") for one in before.candidates[: config.pool]}
    if not any(last.values()) or not all(key(one) in last for one in judged):
        return None
    found = {n: signal for n, one in enumerate(judged) if (signal := last[key(one)]) is not None}
    said = "another try found no further candidates: the scores of the reranker were kept"
    codes = {notice.code for notice in pool.notices}
    earlier = [notice for notice in before.notices if notice.code not in codes]
    notices = [*earlier, Notice("rerank_spared", said)]
    return _ordered(pool, judged, found, notices, config.top)


async def _scores(
    query: Query,
    judged: Sequence[Candidate],
    documents: Sequence[str],
    costs: Sequence[int],
    step: int,
    top: int,
    reranker: Reranker,
    instruction: str,
) -> list[RerankScore]:
    """A request for every `step` documents, each for its best `top`; their scores are put together
    by index."""
    scores = []
    for start in range(0, len(documents), step):
        batch = documents[start : start + step]
        spent = sum(costs[start : start + step])
        with exchange(
            RERANKER,
            reranker.fingerprint,
            asked=lambda: {"instruction_chars": len(instruction)},
            items=len(batch),
            tokens=lambda spent=spent: spent,  # type: ignore[misc]
        ) as reply:
            with model_call("rerank", reranker.fingerprint, len(batch)):
                found = await reranker.rerank(
                    _asked(query), batch, top or None, instruction=instruction
                )
            of_batch = [RerankScore(start + one.index, one.score) for one in found]
            reply.answered = lambda got=of_batch: {  # type: ignore[misc]
                "scores": [[judged[one.index].chunk.id, round(one.score, 6)] for one in got]
            }
        scores += of_batch
    return scores


def instruction_for(query: Query, reranker: Reranker | None, config: RerankConfig) -> str:
    """What the reranker is told besides the question, empty if it takes no instruction."""
    if reranker is None or not reranker.instructed:
        return ""
    corpus = replace(query.corpus, name=config.corpus) if config.corpus else query.corpus
    words = {**corpus.words, "corpus": corpus.name or _UNNAMED}
    text = config.instruction.format(task=_TASKS[query.mode], **words)
    return "\n".join(line for line in (" ".join(one.split()) for one in text.split("\n")) if line)


def instruction_hash(query: Query, reranker: Reranker | None, config: RerankConfig) -> str:
    """SHA-256 of `instruction_for`, empty where that is."""
    text = instruction_for(query, reranker, config)
    return sha256(text.encode()).hexdigest() if text else ""


def _asked(query: Query) -> str:
    """The question, with what is meant by it where that is known."""
    return f"{query.text}\n{query.intent}" if query.intent else query.text


def _affordable(
    candidates: tuple[Candidate, ...], config: RerankConfig, left_ms: float | None
) -> tuple[tuple[Candidate, ...], list[Notice]]:
    """As many as there is time for."""
    if left_ms is None:
        return candidates, []
    spare = left_ms - config.start_ms
    most = len(candidates) if config.each_ms == 0 else int(spare / config.each_ms)
    if spare <= 0 or most < 2:  # one alone cannot change its place
        why = f"{max(0.0, left_ms):.0f} ms of the time budget were left"
        return (), [Notice("budget_no_rerank", f"the order is that before reranking: {why}")]
    if most >= len(candidates):
        return candidates, []
    said = f"only the best {most} of {len(candidates)} candidates were reranked in the time left"
    return candidates[:most], [Notice("budget_fewer_reranked", said)]


def _costs(query: Query, documents: Sequence[str], instruction: str) -> list[int]:
    """Tokens that each document adds to a request: the question's and its own."""
    asked = ceil((len(_asked(query)) + len(instruction)) / _CHARS_PER_TOKEN)
    return [asked + ceil(len(text) / _CHARS_PER_TOKEN) for text in documents]


def document(chunk: Chunk, config: RerankConfig, cut: CutTokens = cut_estimated) -> str:
    """A chunk as a reranker reads it: where it stands, then the text."""
    text = cut(chunk.read_as, config.body_tokens)
    lines = _header(chunk, config)
    return "\n".join((*lines, "", text)) if lines else text


def _cut_notices(
    judged: Sequence[Candidate],
    documents: Sequence[str],
    reranker: Reranker,
    config: RerankConfig,
    cut: CutTokens | None,
) -> list[Notice]:
    """How many texts were cut, and by what."""
    pairs = zip(judged, documents, strict=True)
    count = sum(not sent.endswith(one.chunk.read_as) for one, sent in pairs)
    if not count:
        return []
    said = f"{count} of {len(judged)} texts were cut to {config.body_tokens:,} tokens"
    if cut is None:
        said += (
            f" by an estimate from above, as the tokenizer of {reranker.fingerprint} is not"
            " named: set rerank.tokenizer"
        )
    return [Notice("rerank_text_cut", said)]


def _header(chunk: Chunk, config: RerankConfig) -> list[str]:
    place = " > ".join(chunk.headings)
    match config.header:
        case "none":
            return []
        case "short":
            return [part for part in (chunk.path, place) if part]
    known = {
        "SOURCE": chunk.source_type,
        "REPO": chunk.repo,
        "REF": chunk.ref,
        "LOC": chunk.url,
        "PATH": "" if chunk.url else chunk.path,
        "LINES": f"{chunk.start_line}-{chunk.end_line}" if chunk.end_line else "",
        "CHUNK": chunk.id,
        "SYMBOLS": ", ".join(chunk.symbols),
        "IN": place,
    }
    return [f"{name}: {value}" for name, value in known.items() if value]
