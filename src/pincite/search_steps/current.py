"""Compare the results of a search with the current files."""

from __future__ import annotations

from pincite.model import Chosen, Compared, Pool
from pincite.search_steps.run import Outcome, Run
from pincite.stages.context import Shown, context
from pincite.stages.look import look
from pincite.stages.optimise import optimise
from pincite.support.fields import replace


async def compare_with_files(run: Run, chosen: Chosen) -> tuple[Shown, Compared]:
    """Return the results with the text around them, and the closest passages, all compared with
    their files. `Compared.gone` has the results whose text is no longer in the file."""
    profile, deps = run.profile, run.deps
    shaping = (profile.context, profile.select.results)
    readable = run.facts.readable if run.facts.apart else {}
    page = await context(chosen, deps.collections, *shaping, readable=readable)
    shown = run.trace.tap("context", page)
    if profile.optimise.enabled:
        less = optimise(shown.candidates, shown.contexts, profile.optimise)
        dropped = (*shown.dropped, *less.dropped)
        left = replace(shown, candidates=less.candidates, contexts=less.contexts, dropped=dropped)
        shown = run.trace.tap("optimise", left)
    limit_s, refs = run.look_s, run.scope.refs
    compared = await look(shown.candidates, shown.contexts, deps.files, limit_s, refs)
    closest = await look(shown.closest, (None,) * len(shown.closest), deps.files, limit_s, refs)
    return replace(shown, closest=closest.candidates), run.trace.tap("look", compared)


async def without_gone(run: Run, outcome: Outcome, compared: Compared) -> Pool:
    """Return the candidates of the pass without those whose text is no longer in the file."""
    pool = outcome.loaded.candidates
    every = await look(pool, (None,) * len(pool), run.deps.files, run.look_s, run.scope.refs)
    lost = {gone.key for gone in (*compared.gone, *every.gone)}
    left = tuple(c for c in pool if c.key not in lost)
    return replace(outcome.loaded, candidates=left)
