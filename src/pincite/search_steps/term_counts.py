"""The counts of the question's terms that the caller may learn of."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from pincite.deps import Admission
from pincite.model import TermCounts
from pincite.ports import Filter, Searchable
from pincite.search_steps.run import Run
from pincite.stages.absent import counted
from pincite.stages.presence import find_present, has_any
from pincite.stages.retrieve import Retrieved
from pincite.stages.subjects import HasAny
from pincite.support.concurrency import limited_s


async def term_counts(
    run: Run, found: Retrieved, needed: Callable[[Searchable], Iterable[int]]
) -> Mapping[str, TermCounts]:
    """Return the counts of terms by collection. For callers who are kept apart, the counts of a
    search would reveal words of others. So the `needed` terms of each collection are searched for
    among the chunks that the caller may read, and each is counted as 1 or 0; frequencies stay
    unknown.

    A collection of which nothing is known is left out: one that does not count terms, did not
    answer, or is late. Nothing is known if documents are only checked while the search runs, or if
    the time budget is spent."""
    if not run.facts.apart:
        return counted(found.rankings)
    if not is_filtered(run) or run.is_late:
        return {}
    known, terms = run.present, dict[str, tuple[int, ...]]()
    for one in run.deps.collections:
        if one.spec.counted and not one.foreign and one.spec.name in found.collections:
            terms[one.spec.name] = tuple(dict.fromkeys(needed(one)))
    unknown = {
        name: left
        for name, ids in terms.items()
        if (left := [one for one in ids if (name, one) not in known])
    }
    if unknown:
        limit_s = limited_s(run.profile.retrieve.timeout_s, run.left_ms)
        present = await find_present(unknown, run.deps.collections, run.facts.readable, limit_s)
        for name, having in present.items():
            known.update({(name, one): there for one, there in having.items()})
    return {
        name: TermCounts(0, {one: int(known[name, one]) for one in ids})
        for name, ids in terms.items()
        if all((name, one) in known for one in ids)
    }


def readable_terms(filters: Mapping[str, Filter]) -> HasAny:
    """Return a function that tells whether a chunk within the filter of its collection has one of
    some terms."""

    async def among(collection: Searchable, terms: Collection[int]) -> bool:
        return await has_any(collection, terms, filters[collection.spec.name])

    return among


def is_filtered(run: Run) -> bool:
    """Return whether the filter of the scope leaves out all documents that the caller may not read.
    With an `admit` it does so only in a workspace without a `choice`: the bounds of a workspace
    leave them out, and its `Admission` checks this again. Of a program's `admit`, nobody knows what
    else it refuses, and a `choice` is from more documents than a filter can list."""
    admit = run.deps.admit
    if admit is None:
        return True
    return isinstance(admit, Admission) and admit.choice is None and bool(run.scope.bounds)
