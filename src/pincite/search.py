"""The query path: from a question to an evidence pack. Only this module orders the steps."""

from __future__ import annotations

from pincite.deps import Deps
from pincite.model import Chosen, Compared, EvidencePack, Gated, Notice, Pass, Pool, Question
from pincite.profile import Profile
from pincite.scope.filter import check_scope, of_ref
from pincite.search_steps.collection_facts import CollectionFacts
from pincite.search_steps.current import compare_with_files, without_gone
from pincite.search_steps.nearest import after_probe, nothing_near, probe_nearest
from pincite.search_steps.packed import pack_evidence
from pincite.search_steps.run import Outcome, Run
from pincite.search_steps.similar import show_instead
from pincite.search_steps.verdict import judge_evidence
from pincite.search_steps.weights import dense_weights, term_weights
from pincite.search_steps.wordings import find_wordings
from pincite.stages.answerable import judge_answers
from pincite.stages.blend import blend
from pincite.stages.context import Shown
from pincite.stages.cover import CoverFacts, cover
from pincite.stages.dedup import dedup
from pincite.stages.diversify import diversify
from pincite.stages.expand import given_by_caller
from pincite.stages.fuse import fuse
from pincite.stages.load import besides, best_by_words, load, overtaken, within_reach
from pincite.stages.merge import merge
from pincite.stages.next_pass import next_pass, within_budget
from pincite.stages.placed import find_placed
from pincite.stages.prepare import prepare
from pincite.stages.probe import Probed
from pincite.stages.rank_code import rank_code
from pincite.stages.rerank import rerank
from pincite.stages.retrieve import Retrieved, retrieve
from pincite.stages.select import citable, select
from pincite.stages.smooth import smooth
from pincite.stages.versions_first import versions_first
from pincite.support.fields import replace
from pincite.trace import Trace

_TRIES = 3  # attempts if a writer replaces chunks during a search


async def search(question: Question, deps: Deps, profile: Profile, trace: Trace) -> EvidencePack:
    """Search, judge the evidence and cite it. Raises UsageError for an empty query, and the error
    of a collection if none answers."""
    trace.begin()
    check_scope(deps.collections, question.scope)
    query = trace.tap("prepare", prepare(question, profile.prepare, profile.corpus))
    checked = deps.admit is not None
    facts = CollectionFacts.of(deps.collections, question.scope, checked=checked)
    run = Run(question, query, deps, profile, trace, facts)
    probed = await probe_nearest(run)
    run = run if probed is None else after_probe(run, probed)
    passes = [] if probed is None else ["probe"]
    budget_notices: tuple[Notice, ...] = ()
    this_pass: Pass | None = Pass()
    judged_before: Pool | None = None
    if probed is not None and not probed.passed:
        expanded = given_by_caller(query, question.subqueries)
        outcome, this_pass = nothing_near(run, probed), None
    else:
        expanded = await find_wordings(run)
    run = replace(run, query=expanded.query)
    while this_pass is not None and not budget_notices:
        passes.append(this_pass.name)
        begun_ms = trace.spent_ms()
        outcome = await _pass(run, this_pass, judged_before, probed)
        judged_before = outcome.judged
        this_pass = next_pass(
            this_pass, run.query, outcome.gated, outcome.chosen, run.profile.again
        )
        budget_notices = within_budget(this_pass, trace.spent_ms(), begun_ms, question.budget_ms)
    instead = await show_instead(run, outcome)
    if instead is not None and instead.gated is not None:
        gated = trace.tap("gate", instead.gated)
        outcome = replace(outcome, gated=gated, chosen=_select(run, gated))
    outcome, shown, compared = await _compare_with_files(run, outcome, probed)
    told = (expanded, passes, budget_notices, instead)
    return await pack_evidence(run, outcome, shown, compared, *told)


async def _pass(
    run: Run, this_pass: Pass, judged_before: Pool | None, probed: Probed | None
) -> Outcome:
    """Retrieve candidates, load and judge them. `judged_before` are those of the previous pass."""
    query, deps, profile, trace, facts = run.query, run.deps, run.profile, run.trace, run.facts
    of_dense = dense_weights(deps, query, profile.fuse, facts.code)
    limit_s = profile.retrieve.timeout_s
    deep = facts.code | facts.deep
    loaded_most = profile.candidates(deps.reranker is not None, bool(deep))
    loading = replace(profile.load, pool=loaded_most)
    for _ in range(_TRIES):
        asked = (deps.collections, run.scope, profile.retrieve, this_pass, facts.deep)
        answers = await retrieve(query, *asked, left_ms=run.left_ms, admit=deps.admit)
        found = trace.tap("retrieve", answers)
        lists = fuse(found.rankings, profile.fuse, of_dense, facts.partial)
        merged = merge(lists, facts.weights, profile.across, found.defining)
        fused = trace.tap("fuse", merged)
        fused = within_reach(fused, found.defining, loading)
        by_words = best_by_words(found.rankings, deep, profile.by_words(loaded_most))
        fused, wide = besides(fused, by_words | found.versions, loading)
        loaded = await load(fused, deps.collections, wide, timeout_s=limit_s)
        changed = overtaken(fused, loaded, deps.collections, wide)
        found, loaded = await _admitted(found, loaded, deps)
        trace.tap("load", loaded.candidates)
        if not changed or run.is_late:
            break
    loaded = replace(loaded, notices=(*loaded.notices, *changed))
    return await _judge(run, found, loaded, judged_before, probed)


async def _admitted(found: Retrieved, loaded: Pool, deps: Deps) -> tuple[Retrieved, Pool]:
    """The candidates that `admit` allows, with counts that reveal nothing about the others."""
    if deps.admit is None:
        return found, loaded
    kept = await deps.admitted(loaded.candidates)
    counts = {name: sum(one.collection == name for one in kept) for name in found.counts}
    return replace(found, counts=counts), replace(loaded, candidates=kept)


async def _judge(
    run: Run,
    found: Retrieved,
    loaded: Pool,
    judged_before: Pool | None,
    probed: Probed | None,
) -> Outcome:
    """Rank the candidates, give the verdict and choose what to show."""
    query, deps, profile, trace, facts = run.query, run.deps, run.profile, run.trace, run.facts
    within = of_ref(loaded.candidates, run.scope)
    placed = find_placed(query.asked.frames, found.files, within)
    once = dedup(within, profile.dedup, placed.order)
    unique = trace.tap("dedup", citable(once, profile.select))
    smoothed = trace.tap("smooth", smooth(unique.candidates, profile.smooth, facts.partial))
    rarity = term_weights(deps, query.text, found.rankings, apart=facts.apart)
    ordered = rank_code(
        query,
        smoothed,
        deps.terms,
        profile.rank_code,
        facts.code,
        facts.partial,
        rarity,
        placed.order,
    )
    pool = Pool(trace.tap("rank_code", ordered), notices=unique.notices)
    scored = await rerank(
        query,
        pool,
        deps.reranker,
        profile.rerank,
        left_ms=run.left_ms,
        before=judged_before,
        cut=deps.cut,
    )
    judged = trace.tap("rerank", scored)
    blended = trace.tap("blend", blend(judged, profile.blend, pool))
    in_order = versions_first(query.asked.versions, blended.candidates)
    in_order = trace.tap("versions_first", in_order)
    of_probe = probed.notices if probed else ()
    notices = (*of_probe, *found.notices, *loaded.notices, *blended.notices)
    about = CoverFacts(facts.other_language, facts.partial, rarity)
    covered = cover(query.text, in_order, deps.terms, profile.cover, about, before=smoothed)
    covered = trace.tap("cover", covered)
    if probed is not None and probed.verdict is not None and covered:
        gated = trace.tap("gate", Gated(covered, probed.verdict))
    else:
        gated = trace.tap("gate", await judge_evidence(run, covered, found, placed))
    if profile.diversify.enabled and gated.verdict.level != "none":
        varied = diversify(gated.candidates, profile.diversify, facts.models)
        varied = trace.tap("diversify", varied)
        gated = replace(gated, candidates=varied.candidates)
        notices = (*notices, *varied.notices)
    return Outcome(found, loaded, judged, gated, _select(run, gated), notices)


def _select(run: Run, gated: Gated) -> Chosen:
    spare = run.profile.context.around != "none"
    best = select(gated, run.profile.select, run.query.mode, run.facts.kinds, spare=spare)
    return run.trace.tap("select", best)


async def _compare_with_files(
    run: Run, outcome: Outcome, probed: Probed | None
) -> tuple[Outcome, Shown, Compared]:
    """Compare the results with the current files. If a text is gone, check all candidates and judge
    the remaining ones again: others move up, and a deleted text cannot improve the verdict."""
    outcome = await _ask_whether_answered(run, outcome)
    shown, compared = await compare_with_files(run, outcome.chosen)
    if not compared.gone:
        return outcome, shown, compared
    left = await without_gone(run, outcome, compared)
    outcome = await _judge(run, outcome.found, left, outcome.judged, probed)
    outcome = await _ask_whether_answered(run, outcome)
    shown, again = await compare_with_files(run, outcome.chosen)
    return outcome, shown, replace(again, omitted=(*compared.omitted, *again.omitted))


async def _ask_whether_answered(run: Run, outcome: Outcome) -> Outcome:
    """Let a language model judge the passages if the profile says so."""
    config = run.profile.gate
    llm = run.deps.llm if config.answerable == "llm" else None
    gated = await judge_answers(run.query, outcome.gated, llm, config.answerable_s, run.left_ms)
    if gated is outcome.gated:
        return outcome
    gated = run.trace.tap("gate", gated)
    return replace(outcome, gated=gated, chosen=_select(run, gated))
