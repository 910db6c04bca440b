"""Find names of the index for names of the question that the index lacks: suggest them, and show
their definitions if there is nothing else to show."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from string import ascii_letters, ascii_lowercase
from typing import Final

import msgspec

from pincite.model import AbsentTerms, Candidate, Gated, Notice, Question, Signal
from pincite.ports import AnyOf, Searchable, SearchRequest
from pincite.scope.filter import check_scope, of_ref, scope_filter
from pincite.search_steps.run import Outcome, Run
from pincite.search_steps.term_counts import term_counts
from pincite.search_steps.verdict import absent_words
from pincite.stages.absent import has_unknown_part, part_terms
from pincite.stages.prepare import prepare
from pincite.stages.rank_code import defining
from pincite.stages.similar_names import (
    ONE_EDIT,
    absent_names,
    did_you_mean,
    is_only_name,
    is_slip,
    likeness,
    similar_name,
)
from pincite.support.concurrency import gather, gather_outcomes, limited_s, with_timeout
from pincite.support.fields import replace
from pincite.support.spellings import one_edit

_LONGEST: Final = 32  # characters of a name whose spellings are looked up, fewer than 4,000
_LIMIT_S: Final = 0.5  # of a look-up; guess: 16,000 chunks take .02 s
_HITS: Final = 5


class Instead(msgspec.Struct, frozen=True):
    """What a search says of mistyped names: the words that the index lacks, the notices, and the
    evidence with its verdict, None to leave it as it was."""

    absent: AbsentTerms
    notices: tuple[Notice, ...]
    gated: Gated | None = None


async def show_instead(run: Run, outcome: Outcome) -> Instead | None:
    """Return the definition of the name that was probably meant, as evidence with the verdict
    `weak`. None if there is evidence, or the question is more than one name that the index lacks.

    The name must be one edit away from the definition, in a word that the index lacks: `set_name`
    is another name than `get_name`, and `gte_name` is a slip. If the profile shows passages without
    evidence, they follow."""
    before, config = outcome.gated.verdict, run.profile.gate
    if before.level != "none" or not config.defined or run.is_late:
        return None
    absent = await absent_words(run, (), (), outcome.found)
    names = absent_names(run.query.text, absent)
    if len(names) != 1 or not is_only_name(names[0], run.query):
        return None
    (name,) = names
    defined = await _defined(run, name)
    near, notices = _suggested(name, defined, outcome.judged.candidates)
    if not _named(defined, near) or not is_slip(name, near):
        return Instead(absent, notices)
    counts = await term_counts(run, outcome.found, partial(part_terms, name))
    if not has_unknown_part(name, counts, run.deps.collections):
        return Instead(absent, notices)
    shown = _definitions(run, name, near, defined)
    if not shown:
        return Instead(absent, notices)
    first = shown[0].chunk.path
    reason = f"Nothing that is indexed has {name}. But {first} defines {near}, spelled like it."
    verdict = replace(before, level="weak", reason=reason)
    others = outcome.gated.candidates if run.profile.select.on_none == "keep" else ()
    gated = replace(outcome.gated, candidates=(*shown, *others), verdict=verdict)
    return Instead(absent, notices, gated)


def _definitions(
    run: Run, name: str, near: str, defined: Sequence[Candidate]
) -> tuple[Candidate, ...]:
    """Return the definitions of `near` in their order, up to `rank_code.defined_first`: at the path
    that the question gives, if there is one."""
    value = Signal("ranked", "share", likeness(name, near))
    config, most = run.profile.prepare, run.profile.rank_code.defined_first
    for text in (run.query.text.replace(name, near), near):
        query = prepare(Question(text), config)
        if found := defining(query, defined, most, beside_pages=True):
            return tuple(one.with_signal(value) for one in found)
    return ()


async def suggest_names(
    run: Run, absent: AbsentTerms, candidates: Sequence[Candidate]
) -> tuple[Notice, ...]:
    """Return a notice for each name that the index lacks if one of the index is spelled like it: a
    definition that one edit separates from it, otherwise the most similar name of the candidates.

    The definitions are looked up within the scope, and only if there is such a name. Nothing is
    suggested if the time budget is spent."""
    names = () if run.is_late else absent_names(run.query.text, absent)
    found = await gather([_defined(run, one) for one in names])
    pairs = zip(names, found, strict=True)
    return tuple(
        notice for name, defined in pairs for notice in _suggested(name, defined, candidates)[1]
    )


def _suggested(
    name: str, defined: Sequence[Candidate], candidates: Sequence[Candidate]
) -> tuple[str, tuple[Notice, ...]]:
    """Return the name that is spelled like this one, and its notice; "" and () without one."""
    forms = _spellings(name) if defined else ()
    alike = [tuple(each for each in one.chunk.symbols if each in forms) for one in defined]
    only = [
        replace(one, chunk=replace(one.chunk, symbols=symbols))
        for one, symbols in zip(defined, alike, strict=True)
    ]
    near = similar_name(name, only, ONE_EDIT) or similar_name(name, candidates)
    return near, (did_you_mean(name, near),) if near else ()


def _spellings(name: str) -> set[str]:
    """Return the names that are one edit away. A capital may be the lost letter, if the words of
    the name are not joined by an underscore."""
    return one_edit(name, f"{ascii_lowercase}_" if "_" in name else f"{ascii_letters}_")


def _named(defined: Sequence[Candidate], near: str) -> bool:
    return bool(near) and any(near in one.chunk.symbols for one in defined)


async def _defined(run: Run, name: str) -> tuple[Candidate, ...]:
    """Return passages that define a name which is one edit away from this one. A collection that
    fails or is late has none; nor are there any for a long name.

    The index lacks a name only if each collection counts its terms. So there are no collections of
    other programs here."""
    if len(name) > _LONGEST:
        return ()
    limit_s = limited_s(_LIMIT_S, run.left_ms)
    forms = sorted(_spellings(name))
    asked = [
        with_timeout(one.spec.name, _of(run, one, forms), limit_s) for one in run.deps.collections
    ]
    outcomes = await gather_outcomes(asked)
    found = [each for one in outcomes if not isinstance(one, BaseException) for each in one]
    return await run.deps.admitted(of_ref(found, run.scope))


async def _of(run: Run, collection: Searchable, forms: Sequence[str]) -> Sequence[Candidate]:
    schema = check_scope(run.deps.collections, run.scope)
    within = await scope_filter(collection, run.scope, schema)
    sparse = collection.sparse.encode_query(" ".join(forms))
    request = SearchRequest(sparse=sparse, sparse_limit=_HITS, filter=within)
    only = request.only(AnyOf("symbols", tuple(forms)))
    rankings = await collection.index.search(collection.spec.name, only)
    ids = [hit.id for one in rankings for hit in one.hits]
    stored = await collection.index.load(collection.spec.name, ids)
    return [Candidate(collection.spec.name, one.chunk, ()) for one in stored]
