"""Build the evidence pack of a search."""

from __future__ import annotations

from collections.abc import Sequence

from pincite.deps import Admission
from pincite.model import AbsentTerms, Compared, EvidencePack, Notice
from pincite.scope.unmatched import unmatched
from pincite.scope.warnings import omitted_of, warnings_of
from pincite.search_steps.plan import plan_of
from pincite.search_steps.run import Outcome, Run
from pincite.search_steps.similar import Instead, suggest_names
from pincite.search_steps.verdict import absent_words
from pincite.stages.context import Shown
from pincite.stages.expand import Expanded
from pincite.stages.pack import pack
from pincite.support.fields import replace


async def pack_evidence(
    run: Run,
    outcome: Outcome,
    shown: Shown,
    compared: Compared,
    expanded: Expanded,
    passes: Sequence[str],
    budget_notices: Sequence[Notice],
    instead: Instead | None,
) -> EvidencePack:
    """Return the evidence pack of a search, with its plan, its warnings and the time of each step.
    `instead` is what is known of mistyped names, None if they were not looked up yet."""
    deps, scope, trace = run.deps, run.scope, run.trace
    scope_notices = await _unmatched(run, outcome)
    searched, absent = not scope_notices, AbsentTerms()
    if searched:
        absent = await absent_words(run, compared.candidates, compared.contexts, outcome.found)
    if instead is None:
        similar = await suggest_names(run, absent, outcome.judged.candidates)
    else:
        similar = instead.notices
        absent = replace(absent, index=instead.absent.index)
    packed = pack(
        run.query,
        shown,
        outcome.gated,
        plan=plan_of(run, expanded, outcome.found, passes),
        notices=(
            *deps.notices,
            *expanded.notices,
            *outcome.notices,
            *budget_notices,
            *compared.notices,
            *scope_notices,
            *similar,
        ),
        config=run.profile.pack,
        compared=compared,
        required=run.facts.required,
        absent=absent,
    )
    warnings = warnings_of(packed.warnings, scope, searched=searched)
    packed = replace(packed, warnings=warnings, omitted=omitted_of(packed.omitted, scope))
    packed = trace.tap("pack", packed)
    return replace(packed, timings_ms=trace.timings_ms())


async def _unmatched(run: Run, outcome: Outcome) -> Sequence[Notice]:
    """Return a notice if nothing was found because the scope matches nothing. It names documents
    that may have been meant, so there is none if a program's `admit` decides which the caller may
    know. The collections of an `Admission` list no others beside its bounds."""
    deps, scope = run.deps, run.scope
    if deps.admit is not None and not (isinstance(deps.admit, Admission) and scope.bounds):
        return ()
    return await unmatched(outcome.found.rankings, deps.collections, scope, run.explain_s)
