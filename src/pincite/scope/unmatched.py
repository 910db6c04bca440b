"""Reasons for an empty result: perhaps no document is in the scope of the search.

What there is instead is named only as far as the tags let it be seen.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from typing import Final

from pincite.errors import PinciteError
from pincite.model import DocumentRecord, Notice, Ranking, Scope
from pincite.ports import Filter, Ids, Paged, Searchable
from pincite.ports.predicate import matches
from pincite.scope.apart import is_apart, readable_filter
from pincite.scope.document_records import OF_RECORD, matches_record, record_test
from pincite.scope.filter import given_filter
from pincite.scope.schema import for_collection, schema_of
from pincite.scope.tagged_index import fits_document
from pincite.scope.unmatched_words import Known, has_names, instead_of, scope_words
from pincite.scope.where import Schema, parse_where

_PAGE: Final = 256
_MOST_PAGES: Final = 8  # of chunks; all of them took 0.03 to 0.11 s, embedded
_AT_ONCE: Final = 500  # documents: 4 to 7 ms
_MOST_READ: Final = 256  # documents that are read one by one; guess, unmeasured


async def unmatched(
    rankings: Iterable[Ranking],
    collections: Sequence[Searchable],
    scope: Scope,
    within_s: float | None = None,
) -> tuple[Notice, ...]:
    """A notice if nothing was found because the scope matches nothing: in each collection the dense
    side, which finds whatever passes and has a vector, found nothing, or neither a document nor a
    chunk fits. Both are asked for in that case alone. There is no notice where that stays open: a
    collection cannot say what it has, has too many chunks to look at, or `within_s` seconds have
    passed."""
    found = tuple(rankings)
    if any(ranking.hits for ranking in found) or not _restricts(scope):
        return ()
    schema = schema_of((one.spec for one in collections), scope)
    searched = {ranking.collection for ranking in found if ranking.signal == "dense"}
    told = [one.spec.name in searched and one.embedded >= 1 for one in collections]
    try:
        async with asyncio.timeout(within_s):
            known = await _known(collections, told, scope, schema)
            if known is None:
                return ()
            instead = await instead_of(known, scope, parse_where(scope.where, schema))
    except TimeoutError:
        if not all(told):
            return ()
        instead = ""
    return (Notice("nothing_in_scope", f"no indexed document {scope_words(scope)}{instead}"),)


async def _known(
    collections: Sequence[Searchable], told: Sequence[bool], scope: Scope, schema: Schema
) -> Known | None:
    """The documents whose names may be said, if any are needed; None if something is in the scope,
    or if that stays open. Of the collections that are `told` it is known that nothing is."""
    given = given_filter(scope, schema)
    apart = is_apart(scope, (one.spec for one in collections))
    named = has_names(scope, given)
    known: Known = {}
    for one, is_told in zip(collections, told, strict=True):
        asked, may_see = for_collection(given, one.spec), readable_filter(one.spec, scope, schema)
        may_fit: list[DocumentRecord] | None = None
        listed = _asks_of_documents(scope, asked, one, named=is_told)
        if listed or (apart and not is_told):  # these alone may be read: see `_has_none`
            may_fit = []
            to_name: list[DocumentRecord] = []
            fits_asked = record_test(scope, asked, one.spec)
            try:
                async for page in _pages(one):
                    seen = {each: matches_record(may_see, each, one.spec) for each in page}
                    fits = [
                        (record, fits_asked(record))
                        for record, may in seen.items()
                        if may is not False  # the notice depends on no document of others
                    ]
                    if not is_told and any(fit and record.chunks for record, fit in fits):
                        return None
                    may_fit += [record for record, fit in fits if fit is not False]
                    to_name += [record for record, may in seen.items() if may and named]
            except PinciteError:
                if is_told:
                    continue
                return None
            known |= await _to_be_named(one, to_name, asked, apart=apart)
        if is_told:
            continue
        if apart:
            nothing = await _has_none(one, asked, may_fit or (), may_see)
        else:
            nothing = await _is_out_of_scope(one, asked, may_fit)
        if not nothing:
            return None
    return known


async def _to_be_named(
    one: Searchable, records: Iterable[DocumentRecord], asked: Filter, *, apart: bool
) -> Known:
    """Those of the readable documents that the attributes of the filter let be named."""
    own = one.spec.attributes
    of_attributes = Filter(
        must=tuple(each for each in asked.must if isinstance(each, Ids) or each.field in own)
    )
    known: Known = {}
    for number, record in enumerate(records, start=1):
        may = fits_document(record, of_attributes)
        if may or (may is None and not apart):
            known[record] = one
        if number % _AT_ONCE == 0:
            await asyncio.sleep(0)  # the time may be over
    return known


async def _pages(one: Searchable) -> AsyncIterator[Sequence[DocumentRecord]]:
    """The documents of a collection, some at a time: the first may answer the question. Other
    tasks, and the end of the time, come in between."""
    name, index = one.spec.name, one.index
    after: tuple[str, str] | None = None
    if not isinstance(index, Paged):  # a collection of another program
        yield await index.documents(name)
        return
    while page := await index.documents_after(name, None, after, _AT_ONCE):
        yield page
        after = (page[-1].source, page[-1].path)
        if len(page) < _AT_ONCE:
            return
        await asyncio.sleep(0)


async def _has_none(
    one: Searchable, asked: Filter, may_fit: Sequence[DocumentRecord], may_see: Filter
) -> bool:
    """Does no chunk of these documents fit? False where it is too much to look at. Documents whose
    chunks alone know whether they may be seen are read, too. Only what may be seen counts as too
    much, so that the answer depends on nothing else, unless the time is over."""
    seen = [record for record in may_fit if matches_record(may_see, record, one.spec)]
    if _is_too_much(len(seen), sum(record.chunks for record in seen)):
        return False
    documents = total = 0
    for record in may_fit:
        await asyncio.sleep(0)  # the time may be over
        try:
            chunks = await one.index.document(one.spec.name, record.source, record.path)
        except PinciteError:
            return False
        if any(matches(asked, record.revision, chunk) for chunk in chunks):
            return False
        visible = sum(matches(may_see, record.revision, chunk) for chunk in chunks)
        documents, total = documents + bool(visible), total + visible
        if _is_too_much(documents, total):
            return False
    return True


def _is_too_much(documents: int, chunks: int) -> bool:
    return documents > _MOST_READ or chunks > _PAGE * _MOST_PAGES


async def _is_out_of_scope(
    one: Searchable, asked: Filter, may_fit: Sequence[DocumentRecord] | None
) -> bool:
    """Does nothing in the collection fit? False where it is too much to look at. Only these
    documents may fit, if that was asked."""
    open_ = {(record.source, record.path): record.revision for record in may_fit or ()}
    after: str | None = None
    for _ in range(_MOST_PAGES):
        if may_fit is not None and not open_:
            return True
        try:
            chunks = await one.index.page(one.spec.name, after, _PAGE)
        except PinciteError:
            return False
        if not chunks:
            return True
        for chunk in chunks:
            revision = "" if may_fit is None else open_.get((chunk.repo, chunk.path))
            if revision is not None and matches(asked, revision, chunk):
                return False
        after = chunks[-1].id
    return False


def _restricts(scope: Scope) -> bool:
    listed = scope.sources or scope.kinds or scope.paths or scope.not_paths
    filtered = scope.where.strip() or scope.bound_where.strip()
    return bool(listed or scope.ref or filtered or scope.tags or scope.bounds)


def _asks_of_documents(scope: Scope, asked: Filter, one: Searchable, *, named: bool) -> bool:
    """Can a document alone say that it is not within the scope? With `named` only by what has a
    name that may have been meant instead."""
    if one.foreign or scope.sources or scope.kinds or scope.paths or scope.not_paths or scope.ref:
        return True
    fields = {each.field for each in asked.conditions if not isinstance(each, Ids)}
    return not fields.isdisjoint(OF_RECORD) or not (named or fields.isdisjoint(one.spec.attributes))
