"""Rerank the best candidates, if a reranker is configured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from itertools import accumulate
from math import ceil, isfinite
from typing import Final, Literal

import msgspec

from pincite.errors import BadResponse, ConfigError, PinciteError, UsageError
from pincite.model import Candidate, Chunk, Corpus, Notice, Pool, Query, Signal, TaskMode
from pincite.ports import CutTokens, Reranker, RerankScore
from pincite.ports.failures import rate_notices
from pincite.ports.tracing import model_call
from pincite.support.concurrency import within
from pincite.support.fields import replace
from pincite.support.ranges import require_range
from pincite.support.token_estimate import cut_estimated
from pincite.trace import RERANKER, exchange

MOST_JUDGED: Final = 250  # candidates; more cost a lot and improve little
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
    "rerank.use expects a reranker, but none is configured: the order of retrieval stays; set"
    " [models] rerank"
)
_UNNAMED = "this software"  # instead of {corpus} where the corpus has no name


class RerankConfig(msgspec.Struct, frozen=True):
    """The number of candidates to judge, and the limits of the requests.

    `use`: the reranker that is `configured`, if there is one; `expected` adds a notice if there is
    none; `never` uses none.

    `instruction` is the instruction for rerankers that accept one, with the fields `{task}` (a
    sentence about the mode, empty for build) and those of `Corpus`; empty for none. `corpus`
    replaces the name of the corpus. `header` precedes a passage with its location. `body_tokens`
    limits the text of a passage, counted by `tokenizer` (a `tokenizer.json`), else by the
    provider's tokenizer, else by a conservative estimate.

    `budget_tokens`: the maximum cost of one request, query tokens times documents plus document
    tokens. Above it, requests have `batch` passages; a listwise reranker gets as many as fit.
    `top`: the number of results to request and keep, 0 for all.

    `start_ms` and `each_ms`: the estimated time of a request and of a document, to fit the number
    of documents into the rest of a time budget.
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
        require_range(self, "rerank", "pool", least=1, most=MOST_JUDGED)
        require_range(self, "rerank", "timeout_s", above=0)
        require_range(self, "rerank", "body_tokens", "budget_tokens", "batch", least=1)
        require_range(self, "rerank", "top", "start_ms", "each_ms", least=0)
        try:
            self.instruction.format(task="", **Corpus().words)
        except (KeyError, IndexError, ValueError) as error:
            raise ConfigError(
                f"rerank.instruction: {error}; known fields:"
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
    """Rerank the best candidates of the pool: they get the signal `reranked` and come first.

    Without a reranker, the pool is unchanged, with the notice `rerank_missing` if one is expected.
    It is also unchanged if the reranker fails or is late, with the notice `rerank_unavailable`. It
    names the class of an error that is not one of Pincite.

    With `left_ms` of a time budget, fewer candidates or none are judged, with a notice. `before` is
    the result of the previous pass. If there are no new candidates, their scores are kept, with the
    notice `rerank_spared`, and no request is sent. `cut` cuts texts by the reranker's tokenizer, if
    it is known.
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
    costs = _costs(_asked(query), documents, instruction)
    whole = sum(costs) <= config.budget_tokens
    if reranker.listwise and not whole:
        fitting = sum(total <= config.budget_tokens for total in accumulate(costs))
        judged, documents = judged[:fitting], documents[:fitting]
        notices.append(
            Notice("rerank_cut", f"only the first {fitting} fit into one request and were judged")
        )
    if not judged:
        return replace(pool, notices=(*pool.notices, *notices))
    step = len(documents) if whole or reranker.listwise else config.batch
    timeout_s = config.timeout_s if left_ms is None else min(config.timeout_s, left_ms / 1000)
    try:
        async with within(timeout_s):
            asking = (step, config.top, reranker, instruction)
            ids = [one.chunk.id for one in judged]
            scores = await _scores(_asked(query), ids, documents, costs, *asking)
        kind = reranker.kind
    except Exception as error:  # noqa: BLE001 - programs bring rerankers of their own
        reason = _reason(error, timeout_s)
        notices.append(Notice("rerank_unavailable", f"the order of retrieval stays: {reason}"))
        notices += rate_notices(error)
        return replace(pool, notices=(*pool.notices, *notices))
    found = {one.index: Signal("reranked", kind, one.score) for one in scores}
    return _ordered(pool, judged, found, notices, config.top)


async def judge(
    asked: str,
    texts: Sequence[str],
    reranker: Reranker,
    config: RerankConfig,
    top: int | None = None,
    cut: CutTokens = cut_estimated,
) -> tuple[tuple[RerankScore, ...], tuple[int, ...]]:
    """Rerank texts that are not passages. Returns the scores, best first, at most `top`, and the
    positions of the texts that were cut.

    Batches, budget, time and limits are those of `rerank`. No instruction is sent, because the
    configured one is about passages. Raises UsageError if a listwise reranker cannot take the texts
    in one request, the errors of providers, and TimeoutError.
    """
    documents = [cut(one, config.body_tokens) for one in texts]
    shorter = tuple(n for n, one in enumerate(documents) if len(one) < len(texts[n]))
    costs = _costs(asked, documents, "")
    whole = sum(costs) <= config.budget_tokens
    if reranker.listwise and not whole:
        raise UsageError(
            f"the texts have about {sum(costs):,} tokens with the query, but"
            f" {reranker.fingerprint} judges them in one request of at most"
            f" {config.budget_tokens:,}",
            hint="send fewer or shorter texts",
        )
    step = len(documents) if whole or reranker.listwise else config.batch
    ids = [str(place) for place in range(len(documents))]
    async with within(config.timeout_s):
        found = await _scores(asked, ids, documents, costs, step, top or 0, reranker, "")
    best = sorted(found, key=lambda one: (-one.score, one.index))
    return tuple(best[: top or None]), shorter


def _ordered(
    pool: Pool,
    judged: Sequence[Candidate],
    found: Mapping[int, Signal],
    notices: Sequence[Notice],
    top: int,
) -> Pool:
    """Return the pool with the judged candidates first, by their scores. Candidates without a score
    follow, but `top` leaves them out."""
    scored = [judged[place].with_signal(signal) for place, signal in found.items()]
    ordered = sorted(scored, key=lambda c: c.rank_key)
    if top:
        return replace(pool, candidates=tuple(ordered[:top]), notices=(*pool.notices, *notices))
    unnamed = [one for place, one in enumerate(judged) if place not in found]
    rest = pool.candidates[len(judged) :]
    return replace(pool, candidates=(*ordered, *unnamed, *rest), notices=(*pool.notices, *notices))


def _as_before(pool: Pool, before: Pool, config: RerankConfig) -> Pool | None:
    """Return the pool with the scores and notices of the previous pass. None if it has a candidate
    that was not to be judged then, or if there are no scores."""

    def key(one: Candidate) -> tuple[str, str, str]:
        return one.collection, one.chunk.id, one.chunk.content_hash

    judged = pool.candidates[: config.pool]
    last = {key(one): one.signal("reranked") for one in before.candidates[: config.pool]}
    if not any(last.values()) or not all(key(one) in last for one in judged):
        return None
    found = {n: signal for n, one in enumerate(judged) if (signal := last[key(one)]) is not None}
    said = "the second pass found no new candidates: the reranker's scores were kept"
    codes = {notice.code for notice in pool.notices}
    earlier = [notice for notice in before.notices if notice.code not in codes]
    notices = [*earlier, Notice("rerank_spared", said)]
    return _ordered(pool, judged, found, notices, config.top)


async def _scores(
    asked: str,
    ids: Sequence[str],
    documents: Sequence[str],
    costs: Sequence[int],
    step: int,
    top: int,
    reranker: Reranker,
    instruction: str,
) -> list[RerankScore]:
    """Send one request for each `step` documents, each for its best `top`, and return the scores
    with their positions in `documents`."""
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
                found = await reranker.rerank(asked, batch, top or None, instruction=instruction)
            of_batch = [_placed(one, start, len(batch)) for one in found]
            reply.answered = lambda got=of_batch: {  # type: ignore[misc]
                "scores": [[ids[one.index], round(one.score, 6)] for one in got]
            }
        scores += of_batch
    return scores


def _placed(one: RerankScore, start: int, count: int) -> RerankScore:
    """Return the score with its position among all documents. Raises BadResponse."""
    if not 0 <= one.index < count or not isfinite(one.score):
        raise BadResponse(f"a score of {one.score} for document {one.index} of {count}")
    return RerankScore(start + one.index, float(one.score))


def _reason(error: Exception, timeout_s: float) -> str:
    if isinstance(error, TimeoutError):
        return str(error) or f"no answer within {timeout_s:g} s"
    return str(error) if isinstance(error, PinciteError) else f"{type(error).__name__}: {error}"


def instruction_for(query: Query, reranker: Reranker | None, config: RerankConfig) -> str:
    """Return the instruction for the reranker, empty if it accepts none."""
    if reranker is None or not reranker.instructed:
        return ""
    corpus = replace(query.corpus, name=config.corpus) if config.corpus else query.corpus
    words = {**corpus.words, "corpus": corpus.name or _UNNAMED}
    text = config.instruction.format(task=_TASKS[query.mode], **words)
    return "\n".join(line for line in (" ".join(one.split()) for one in text.split("\n")) if line)


def instruction_hash(query: Query, reranker: Reranker | None, config: RerankConfig) -> str:
    """Return the SHA-256 of `instruction_for`, empty if there is no instruction."""
    text = instruction_for(query, reranker, config)
    return sha256(text.encode()).hexdigest() if text else ""


def _asked(query: Query) -> str:
    """Return the question, followed by its intent if that is known."""
    return f"{query.text}\n{query.intent}" if query.intent else query.text


def _affordable(
    candidates: tuple[Candidate, ...], config: RerankConfig, left_ms: float | None
) -> tuple[tuple[Candidate, ...], list[Notice]]:
    """Return the candidates that the remaining time allows, and notices about the others."""
    if left_ms is None:
        return candidates, []
    spare = left_ms - config.start_ms
    most = len(candidates) if config.each_ms == 0 else int(spare / config.each_ms)
    if spare <= 0 or most < 2:  # one alone cannot change its place
        why = f"{max(0.0, left_ms):.0f} ms of the time budget were left"
        return (), [Notice("budget_no_rerank", f"the order of retrieval stays: {why}")]
    if most >= len(candidates):
        return candidates, []
    said = f"only the best {most} of {len(candidates)} candidates were reranked in the time left"
    return candidates[:most], [Notice("budget_fewer_reranked", said)]


def _costs(asked: str, documents: Sequence[str], instruction: str) -> list[int]:
    """Estimate the tokens that each document adds to a request: the question's and its own."""
    own = ceil((len(asked) + len(instruction)) / _CHARS_PER_TOKEN)
    return [own + ceil(len(text) / _CHARS_PER_TOKEN) for text in documents]


def document(chunk: Chunk, config: RerankConfig, cut: CutTokens = cut_estimated) -> str:
    """Return a chunk as the reranker reads it: its location, then its text."""
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
    """Return notices about the number of texts that were cut, and by which tokenizer."""
    pairs = zip(judged, documents, strict=True)
    count = sum(not sent.endswith(one.chunk.read_as) for one, sent in pairs)
    if not count:
        return []
    said = f"{count} of {len(judged)} texts were cut to {config.body_tokens:,} tokens"
    if cut is None:
        said += (
            f", estimated conservatively, because the tokenizer of {reranker.fingerprint} is"
            " not set: set rerank.tokenizer"
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
