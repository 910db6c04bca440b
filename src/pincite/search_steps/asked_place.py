"""Find out whether the index has the file or folder that a question for a relation names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pincite.model import Candidate
from pincite.ports import Searchable
from pincite.questions.relations import Relation
from pincite.scope.choosing import admitted_records
from pincite.scope.document_records import matches_record
from pincite.search_steps.run import Run
from pincite.support.concurrency import gather_outcomes, with_timeout

_LISTING_S: Final = 1.0  # guess: a thousand documents take 10 ms


async def may_have_place(run: Run, relation: Relation, shown: Sequence[Candidate]) -> bool:
    """Return whether a file that is indexed, and that the caller may read, is in the place of the
    relation. A shown passage tells; otherwise all documents are listed. True also if that cannot be
    known: a collection fails or does not answer within a second and the rest of the time budget."""
    if any(relation.has_in_place(one.chunk.path, one.chunk.repo) for one in shown):
        return True
    if relation.place in run.in_place:
        return run.in_place[relation.place]
    limit_s = _LISTING_S if run.left_ms is None else min(_LISTING_S, run.left_ms / 1000)
    if limit_s <= 0:
        return True
    asked = [
        with_timeout(one.spec.name, _has(run, relation, one), limit_s)
        for one in run.deps.collections
    ]
    outcomes = await gather_outcomes(asked)
    found = any(isinstance(one, BaseException) or one for one in outcomes)
    return run.in_place.setdefault(relation.place, found)


async def _has(run: Run, relation: Relation, collection: Searchable) -> bool:
    readable = run.facts.readable[collection.spec.name]
    listed = await collection.index.documents(collection.spec.name)
    within = [
        one
        for one in listed
        if relation.has_in_place(one.path, one.source)
        and matches_record(readable, one, collection.spec)
    ]
    admit = run.deps.admit
    known = dict.fromkeys(within, True) if admit is None else await admitted_records(within, admit)
    return any(known.values())
