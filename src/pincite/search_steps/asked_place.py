"""Find out whether the index has the file or folder that a question for a relation names."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from pincite.model import Candidate, DocumentRecord
from pincite.ports import Searchable
from pincite.questions.relations import Relation
from pincite.scope.choosing import admitted_records
from pincite.scope.document_records import matches_record
from pincite.scope.named_place import NamedPlace
from pincite.search_steps.run import Run
from pincite.support.concurrency import gather_outcomes, with_timeout

_Fits: TypeAlias = Callable[[DocumentRecord], bool]
_LISTING_S: Final = 1.0  # guess: a thousand documents take 10 ms
_AT_ONCE: Final = 1_000  # documents that are compared before other tasks come in between


async def absent_place(run: Run, relation: Relation, shown: Sequence[Candidate]) -> str:
    """Return the places of the relation if the index has none of them, "" otherwise. What may be a
    topic counts only if the index has a folder of it (`app/Views` if it has `app`), or if the whole
    question may be about a topic: the name is a plain word, and no shown passage stands in the
    relation to it. A shown passage tells whether one is there; otherwise all documents are
    listed that the caller may read. "" also if that cannot be known: a collection fails or does
    not answer within a second and the rest of the time budget."""
    places = " ".join(relation.places)
    is_name = relation.certain or any(one.signal("relation") for one in shown)
    is_sure = relation.is_path or not is_name
    if not places or not (is_sure or all("/" in one for one in relation.places)):
        return ""
    named = [NamedPlace(one) for one in relation.places]

    def is_there(path: str, source: str) -> bool:
        return any(one.has(path, source) for one in named)

    if any(is_there(one.chunk.path, one.chunk.repo) for one in shown):
        return ""
    if await _once(run, places, lambda one: is_there(one.path, one.source)) is not False:
        return ""
    if is_sure:
        return places
    is_near = await _once(
        run, f"{places}/..", lambda one: any(each.has_part(one.path) for each in named)
    )
    return places if is_near else ""


async def _once(run: Run, what: str, fits: _Fits) -> bool | None:
    if what not in run.in_place:
        run.in_place[what] = await _any_fits(run, fits)
    return run.in_place[what]


async def _any_fits(run: Run, fits: _Fits) -> bool | None:
    """Return whether a document that the caller may read fits, None if that is not known."""
    limit_s = _LISTING_S if run.left_ms is None else min(_LISTING_S, run.left_ms / 1000)
    if limit_s <= 0:
        return None
    asked = [
        with_timeout(one.spec.name, _holds(run, fits, one), limit_s) for one in run.deps.collections
    ]
    outcomes = await gather_outcomes(asked)
    if any(one is True for one in outcomes):
        return True
    return None if any(isinstance(one, BaseException) for one in outcomes) else False


async def _holds(run: Run, fits: _Fits, collection: Searchable) -> bool:
    readable = run.facts.readable[collection.spec.name]
    admit = run.deps.admit
    within = []
    for number, one in enumerate(await collection.index.documents(collection.spec.name), start=1):
        if fits(one) and matches_record(readable, one, collection.spec):
            if admit is None:
                return True
            within.append(one)
        if number % _AT_ONCE == 0:
            await asyncio.sleep(0)  # the time may be over
    return admit is not None and any((await admitted_records(within, admit)).values())
