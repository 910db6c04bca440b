"""Translate a scope into the filter of one collection."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import get_args

from pincite.errors import UsageError
from pincite.model import Candidate, CollectionSpec, DocumentRecord, Scope, SourceType
from pincite.model.attributes import values_of
from pincite.ports import AnyOf, Condition, Filter, Ids, Searchable
from pincite.scope.bound_where import joined_where, refused_bound
from pincite.scope.paths import path_test
from pincite.scope.required import require_tags
from pincite.scope.schema import for_collection, schema_of
from pincite.scope.tags import is_empty, tag_conditions
from pincite.scope.where import Schema, parse_where
from pincite.support.fields import replace

_NOBODYS = "\0"


def check_scope(collections: Sequence[Searchable], scope: Scope) -> Schema:
    """Return the attributes of the collections, after checking that the scope is valid for all of
    them. Raises UsageError for an invalid filter or tag, TagsRequired for a missing one."""
    ours = not any(one.foreign for one in collections)
    return check_scope_of([one.spec for one in collections], scope, ours=ours)


def check_scope_of(specs: Sequence[CollectionSpec], scope: Scope, *, ours: bool = True) -> Schema:
    """Return the same as `check_scope`. An empty value of a required tag counts as a missing tag.
    `ours`: none of the collections belongs to another program, whose languages may have any
    name."""
    schema = schema_of(specs, scope)
    parse_where(scope.where, schema, ours=ours)
    required = {name for spec in specs for name in spec.require}
    empty = {name for name, value in scope.tags.items() if name in required and is_empty(value)}
    held = {name: value for name, value in scope.tags.items() if name not in empty}
    filter_ = given_filter(replace(scope, tags=held), schema)
    for spec in specs:
        require_tags(spec, filter_)
    if empty:  # an empty tag is an error, even if `where` has the attribute
        given_filter(scope, schema)
    return schema


def given_filter(scope: Scope, schema: Schema) -> Filter:
    """Return the filter of a scope's `where`, `bound_where`, `tags` and `bounds`. Languages match
    by their names in the index, too, if the filter has other names for them. Raises UsageError."""
    given = _named_here(joined_where(scope, schema))
    bounds = (
        one
        for name, value in sorted(scope.bounds.items())
        for one in _bound(name, tuple(map(str, values_of(value))))
    )
    return replace(given, must=(*given.must, *_of_tags(scope, schema), *bounds))


def _of_tags(scope: Scope, schema: Schema) -> tuple[Condition, ...]:
    unshown = scope.unshown_tags
    own = {name: one for name, one in scope.tags.items() if name not in unshown}
    given = tag_conditions(own, schema)
    try:
        return (*given, *tag_conditions(unshown, schema))
    except UsageError as error:
        raise refused_bound() from error


def _named_here(given: Filter) -> Filter:
    fields = (one.field for one in given.conditions if isinstance(one, AnyOf))
    if "language" not in fields:
        return given
    from pincite.scope.where.languages import also_called  # late: 20 ms

    def meant(conditions: tuple[Condition, ...]) -> tuple[Condition, ...]:
        return tuple(
            AnyOf(one.field, also_called(one.values))
            if isinstance(one, AnyOf) and one.field == "language"
            else one
            for one in conditions
        )

    return Filter(meant(given.must), meant(given.must_not), meant(given.should))


def _bound(name: str, values: tuple[str, ...]) -> tuple[Condition, ...]:
    """Return the conditions of one bound. Without values, nothing matches, but the attribute still
    counts as given where it is required."""
    return (AnyOf(name, values),) if any(values) else (AnyOf(name, (_NOBODYS,)), Ids(()))


async def scope_filter(
    collection: Searchable, scope: Scope, schema: Schema | None = None
) -> Filter:
    """Return the filter that the chunks within the scope match. The catalog is asked which
    documents match a revision and paths. `schema` has the attributes of all searched collections,
    by default those of this collection. Raises StoreError, and UsageError for an invalid `where` or
    tag."""
    known = schema_of([collection.spec], scope) if schema is None else schema
    given = filter_of(collection.spec, scope, known)
    if not (scope.ref or scope.paths or scope.not_paths):
        return given
    records = await collection.index.documents(collection.spec.name)
    fits = scope_test(scope, collection.spec)
    allowed = sorted({record.revision for record in records if fits(record)})
    return replace(given, must=(*given.must, AnyOf("revision", tuple(allowed))))


def filter_of(spec: CollectionSpec, scope: Scope, schema: Schema) -> Filter:
    """Return the filter of a scope for one collection, without its revision and paths, of which
    only the catalog knows the documents. Raises UsageError for an invalid `where` or tag."""
    given = for_collection(given_filter(scope, schema), spec)
    must = [*given.must]
    if scope.sources:
        must.append(AnyOf("repo", scope.sources))
    if scope.kinds:
        must.append(AnyOf("source_type", scope.kinds))
    return replace(given, must=tuple(must))


def kinds_of(scope: Scope) -> frozenset[SourceType]:
    """Return the kinds of sources that a scope is restricted to, or all kinds. Raises
    UsageError."""
    kinds = frozenset(scope.kinds or get_args(SourceType))
    for condition in joined_where(scope, None).must:
        if isinstance(condition, AnyOf) and condition.field == "source_type":
            kinds &= frozenset(condition.values)
    return kinds


def of_ref(candidates: Sequence[Candidate], scope: Scope) -> tuple[Candidate, ...]:
    """Return the candidates that have the scope's `ref`; if it has none, all of them, as the same
    tuple, by which a sweep recognises them. A candidate that was replaced after the scope was
    resolved may have another ref by now."""
    if not scope.refs:
        return tuple(candidates)
    return tuple(one for one in candidates if one.chunk.ref.startswith(scope.refs))


def scope_test(scope: Scope, spec: CollectionSpec) -> Callable[[DocumentRecord], bool]:
    """Return the test whether a document of a collection matches `ref`, `paths` and `not_paths` of
    the scope. `ref` may be abbreviated; for paths, see `pincite.scope.paths`. Raises UsageError."""
    refs = scope.refs
    within = path_test(scope.paths_in(spec.public_name)) if scope.paths else None
    without = path_test(scope.not_paths_in(spec.public_name)) if scope.not_paths else None

    def fits(record: DocumentRecord) -> bool:
        if refs and not record.ref.startswith(refs):
            return False
        if within is not None and not within(record.source, record.path):
            return False
        return without is None or not without(record.source, record.path)

    return fits
