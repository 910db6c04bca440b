"""Rerank the best candidates, if a reranker is configured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pincite.errors import PinciteError, UsageError
from pincite.model import Candidate, Notice, Pool, Query, Signal
from pincite.ports import CutTokens, Reranker, RerankScore
from pincite.ports.failures import rate_notices
from pincite.stages.rerank.config import RerankConfig
from pincite.stages.rerank.request import Request, plan, send
from pincite.stages.rerank.texts import asked_of, cut_notices, document, instruction_for
from pincite.support.concurrency import limited_s, within
from pincite.support.fields import replace
from pincite.support.token_estimate import cut_estimated

_MISSING: Final = (
    "rerank.use expects a reranker, but none is configured: the order of retrieval stays; set"
    " [models] rerank"
)


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
    It is also unchanged if the reranker fails or is late, with the notice `rerank_unavailable`,
    which names the class of an error that is not a PinciteError.

    With `left_ms` of a time budget, fewer candidates or none are judged, with a notice. `before` is
    the result of the previous pass. If there are no new candidates, the previous scores are kept,
    with the notice `rerank_spared`, and no request is sent. `cut` cuts texts by the reranker's
    tokenizer, if it is known.
    """
    if config.use == "never" or not pool.candidates:
        return pool
    if reranker is None:
        missing = (Notice("rerank_missing", _MISSING),) if config.use == "expected" else ()
        return replace(pool, notices=(*pool.notices, *missing)) if missing else pool
    if before is not None and (kept := _as_before(pool, before, config)) is not None:
        return kept
    judged, notices = _affordable(pool.candidates[: config.pool], config, left_ms)
    request = Request(
        asked=asked_of(query),
        ids=tuple(one.chunk.id for one in judged),
        documents=tuple(document(one.chunk, config, cut or cut_estimated) for one in judged),
        instruction=instruction_for(query, reranker, config),
    )
    notices += cut_notices(judged, request.documents, reranker, config, cut)
    fitting, step = plan(request, config, listwise=reranker.listwise)
    if fitting < len(judged):
        judged, request = judged[:fitting], request.first(fitting)
        said = f"only the first {fitting} fit into one request and were judged"
        notices.append(Notice("rerank_cut", said))
    if not judged:
        return replace(pool, notices=(*pool.notices, *notices))
    timeout_s = limited_s(config.timeout_s, left_ms)
    try:
        async with within(timeout_s):
            scores = await send(request, reranker, step, config.top)
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
    documents = tuple(cut(one, config.body_tokens) for one in texts)
    shorter = tuple(n for n, one in enumerate(documents) if len(one) < len(texts[n]))
    request = Request(asked, tuple(map(str, range(len(texts)))), documents)
    fitting, step = plan(request, config, listwise=reranker.listwise)
    if fitting < len(documents):
        raise UsageError(
            f"the texts have about {sum(request.costs):,} tokens with the query, but"
            f" {reranker.fingerprint} judges them in one request of at most"
            f" {config.budget_tokens:,}",
            hint="send fewer or shorter texts",
        )
    async with within(config.timeout_s):
        found = await send(request, reranker, step, top or 0)
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
    that was not in the pool to judge then, or if there are no scores."""

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


def _reason(error: Exception, timeout_s: float) -> str:
    if isinstance(error, TimeoutError):
        return str(error) or f"no answer within {timeout_s:g} s"
    return str(error) if isinstance(error, PinciteError) else f"{type(error).__name__}: {error}"


def _affordable(
    candidates: tuple[Candidate, ...], config: RerankConfig, left_ms: float | None
) -> tuple[tuple[Candidate, ...], list[Notice]]:
    """Return the candidates that the remaining time allows, and notices about the others."""
    if left_ms is None:
        return candidates, []
    spare = left_ms - config.start_ms
    most = len(candidates) if config.each_ms == 0 else int(spare / config.each_ms)
    if spare <= 0 or most < 2:  # a single candidate cannot change its rank
        why = f"{max(0.0, left_ms):.0f} ms of the time budget were left"
        return (), [Notice("budget_no_rerank", f"the order of retrieval stays: {why}")]
    if most >= len(candidates):
        return candidates, []
    said = f"only the best {most} of {len(candidates)} candidates were reranked in the time left"
    return candidates[:most], [Notice("budget_fewer_reranked", said)]
