"""Why a search within a scope found nothing at all: perhaps nothing is in that scope.

What there is instead is named only as far as the tags let it be seen.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pincite.errors import PinciteError
from pincite.model import AttributeValue, CollectionSpec, DocumentRecord, Notice, Ranking, Scope
from pincite.model.attributes import values_of
from pincite.ports import AnyOf, Condition, Exists, Filter, Ids, Prefix, Searchable
from pincite.scope.filter import given_filter, in_scope, kinds_of
from pincite.scope.near import near_names, near_paths
from pincite.scope.reading import fits_document
from pincite.scope.schema import for_collection, schema_of

_SHOWN = 3
_MOST_CHARS = 200  # of what was asked for, as it is said
_OF_DOCUMENTS = ("path", "repo", "revision")


async def unmatched(
    rankings: Iterable[Ranking], collections: Sequence[Searchable], scope: Scope
) -> tuple[Notice, ...]:
    """A notice if nothing was found because the scope matches nothing: no document of any
    collection fits, or a dense side, which finds whatever passes, found nothing. Documents are
    asked for in that case alone; a collection that cannot say what it has is left to its dense
    side."""
    found = tuple(rankings)
    if any(ranking.hits for ranking in found) or not _restricts(scope):
        return ()
    schema = schema_of((one.spec for one in collections), scope)
    given = given_filter(scope, schema)
    searched = {ranking.collection for ranking in found if ranking.signal == "dense"}
    known: list[DocumentRecord] = []
    of_documents = _asks_of_documents(scope, given)
    for one in collections:
        if not (of_documents or one.foreign):
            if one.kinds and one.spec.name not in searched:
                return ()
            continue
        try:
            records = await one.index.documents(one.spec.name)
        except PinciteError:
            records = ()
            if one.spec.name not in searched:
                return ()
        asked = for_collection(given, one.spec)
        told = [(record, _of_attributes(record, asked, one.spec)) for record in records]
        # with tags nothing is named of which they do not say that it may be seen
        bound = scope.tags or scope.bounds
        known += [record for record, fits in told if fits or (fits is None and not bound)]
        records = tuple(record for record, fits in told if fits is not False)
        fitting = any(_fits(record, scope, asked) for record in records)
        if fitting and kinds_of(scope) & one.kinds and one.spec.name not in searched:
            return ()
    said = f"no indexed document matches {_words(scope)}"
    return (Notice("nothing_in_scope", f"{said}{_instead(known, scope, given)}"),)


def _of_attributes(record: DocumentRecord, asked: Filter, spec: CollectionSpec) -> bool | None:
    """Do its attributes say that it is what was asked for? None where only its chunks know."""
    of_attributes = (
        one for one in asked.must if isinstance(one, Ids) or one.field in spec.attributes
    )
    return fits_document(record, Filter(must=tuple(of_attributes)))


def _restricts(scope: Scope) -> bool:
    listed = scope.sources or scope.kinds or scope.paths or scope.not_paths
    return bool(listed or scope.ref or scope.where.strip() or scope.tags or scope.bounds)


def _asks_of_documents(scope: Scope, given: Filter) -> bool:
    """Can a document alone say that it is not within the scope?"""
    listed = scope.sources or scope.kinds or scope.paths or scope.not_paths or scope.ref
    return bool(listed) or any(
        isinstance(one, AnyOf | Prefix | Exists) and one.field in _OF_DOCUMENTS
        for one in given.conditions
    )


def _fits(record: DocumentRecord, scope: Scope, given: Filter) -> bool:
    """Unless what is known of a document says no."""
    if scope.sources and record.source not in scope.sources:
        return False
    return (
        in_scope(record, scope)
        and all(_holds(one, record) is not False for one in given.must)
        and not any(_holds(one, record) for one in given.must_not)
        and (not given.should or any(_holds(one, record) is not False for one in given.should))
    )


def _holds(condition: Condition, record: DocumentRecord) -> bool | None:
    """None for what a record does not say."""
    of_record = {"path": record.path, "repo": record.source, "revision": record.revision}
    if not isinstance(condition, AnyOf | Prefix | Exists) or condition.field not in of_record:
        return None
    value = of_record[condition.field]
    match condition:
        case AnyOf():
            return value in condition.values
        case Prefix():
            return value.startswith(condition.prefix)
        case Exists():
            return True


def _words(scope: Scope) -> str:
    """What was asked for, by the names that callers use."""
    given: dict[str, object] = {
        "sources": [*scope.sources],
        "kinds": [*scope.kinds],
        "paths": [*scope.paths],
        "not_paths": [*scope.not_paths],
        "ref": scope.ref,
        "tags": {name: _plain(value) for name, value in sorted(scope.tags.items())},
        "where": scope.where.strip(),
    }
    said = ", ".join(f"{name}={_short(value)}" for name, value in given.items() if value)
    return said or "what may be searched"  # its bounds were given by no caller


def _plain(value: AttributeValue) -> object:
    found = values_of(value)
    return found[0] if len(found) == 1 else [*found]


def _short(value: object) -> str:
    said = repr(value)
    return said if len(said) <= _MOST_CHARS else f"{said[:_MOST_CHARS]}..."


def _instead(known: Sequence[DocumentRecord], scope: Scope, given: Filter) -> str:
    """What there is that may have been meant: of the sources, of the kinds, else of the paths."""
    sources = sorted({record.source for record in known})
    if scope.sources and not set(scope.sources) & set(sources):
        near = near_names(scope.sources, sources, _SHOWN) or sources[:_SHOWN]
        rest = f" and {len(sources) - len(near)} more" if len(sources) > len(near) else ""
        return f"; the sources are {', '.join(near)}{rest}" if near else "; no source is indexed"
    kinds = sorted({record.source_type for record in known})
    if kinds and scope.kinds and not set(scope.kinds) & set(kinds):
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
