"""The query path: from a question to an evidence pack. Nothing else knows the order of steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pincite.deps import Deps
from pincite.model import (
    Chosen,
    EvidencePack,
    Gated,
    Notice,
    Pass,
    Plan,
    Pool,
    Query,
    Question,
)
from pincite.profile import Profile
from pincite.scope.filter import check_scope, of_ref
from pincite.scope.unmatched import unmatched
from pincite.stages.absent import find_absent
from pincite.stages.answerable import judge_answers
from pincite.stages.blend import blend
from pincite.stages.context import context
from pincite.stages.coverage import cover
from pincite.stages.dedup import dedup
from pincite.stages.fuse import fuse
from pincite.stages.gate import gate
from pincite.stages.load import load, overtaken, within_reach
from pincite.stages.merge import merge
from pincite.stages.next_pass import next_pass, within_budget
from pincite.stages.pack import pack
from pincite.stages.prepare import prepare
from pincite.stages.rank_code import rank_code
from pincite.stages.rerank import instruction_hash, rerank
from pincite.stages.retrieve import Retrieved, retrieve
from pincite.stages.select import citable, select
from pincite.stages.smooth import smooth
from pincite.trace import Trace

_TRIES = 3  # a search that a writer has overtaken begins again


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one pass came to."""

    found: Retrieved
    judged: Pool
    gated: Gated
    chosen: Chosen
    notices: tuple[Notice, ...]


async def search(question: Question, deps: Deps, profile: Profile, trace: Trace) -> EvidencePack:
    """Find, judge and cite. Raises UsageError for an empty query, and what retrieval raises when
    no collection answers."""
    trace.begin()
    check_scope(deps.collections, question.scope)
    query = trace.tap("prepare", prepare(question, profile.prepare, profile.corpus))
    passes: list[Pass] = []
    spared: tuple[Notice, ...] = ()
    following: Pass | None = Pass()
    before: Pool | None = None
    while following is not None and not spared:
        passes.append(following)
        begun_ms = trace.spent_ms()
        one = await _try(question, query, following, deps, profile, trace, before)
        before = one.judged
        following = next_pass(following, query, one.gated, one.chosen, profile.again)
        spared = within_budget(following, trace.spent_ms(), begun_ms, question.budget_ms)
    one = await _judged(one, question, query, deps, profile, trace)
    around = trace.tap(
        "context", await context(one.chosen.candidates, deps.collections, profile.context)
    )
    plan = _plan(query, one.found, passes, deps, profile)
    lost = await unmatched(one.found.rankings, deps.collections, question.scope)
    notices = (*deps.notices, *one.notices, *spared, *around.notices, *lost)
    apart = deps.apart(question.scope)
    shown = (one.chosen.candidates, around.of)
    asked = (query.text, *shown, one.found.rankings, deps.collections, deps.terms)
    absent = find_absent(*asked, apart=apart)
    of = (query, one.chosen, one.gated, plan, notices, profile.pack, around.of, deps.required)
    packed = pack(*of, absent)
    return replace(trace.tap("pack", packed), timings_ms=trace.timings_ms())


async def _judged(
    one: Outcome, question: Question, query: Query, deps: Deps, profile: Profile, trace: Trace
) -> Outcome:
    """What a language model says of it, where one is asked."""
    config = profile.gate
    llm = deps.llm if config.answerable == "llm" else None
    left_ms = None if question.budget_ms is None else question.budget_ms - trace.spent_ms()
    gated = await judge_answers(query, one.gated, llm, config.answerable_s, left_ms)
    if gated is one.gated:
        return one
    gated = trace.tap("gate", gated)
    chosen = select(gated, profile.select, query.mode, deps.kinds(question.scope))
    return replace(one, gated=gated, chosen=trace.tap("select", chosen))


async def _try(
    question: Question,
    query: Query,
    this: Pass,
    deps: Deps,
    profile: Profile,
    trace: Trace,
    before: Pool | None,
) -> Outcome:
    collections, scope, budget_ms = deps.collections, question.scope, question.budget_ms
    weights = deps.dense_weights(query, profile.fuse, scope)
    limit_s = profile.retrieve.timeout_s
    code = deps.code(scope)
    loaded_most = profile.candidates(deps.reranker is not None, bool(code))
    loading = replace(profile.load, pool=loaded_most)
    for _ in range(_TRIES):
        answers = await retrieve(query, collections, scope, profile.retrieve, this)
        found = trace.tap("retrieve", answers)
        lists = fuse(found.rankings, profile.fuse, weights)
        fused = trace.tap("fuse", merge(lists, deps.weights, profile.across, found.defining))
        fused = within_reach(fused, found.defining, loading)
        loaded = await load(fused, collections, loading, timeout_s=limit_s)
        trace.tap("load", loaded.candidates)
        changed = overtaken(fused, loaded, collections, loading)
        if not changed or (budget_ms is not None and trace.spent_ms() >= budget_ms):
            break
    within = of_ref(loaded.candidates, scope) if scope.ref else loaded.candidates
    unique = trace.tap("dedup", citable(dedup(within, profile.dedup), profile.select))
    smoothed = trace.tap("smooth", smooth(unique.candidates, profile.smooth))
    ordered = rank_code(query, smoothed, deps.terms, profile.rank_code, code)
    pool = replace(unique, candidates=trace.tap("rank_code", ordered))
    left_ms = None if budget_ms is None else budget_ms - trace.spent_ms()
    scored = rerank(query, pool, deps.reranker, profile.rerank, left_ms, before, deps.cut)
    judged = trace.tap("rerank", await scored)
    blended = trace.tap("blend", blend(judged, profile.blend))
    rarity = deps.rarity(query.text, found.rankings, scope)
    known = (deps.terms, profile.cover, deps.foreign(), smoothed, rarity)
    covered = trace.tap("cover", cover(query.text, blended.candidates, *known))
    gated = trace.tap(
        "gate", gate(covered, profile.gate, deps.judge, deps.unmeasured(), query.sought)
    )
    kinds = deps.kinds(scope)
    chosen = trace.tap("select", select(gated, profile.select, query.mode, kinds))
    return Outcome(
        found, judged, gated, chosen, (*found.notices, *loaded.notices, *changed, *blended.notices)
    )


def _plan(
    query: Query, found: Retrieved, passes: Sequence[Pass], deps: Deps, profile: Profile
) -> Plan:
    config = profile.retrieve
    rungs = sorted({one.rung for one in deps.collections if one.spec.name in found.dense})
    return Plan(
        collections=found.collections,
        rung="+".join(rungs) or "lexical",
        fusion=profile.fusion,
        limits={
            "dense": config.dense_limit,
            "sparse": config.sparse_limit,
            "pool": profile.load.pool,
            "results": profile.select.results,
        },
        search_params={"hnsw_ef": config.hnsw_ef, "exact": config.exact},
        counts=found.counts,
        mode=query.mode,
        passes=tuple(one.name for one in passes),
        reranker=deps.judge,
        instruction=instruction_hash(query, deps.reranker, profile.rerank),
    )
