"""The probe before a search: is any chunk near enough to the question?"""

from __future__ import annotations

from collections.abc import Sequence

from pincite.model import Candidate, Pool
from pincite.profile import Profile
from pincite.scope.filter import of_ref
from pincite.search_steps.run import Outcome, Run
from pincite.stages.look import look
from pincite.stages.probe import Probed, probe, remembered
from pincite.stages.retrieve import Retrieved
from pincite.stages.select import citable, select
from pincite.support.fields import replace


async def probe_nearest(run: Run) -> Probed | None:
    """Return the nearest chunk that may be cited, None if the profile has no probe."""
    deps, profile, scope = run.deps, run.profile, run.scope
    if not profile.probe.enabled:
        return None

    async def there(candidates: Sequence[Candidate]) -> Sequence[Candidate]:
        within = of_ref(candidates, scope)
        within = await deps.admitted(within)
        kept = citable(Pool(tuple(within)), profile.select).candidates
        compared = await look(kept, (None,) * len(kept), deps.files, run.look_s, scope.refs)
        return compared.candidates

    limit_s = profile.retrieve.timeout_s
    asked = (deps.collections, scope, profile.probe, there, limit_s)
    probed = await probe(run.query, *asked, left_ms=run.left_ms)
    return run.trace.tap("probe", probed)


def after_probe(run: Run, probed: Probed) -> Run:
    """Return the run to continue after its probe. It reuses the vectors of the question, and the
    errors of models. If the probe has no verdict, keyword search is added to a search by
    vectors."""
    collections = remembered(run.deps.collections, run.query, probed)
    profile = _with_words(run.profile) if probed.verdict is None else run.profile
    return replace(run, deps=replace(run.deps, collections=collections), profile=profile)


def nothing_near(run: Run, probed: Probed) -> Outcome:
    """Return the outcome for a probe that ends the search, because no chunk is near enough."""
    profile = run.profile
    found = Retrieved(
        rankings=probed.rankings,
        collections=tuple(one.collection for one in probed.rankings),
        notices=probed.notices,
        dense=frozenset(one.collection for one in probed.rankings),
        counts={one.collection: len(one.hits) for one in probed.rankings},
    )
    gated = run.trace.tap("gate", probed.gated(profile.answer.mode))
    chosen = select(gated, profile.select, run.query.mode, run.facts.kinds)
    pool = Pool(gated.candidates)
    return Outcome(
        found=found,
        loaded=pool,
        judged=pool,
        gated=gated,
        chosen=run.trace.tap("select", chosen),
        notices=probed.notices,
    )


def _with_words(profile: Profile) -> Profile:
    if profile.retrieve.mode != "vector":
        return profile
    return replace(profile, retrieve=replace(profile.retrieve, mode="hybrid"))
