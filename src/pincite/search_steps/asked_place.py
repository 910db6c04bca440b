"""Find out whether the index has the file or folder that a question for a relation names."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final, Literal, TypeAlias

from pincite.model import Candidate, DocumentRecord
from pincite.ports import Searchable
from pincite.questions.relations import Relation
from pincite.scope.choosing import admitted_records
from pincite.scope.document_records import matches_record
from pincite.scope.named_place import NamedPlace
from pincite.search_steps.run import Run
from pincite.support.concurrency import gather_outcomes, limited_s, with_timeout

_Nearness: TypeAlias = Literal["there", "near"]
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
    if any(_is_there(named, one.chunk.path, one.chunk.repo) for one in shown):
        return ""
    key = places, is_sure
    if key not in run.absent_places:
        run.absent_places[key] = await _are_absent(run, named, beside=not is_sure)
    return places if run.absent_places[key] else ""


def _is_there(named: Sequence[NamedPlace], path: str, source: str) -> bool:
    return any(one.parts(path, source) for one in named)


async def _are_absent(run: Run, named: Sequence[NamedPlace], *, beside: bool) -> bool:
    """Return whether no document that the caller may read is in one of the places and, with
    `beside`, one is in a folder named like a part of them. False if that is not known."""
    limit_s = limited_s(_LISTING_S, run.left_ms)
    if limit_s <= 0:
        return False
    asked = [
        with_timeout(one.spec.name, _nearest(run, named, one, beside=beside), limit_s)
        for one in run.deps.collections
    ]
    outcomes = await gather_outcomes(asked)
    if "there" in outcomes or any(isinstance(one, BaseException) for one in outcomes):
        return False
    return not beside or "near" in outcomes


async def _nearest(
    run: Run, named: Sequence[NamedPlace], collection: Searchable, *, beside: bool
) -> _Nearness | None:
    """Return how near to the places the documents of a collection are. None if there are none."""
    readable = run.facts.readable[collection.spec.name]
    admit = run.deps.admit
    found: dict[_Nearness, list[DocumentRecord]] = {"there": [], "near": []}
    for number, one in enumerate(await collection.index.documents(collection.spec.name), start=1):
        is_there = _is_there(named, one.path, one.source)
        is_near = is_there or (beside and any(each.has_part(one.path) for each in named))
        if is_near and matches_record(readable, one, collection.spec):
            if is_there and admit is None:
                return "there"
            found["there" if is_there else "near"].append(one)
        if number % _AT_ONCE == 0:
            await asyncio.sleep(0)  # the time may be over
    for nearness, records in found.items():
        if records and (admit is None or any((await admitted_records(records, admit)).values())):
            return nearness
    return None
