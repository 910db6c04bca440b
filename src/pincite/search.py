"""The query path: from a question to an evidence pack. Only this module orders the steps."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from pincite.deps import Deps
from pincite.errors import PinciteError
from pincite.model import (
    Candidate,
    Chosen,
    EvidencePack,
    Gated,
    Notice,
    Pass,
    Plan,
    Pool,
    Query,
    Question,
    Scope,
)
from pincite.profile import Profile
from pincite.scope.filter import check_scope, of_ref
from pincite.scope.unmatched import unmatched
from pincite.stages.absent import find_absent
from pincite.stages.answerable import judge_answers
from pincite.stages.blend import blend
from pincite.stages.context import Shown, context
from pincite.stages.coverage import cover, only_word
from pincite.stages.dedup import dedup
from pincite.stages.diversify import diversify
from pincite.stages.expand import Expanded, expand, given_by_caller, lexical_signal
from pincite.stages.fuse import fuse
from pincite.stages.gate import doubt, gate, may_doubt
from pincite.stages.load import besides, best_by_words, load, overtaken, within_reach
from pincite.stages.look import Looked, look
from pincite.stages.merge import merge
from pincite.stages.next_pass import next_pass, within_budget
from pincite.stages.optimise import optimise
from pincite.stages.pack import pack
from pincite.stages.prepare import prepare
from pincite.stages.probe import Probed, probe, remembered
from pincite.stages.rank_code import rank_code
from pincite.stages.rerank import instruction_hash, rerank
from pincite.stages.retrieve import Retrieved, retrieve
from pincite.stages.select import citable, select
from pincite.stages.smooth import smooth
from pincite.stages.subjects import find_subjects
from pincite.support.fields import replace
from pincite.trace import Trace

_TRIES = 3  # attempts if a writer replaces chunks during a search
_LOOK_S = 1.0  # guess, unmeasured: files of a local disk need a thousandth of it
_ENGLISH = ("english", "unknown")  # languages of a question
_LEAST_LOOK_S = 0.05  # results are compared with their files even if the budget is used up


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one pass: the `loaded` candidates, and those of them that may be shown."""

    found: Retrieved
    loaded: Pool
    judged: Pool
    gated: Gated
    chosen: Chosen
    notices: tuple[Notice, ...]


async def search(question: Question, deps: Deps, profile: Profile, trace: Trace) -> EvidencePack:
    """Search, judge the evidence and cite it. Raises UsageError for an empty query, and the error
    of a collection if none answers."""
    trace.begin()
    check_scope(deps.collections, question.scope)
    query = trace.tap("prepare", prepare(question, profile.prepare, profile.corpus))
    near = await _probe(question, query, deps, profile, trace)
    if near is not None:
        deps = replace(deps, collections=remembered(deps.collections, query, near.vectors))
        profile = _with_words(profile) if near.verdict is None else profile
    passes: list[Pass] = []
    spared: tuple[Notice, ...] = ()
    following: Pass | None = Pass()
    before: Pool | None = None
    if near is not None and not near.passed:
        expanded = given_by_caller(query, question.subqueries)
        one, following = _nearest(question, query, near, deps, profile, trace), None
    else:
        expanded = await _expanded(question, query, deps, profile, trace)
        query = expanded.query
    while following is not None and not spared:
        passes.append(following)
        begun_ms = trace.spent_ms()
        one = await _try(question, query, following, deps, profile, trace, before, near)
        before = one.judged
        following = next_pass(following, query, one.gated, one.chosen, profile.again)
        spared = within_budget(following, trace.spent_ms(), begun_ms, question.budget_ms)
    one, shown, seen = await _look(question, query, one, deps, profile, trace, near)
    tries = (*(("probe",) if near is not None else ()), *(each.name for each in passes))
    plan = _plan(expanded, one.found, tries, deps, profile)
    lost = await unmatched(one.found.rankings, deps.collections, question.scope)
    notices = (*deps.notices, *expanded.notices, *one.notices, *spared, *seen.notices, *lost)
    apart = deps.apart(question.scope)
    asked = (query.text, seen.candidates, seen.contexts, one.found.rankings)
    english = deps.language_of(query.text) in _ENGLISH
    absent = find_absent(*asked, deps.collections, deps.terms, apart=apart, english=english)
    shown = replace(shown, candidates=seen.candidates)
    looked = (seen.contexts, deps.required, absent, seen.truths, seen.omitted)
    packed = pack(query, shown, one.gated, plan, notices, profile.pack, *looked)
    return replace(trace.tap("pack", packed), timings_ms=trace.timings_ms())


async def _probe(
    question: Question, query: Query, deps: Deps, profile: Profile, trace: Trace
) -> Probed | None:
    """The nearest chunk that may be cited; None if the profile has no probe."""
    scope, limit_s = question.scope, profile.retrieve.timeout_s
    if not profile.probe.enabled:
        return None

    async def there(candidates: Sequence[Candidate]) -> Sequence[Candidate]:
        within = of_ref(candidates, scope) if scope.ref else tuple(candidates)
        within = await deps.admitted(within)
        kept = citable(Pool(tuple(within)), profile.select).candidates
        around = (None,) * len(kept)
        seen = await look(kept, around, deps.files, _look_s(question, trace), scope.refs)
        return seen.candidates

    asked = probe(query, deps.collections, scope, profile.probe, there, limit_s)
    return trace.tap("probe", await asked)


def _with_words(profile: Profile) -> Profile:
    """The profile with keyword search added, for questions that vectors alone may miss."""
    if profile.retrieve.mode != "vector":
        return profile
    return replace(profile, retrieve=replace(profile.retrieve, mode="hybrid"))


def _nearest(
    question: Question, query: Query, near: Probed, deps: Deps, profile: Profile, trace: Trace
) -> Outcome:
    """The outcome if no chunk is near enough to continue the search."""
    found = Retrieved(
        near.rankings,
        tuple(one.collection for one in near.rankings),
        near.notices,
        frozenset(one.collection for one in near.rankings),
        {one.collection: len(one.hits) for one in near.rankings},
    )
    gated = trace.tap("gate", near.gated(profile.answer.mode))
    chosen = select(gated, profile.select, query.mode, deps.kinds(question.scope))
    pool = Pool(gated.candidates)
    return Outcome(found, pool, pool, gated, trace.tap("select", chosen), near.notices)


async def _expanded(
    question: Question, query: Query, deps: Deps, profile: Profile, trace: Trace
) -> Expanded:
    """The query with its rephrasings, from the caller or as the profile says. The latter are
    skipped if keyword search alone has a clear winner."""
    config = profile.expand
    given = given_by_caller(query, question.subqueries)
    if config.by == "off" or given.query.subqueries:
        return trace.tap("expand", given) if question.subqueries else given
    words = replace(
        profile.retrieve, mode="keyword", keyword="bm25", engine_fusion="none", symbol_limit=0
    )
    signal = None
    with suppress(PinciteError):  # the search itself raises the error
        found = await retrieve(query, deps.collections, question.scope, words)
        rarity = deps.rarity(query.text, found.rankings, question.scope)
        signal = lexical_signal(found.rankings, rarity)
    left_ms = None if question.budget_ms is None else question.budget_ms - trace.spent_ms()
    llm = deps.llm if config.by == "llm" else None
    asked = (signal, deps.terms, llm, config, deps.known_wordings, left_ms)
    return trace.tap("expand", await expand(given, *asked))


async def _try(
    question: Question,
    query: Query,
    this: Pass,
    deps: Deps,
    profile: Profile,
    trace: Trace,
    before: Pool | None,
    near: Probed | None,
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
        lists = fuse(found.rankings, profile.fuse, weights, deps.partial)
        fused = trace.tap("fuse", merge(lists, deps.weights, profile.across, found.defining))
        fused = within_reach(fused, found.defining, loading)
        by_words = best_by_words(found.rankings, code, profile.by_words(loaded_most))
        fused, wide = besides(fused, by_words, loading)
        loaded = await load(fused, collections, wide, timeout_s=limit_s)
        changed = overtaken(fused, loaded, collections, wide)
        found, loaded = await _admitted(found, loaded, deps)
        trace.tap("load", loaded.candidates)
        if not changed or (budget_ms is not None and trace.spent_ms() >= budget_ms):
            break
    loaded = replace(loaded, notices=(*loaded.notices, *changed))
    return await _judge(question, query, found, loaded, deps, profile, trace, before, near)


async def _admitted(found: Retrieved, loaded: Pool, deps: Deps) -> tuple[Retrieved, Pool]:
    """The candidates that `admit` allows, with counts that reveal nothing about the others."""
    kept = await deps.admitted(loaded.candidates)
    if len(kept) == len(loaded.candidates):
        return found, loaded
    counts = {name: sum(one.collection == name for one in kept) for name in found.counts}
    return replace(found, counts=counts), replace(loaded, candidates=kept)


async def _judge(
    question: Question,
    query: Query,
    found: Retrieved,
    loaded: Pool,
    deps: Deps,
    profile: Profile,
    trace: Trace,
    before: Pool | None,
    near: Probed | None,
) -> Outcome:
    scope, budget_ms = question.scope, question.budget_ms
    within = of_ref(loaded.candidates, scope) if scope.ref else loaded.candidates
    unique = trace.tap("dedup", citable(dedup(within, profile.dedup), profile.select))
    smoothed = trace.tap("smooth", smooth(unique.candidates, profile.smooth, deps.partial))
    code = deps.code(scope)
    ordered = rank_code(query, smoothed, deps.terms, profile.rank_code, code, deps.partial)
    pool = replace(unique, candidates=trace.tap("rank_code", ordered))
    left_ms = None if budget_ms is None else budget_ms - trace.spent_ms()
    scored = rerank(query, pool, deps.reranker, profile.rerank, left_ms, before, deps.cut)
    judged = trace.tap("rerank", await scored)
    blended = trace.tap("blend", blend(judged, profile.blend, pool))
    notices = (*(near.notices if near else ()), *found.notices, *loaded.notices, *blended.notices)
    rarity = deps.rarity(query.text, found.rankings, scope)
    known = (deps.terms, profile.cover, deps.foreign(), smoothed, rarity, deps.partial)
    covered = trace.tap("cover", cover(query.text, blended.candidates, *known))
    if near is not None and near.verdict is not None and covered:
        gated = trace.tap("gate", Gated(covered, near.verdict))
    else:
        gated = trace.tap("gate", await _gated(query, covered, found, scope, deps, profile))
    if profile.diversify.enabled and gated.verdict.level != "none":
        varied = diversify(gated.candidates, profile.diversify, deps.models)
        varied = trace.tap("diversify", varied)
        gated = replace(gated, candidates=varied.candidates)
        notices = (*notices, *varied.notices)
    kinds = deps.kinds(scope)
    spare = profile.context.around != "none"
    best = select(gated, profile.select, query.mode, kinds, spare=spare)
    chosen = trace.tap("select", best)
    return Outcome(found, loaded, judged, gated, chosen, notices)


async def _gated(
    query: Query,
    covered: Sequence[Candidate],
    found: Retrieved,
    scope: Scope,
    deps: Deps,
    profile: Profile,
) -> Gated:
    """The verdict on the candidates, lower if the index lacks a word of the question."""
    word = only_word(query.text, covered[: profile.cover.candidates], deps.terms)
    judging = (profile.gate, deps.judge, deps.unmeasured(), query.sought, word, query.text)
    gated = gate(covered, *judging)
    if not may_doubt(gated.verdict, profile.gate):
        return gated
    best = covered[: profile.select.results]
    asked = (query.text, best, (None,) * len(best), found.rankings)
    english, apart = deps.language_of(query.text) in _ENGLISH, deps.apart(scope)
    absent = find_absent(*asked, deps.collections, deps.terms, apart=apart, english=english)
    subjects = await find_subjects(absent.index, deps.collections, profile.retrieve.timeout_s)
    return doubt(gated, subjects, profile.gate)


async def _answered(
    question: Question, query: Query, one: Outcome, deps: Deps, profile: Profile, trace: Trace
) -> Outcome:
    """Let a language model judge the passages if the profile says so."""
    config = profile.gate
    llm = deps.llm if config.answerable == "llm" else None
    left_ms = None if question.budget_ms is None else question.budget_ms - trace.spent_ms()
    gated = await judge_answers(query, one.gated, llm, config.answerable_s, left_ms)
    if gated is one.gated:
        return one
    gated = trace.tap("gate", gated)
    spare = profile.context.around != "none"
    kinds = deps.kinds(question.scope)
    best = select(gated, profile.select, query.mode, kinds, spare=spare)
    return replace(one, gated=gated, chosen=trace.tap("select", best))


async def _look(
    question: Question,
    query: Query,
    one: Outcome,
    deps: Deps,
    profile: Profile,
    trace: Trace,
    near: Probed | None,
) -> tuple[Outcome, Shown, Looked]:
    """Compare the results with the current files. If a text is gone, check all candidates and judge
    the remaining ones again: others move up, and a deleted text cannot improve the verdict."""
    asked = (deps, profile, trace)
    one = await _answered(question, query, one, *asked)
    shown, seen = await _seen(one.chosen, question, *asked)
    if not seen.gone:
        return one, shown, seen
    pool = one.loaded.candidates
    limit_s = _look_s(question, trace)
    every = await look(pool, (None,) * len(pool), deps.files, limit_s, question.scope.refs)
    lost = {(gone.collection, gone.chunk.id) for gone in (*seen.gone, *every.gone)}
    left = tuple(c for c in pool if (c.collection, c.chunk.id) not in lost)
    loaded = replace(one.loaded, candidates=left)
    one = await _judge(question, query, one.found, loaded, *asked, one.judged, near)
    one = await _answered(question, query, one, *asked)
    shown, again = await _seen(one.chosen, question, *asked)
    return one, shown, replace(again, omitted=(*seen.omitted, *again.omitted))


async def _seen(
    chosen: Chosen, question: Question, deps: Deps, profile: Profile, trace: Trace
) -> tuple[Shown, Looked]:
    """The results and the closest passages, compared with their files."""
    results = profile.select.results
    page = await context(chosen, deps.collections, profile.context, results)
    shown = trace.tap("context", page)
    if profile.optimise.enabled:
        one = optimise(shown.candidates, shown.contexts, profile.optimise)
        dropped = (*shown.dropped, *one.dropped)
        left = replace(shown, candidates=one.candidates, contexts=one.contexts, dropped=dropped)
        shown = trace.tap("optimise", left)
    limit_s, refs = _look_s(question, trace), question.scope.refs
    seen = await look(shown.candidates, shown.contexts, deps.files, limit_s, refs)
    near = await look(shown.closest, (None,) * len(shown.closest), deps.files, limit_s, refs)
    return replace(shown, closest=near.candidates), trace.tap("look", seen)


def _look_s(question: Question, trace: Trace) -> float:
    """Time limit for comparing results with their files, in seconds."""
    if question.budget_ms is None:
        return _LOOK_S
    left_s = (question.budget_ms - trace.spent_ms()) / 1000
    return min(_LOOK_S, max(_LEAST_LOOK_S, left_s))


def _plan(
    expanded: Expanded, found: Retrieved, tries: Sequence[str], deps: Deps, profile: Profile
) -> Plan:
    config, query = profile.retrieve, expanded.query
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
        passes=tuple(tries),
        reranker=deps.judge,
        instruction=instruction_hash(query, deps.reranker, profile.rerank),
        expansion="skipped" if expanded.skipped else expanded.by,
        subqueries=expanded.lines,
    )
