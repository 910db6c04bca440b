"""Find out whether a result is empty because no document is in the scope of the search.

Other documents are named only as far as the tags of the scope allow.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from pincite.errors import PinciteError
from pincite.model import AttributeValue, CollectionSpec, DocumentRecord, Notice, Ranking, Scope
from pincite.model.attributes import values_of
from pincite.model.revisions import DIRTY, is_content_ref, short_ref
from pincite.ports import AnyOf, Condition, Filter, Ids, Prefix, Searchable
from pincite.ports.predicate import holds_of, matches
from pincite.scope.bound_where import bound_filter
from pincite.scope.filter import given_filter, in_scope
from pincite.scope.near import near_names, near_paths
from pincite.scope.schema import for_collection, schema_of
from pincite.scope.tagged_index import fits_document
from pincite.scope.warnings import is_bound
from pincite.scope.where import parse_where

_SHOWN = 3
_MOST_CHARS = 200  # of a value of the scope in a message
_PAGE: Final = 256
_MOST_PAGES: Final = 8  # of chunks; all of them took 0.03 to 0.11 s, embedded
_MOST_READ: Final = 256  # documents that are read one by one; guess, unmeasured
_NAMED: Final = ("sources", "kinds")
#: Fields that all chunks of a document share, by their names in filters: the record's fields.
_OF_RECORD: Final = {
    "path": "path",
    "repo": "source",
    "revision": "revision",
    "source_type": "source_type",
}


async def unmatched(
    rankings: Iterable[Ranking], collections: Sequence[Searchable], scope: Scope
) -> tuple[Notice, ...]:
    """Return a notice if nothing was found because nothing is in the scope.

    This is the case if, in each collection, the dense side found nothing, or no document and no
    chunk matches. The dense side finds every chunk that passes the filter and has a vector.
    Documents and chunks are read only if nothing was found. There is no notice if the question
    stays open, because a collection cannot list its documents or has too many chunks to read.
    """
    found = tuple(rankings)
    if any(ranking.hits for ranking in found) or not _restricts(scope):
        return ()
    schema = schema_of((one.spec for one in collections), scope)
    given = given_filter(scope, schema)
    searched = {ranking.collection for ranking in found if ranking.signal == "dense"}
    known: list[DocumentRecord] = []
    bound = bool(scope.tags or scope.bounds)
    seen_by = Scope(tags=scope.tags, bounds=scope.bounds)
    for one in collections:
        told = one.spec.name in searched and one.embedded >= 1  # or some chunks have no vector
        asked = for_collection(given, one.spec)
        may_see = for_collection(given_filter(seen_by, schema), one.spec)
        fits: dict[DocumentRecord, bool | None] | None = None
        if _asks_of_documents(scope, asked, one, named=told):
            try:
                records = await one.index.documents(one.spec.name)
            except PinciteError:
                if told:
                    continue
                return ()
            if bound:  # so that the notice does not depend on documents that may not be read
                records = tuple(each for each in records if fits_document(each, may_see))
            seen = [(record, _of_attributes(record, asked, one.spec)) for record in records]
            within = for_collection(bound_filter(scope, schema), one.spec)
            hidden = {name: getattr(scope, name) for name in _NAMED if name in scope.unshown}
            known += [
                record
                for record, may in seen
                if (may or (may is None and not bound))
                and (
                    not (scope.bound_where or hidden)
                    or _fits(record, Scope(**hidden), within, one.spec)
                )
            ]
            fits = {record: _fits(record, scope, asked, one.spec) for record in records}
        if told:
            continue
        if not await (_has_none(one, asked, fits) if bound else _is_out_of_scope(one, asked, fits)):
            return ()
    said = f"{_words(scope)}{_instead(known, scope, parse_where(scope.where, schema))}"
    return (Notice("nothing_in_scope", f"no indexed document {said}"),)


def _undecided(fits: Mapping[DocumentRecord, bool | None]) -> list[DocumentRecord] | None:
    """Return the documents that may match; None if a document with a chunk does match."""
    if any(fit and record.chunks for record, fit in fits.items()):
        return None
    return [record for record, fit in fits.items() if fit is not False]


async def _has_none(
    one: Searchable, asked: Filter, fits: Mapping[DocumentRecord, bool | None] | None
) -> bool:
    """Return whether no document matches, nor a chunk of a document that may match. Only these
    documents are read, so that neither the result nor its time depends on others. False if there is
    too much to read."""
    open_ = None if fits is None else _undecided(fits)
    if open_ is None or len(open_) > _MOST_READ:
        return False
    if sum(record.chunks for record in open_) > _PAGE * _MOST_PAGES:
        return False
    for record in open_:
        try:
            chunks = await one.index.document(one.spec.name, record.source, record.path)
        except PinciteError:
            return False
        if any(matches(asked, record.revision, chunk) for chunk in chunks):
            return False
    return True


async def _is_out_of_scope(
    one: Searchable, asked: Filter, fits: Mapping[DocumentRecord, bool | None] | None
) -> bool:
    """Return whether nothing in the collection matches. False if there is too much to read. `fits`
    has the documents that match, if these were read."""
    undecided = _undecided(fits or {})
    if undecided is None:
        return False
    open_ = {(record.source, record.path): record.revision for record in undecided}
    after: str | None = None
    for _ in range(_MOST_PAGES):
        if fits is not None and not open_:
            return True
        try:
            chunks = await one.index.page(one.spec.name, after, _PAGE)
        except PinciteError:
            return False
        if not chunks:
            return True
        for chunk in chunks:
            revision = "" if fits is None else open_.get((chunk.repo, chunk.path))
            if revision is not None and matches(asked, revision, chunk):
                return False
        after = chunks[-1].id
    return False


def _of_attributes(record: DocumentRecord, asked: Filter, spec: CollectionSpec) -> bool | None:
    """Return whether the attributes of a document match the filter. None if its chunks have to be
    read to tell."""
    of_attributes = (
        one for one in asked.must if isinstance(one, Ids) or one.field in spec.attributes
    )
    return fits_document(record, Filter(must=tuple(of_attributes)))


def _restricts(scope: Scope) -> bool:
    listed = scope.sources or scope.kinds or scope.paths or scope.not_paths
    filtered = scope.where.strip() or scope.bound_where.strip()
    return bool(listed or scope.ref or filtered or scope.tags or scope.bounds)


def _asks_of_documents(scope: Scope, asked: Filter, one: Searchable, *, named: bool) -> bool:
    """Return whether a document's record can tell that it is not in the scope. With `named`, only
    conditions on names count, because another name may have been meant."""
    if one.foreign or scope.sources or scope.kinds or scope.paths or scope.not_paths or scope.ref:
        return True
    fields = {each.field for each in asked.conditions if not isinstance(each, Ids)}
    return not fields.isdisjoint(_OF_RECORD) or not (
        named or fields.isdisjoint(one.spec.attributes)
    )


def _fits(record: DocumentRecord, scope: Scope, asked: Filter, spec: CollectionSpec) -> bool | None:
    """Return whether a document is in the scope. None if its chunks have to be read to tell."""
    if scope.sources and record.source not in scope.sources:
        return False
    if scope.kinds and record.source_type not in scope.kinds:
        return False
    must = [_holds(one, record, spec) for one in asked.must]
    must_not = [_holds(one, record, spec) for one in asked.must_not]
    should = [_holds(one, record, spec) for one in asked.should] or [True]
    if False in must or True in must_not or not any(one is not False for one in should):
        return False
    if not in_scope(record, scope):
        return False
    return None if None in (*must, *must_not) or True not in should else True


def _holds(condition: Condition, record: DocumentRecord, spec: CollectionSpec) -> bool | None:
    """Return whether a document matches a condition. None if its record does not tell."""
    if isinstance(condition, Ids):
        return None if condition.ids else False
    if name := _OF_RECORD.get(condition.field):
        return holds_of(condition, getattr(record, name))
    of_chunks = record.chunk_attributes.split("\n")
    if condition.field not in spec.attributes or condition.field in of_chunks:
        return None
    return holds_of(condition, record.all_attributes.get(condition.field))


def _words(scope: Scope) -> str:
    """Describe the scope by the names of its arguments. Values that only a program sets are left
    out: `bound_where`, `unshown` fields, and the sources if there are bounds."""
    given: dict[str, object] = {
        "sources": [] if scope.bounds else [*scope.sources],
        "kinds": [*scope.kinds],
        "paths": [*scope.paths],
        "not_paths": [*scope.not_paths],
        "ref": scope.ref,
        "tags": {
            name: _plain(value)
            for name, value in sorted(scope.tags.items())
            if name not in scope.unshown_tags
        },
        "where": scope.where.strip(),
    }
    said = ", ".join(
        f"{name}={_short(value)}"
        for name, value in given.items()
        if value and name not in scope.unshown
    )
    if not is_bound(scope):
        return f"matches {said}"
    return f"that may be searched matches {said}" if said else "is within what may be searched"


def _plain(value: AttributeValue) -> object:
    found = values_of(value)
    return found[0] if len(found) == 1 else [*found]


def _short(value: object) -> str:
    said = repr(value)
    return said if len(said) <= _MOST_CHARS else f"{said[:_MOST_CHARS]}..."


def _revisions(known: Sequence[DocumentRecord], scope: Scope) -> str:
    """Describe the commits that the `ref` names, and the indexed revisions of the sources."""
    commits = ", ".join(map(short_ref, scope.commits))
    said = f"; {_short(scope.ref)} is commit {commits}, which is not indexed" if commits else ""
    indexed = {
        f"{record.source} at {short_ref(record.ref.partition(DIRTY)[0])}"
        for record in known
        if not is_content_ref(record.ref)
        and (scope.bounds or not scope.sources or record.source in scope.sources)
    }
    if not indexed:
        return f"{said}; no revision is indexed"
    first = sorted(indexed)[:_SHOWN]
    more = f" and {len(indexed) - len(first)} more" if len(indexed) > len(first) else ""
    return f"{said}; indexed: {', '.join(first)}{more}"


def _instead(known: Sequence[DocumentRecord], scope: Scope, given: Filter) -> str:
    """Describe what may have been meant instead: other sources, revisions or kinds, otherwise
    similar paths."""
    sources = sorted({record.source for record in known})
    named = () if scope.bounds or "sources" in scope.unshown else scope.sources
    if named and not set(named) & set(sources):
        near = near_names(named, sources, _SHOWN) or sources[:_SHOWN]
        rest = f" and {len(sources) - len(near)} more" if len(sources) > len(near) else ""
        return f"; the sources are {', '.join(near)}{rest}" if near else "; no source is indexed"
    if scope.refs and not any(record.ref.startswith(scope.refs) for record in known):
        return _revisions(known, scope)
    kinds = sorted({record.source_type for record in known})
    asked = () if "kinds" in scope.unshown else scope.kinds
    if kinds and asked and not set(asked) & set(kinds):
        return f"; the indexed files are of the kinds {', '.join(kinds)}"
    globs = [*scope.paths]
    for one in given.conditions:
        match one:
            case Prefix(field="path"):
                globs.append(f"{one.prefix}*")
            case AnyOf(field="path"):
                globs += one.values
    if not globs or not known:
        return ""
    fitting = sum(in_scope(record, Scope(paths=scope.paths)) for record in known)
    if scope.paths and fitting:
        return f"; {fitting:,} match the paths alone"
    if near := near_paths(globs, (record.path for record in known), _SHOWN):
        return f"; near: {', '.join(near)}"
    first = ", ".join(sorted({record.path for record in known})[:_SHOWN])
    return f"; paths count from the root of a source or checkout, such as {first}"
