"""Suggest names of the index for names of the question that the index lacks."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_lowercase
from typing import Final

from pincite.model import AbsentTerms, Candidate, Notice
from pincite.ports import AnyOf, Searchable, SearchRequest
from pincite.scope.filter import check_scope, of_ref, scope_filter
from pincite.search_steps.run import Run
from pincite.stages.similar_names import ONE_EDIT, absent_names, did_you_mean, similar_name
from pincite.support.concurrency import gather, gather_outcomes, with_timeout
from pincite.support.fields import replace
from pincite.support.spellings import one_edit

_LETTERS: Final = f"{ascii_lowercase}_"
_LONGEST: Final = 32  # characters of a name whose spellings are looked up, fewer than 2,000
_LIMIT_S: Final = 0.5  # of a look-up; guess: 16,000 chunks take .02 s
_HITS: Final = 5


async def suggest_names(
    run: Run, absent: AbsentTerms, candidates: Sequence[Candidate]
) -> tuple[Notice, ...]:
    """Return a notice for each name that the index lacks if one of the index is spelled like it: a
    definition that one edit separates from it, otherwise the most similar name of the candidates.

    The definitions are looked up within the scope, and only if there is such a name. They are not
    added to the results. Nothing is suggested to callers that are kept apart from others, or if the
    time budget is spent."""
    names = () if run.facts.apart else absent_names(run.query.text, absent)
    if run.left_ms is not None and run.left_ms <= 0:
        names = ()
    notices = []
    found = await gather([_defined(run, one) for one in names])
    for name, defined in zip(names, found, strict=True):
        near = similar_name(name, defined, ONE_EDIT) or similar_name(name, candidates)
        notices += [did_you_mean(name, near)] if near else []
    return tuple(notices)


async def _defined(run: Run, name: str) -> tuple[Candidate, ...]:
    """Return passages that define a name which is one edit away from this one. A collection that
    fails or is late has none; nor are there any for a long name."""
    if len(name) > _LONGEST:
        return ()
    limit_s = _LIMIT_S if run.left_ms is None else min(_LIMIT_S, run.left_ms / 1000)
    forms = sorted(one_edit(name, _LETTERS))
    asked = [
        with_timeout(one.spec.name, _of(run, one, forms), limit_s)
        for one in run.deps.collections
        if not one.foreign
    ]
    outcomes = await gather_outcomes(asked)
    found = [each for one in outcomes if not isinstance(one, BaseException) for each in one]
    wanted = frozenset(forms)
    only = [
        replace(one, chunk=replace(one.chunk, symbols=tuple(wanted & {*one.chunk.symbols})))
        for one in await run.deps.admitted(found)
    ]
    return of_ref(only, run.scope) if run.scope.ref else tuple(only)


async def _of(run: Run, collection: Searchable, forms: Sequence[str]) -> Sequence[Candidate]:
    schema = check_scope(run.deps.collections, run.scope)
    within = await scope_filter(collection, run.scope, schema)
    sparse = collection.sparse.encode_query(" ".join(forms))
    only = replace(within, must=(*within.must, AnyOf("symbols", tuple(forms))))
    request = SearchRequest(sparse=sparse, sparse_limit=_HITS, filter=only)
    rankings = await collection.index.search(collection.spec.name, request)
    ids = [hit.id for one in rankings for hit in one.hits]
    stored = await collection.index.load(collection.spec.name, ids)
    return [Candidate(collection.spec.name, one.chunk, ()) for one in stored]
