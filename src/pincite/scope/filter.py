"""Translate a scope into the filter of one collection."""

from __future__ import annotations

from collections.abc import Sequence
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
    """The attributes of the collections, where the scope can be asked of all of them. Raises
    UsageError for a filter or a tag that cannot be, TagsRequired."""
    ours = not any(one.foreign for one in collections)
    return check_scope_of([one.spec for one in collections], scope, ours=ours)


def check_scope_of(specs: Sequence[CollectionSpec], scope: Scope, *, ours: bool = True) -> Schema:
    """As `check_scope`. An empty tag is a missing one where it is required. `ours` says that none
    of the collections is another program's, which may have languages of any name."""
    schema = schema_of(specs, scope)
    parse_where(scope.where, schema, ours=ours)
    required = {name for spec in specs for name in spec.require}
    empty = {name for name, value in scope.tags.items() if name in required and is_empty(value)}
    held = {name: value for name, value in scope.tags.items() if name not in empty}
    filter_ = given_filter(replace(scope, tags=held), schema)
    for spec in specs:
        require_tags(spec, filter_)
    if empty:  # the filter has them
        given_filter(scope, schema)
    return schema


def given_filter(scope: Scope, schema: Schema) -> Filter:
    """What a scope says by its filters, `tags` and `bounds`; languages also by the names that they
    have here, if others were given. Raises UsageError."""
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
    """Of no values nothing fits, and yet everything is known about the name that is required of a
    search."""
    return (AnyOf(name, values),) if any(values) else (AnyOf(name, (_NOBODYS,)), Ids(()))


async def scope_filter(
    collection: Searchable, scope: Scope, schema: Schema | None = None
) -> Filter:
    """The filter that lets the chunks within the scope pass. The catalog is asked which
    documents a revision and globs allow. `schema` are the attributes of all that is searched, by
    default those of the collection. Raises StoreError, and UsageError for a `where` or a tag that
    says nothing."""
    known = schema_of([collection.spec], scope) if schema is None else schema
    given = for_collection(given_filter(scope, known), collection.spec)
    must = [*given.must]
    if scope.sources:
        must.append(AnyOf("repo", scope.sources))
    if scope.kinds:
        must.append(AnyOf("source_type", scope.kinds))
    if scope.ref or scope.paths or scope.not_paths:
        records = await collection.index.documents(collection.spec.name)
        allowed = sorted({r.revision for r in records if in_scope(r, scope)})
        must.append(AnyOf("revision", tuple(allowed)))
    return Filter(must=tuple(must), must_not=given.must_not, should=given.should)


def kinds_of(scope: Scope) -> frozenset[SourceType]:
    """The kinds of sources that a scope is restricted to, all that there are for none. Raises
    UsageError."""
    kinds = frozenset(scope.kinds or get_args(SourceType))
    for condition in joined_where(scope, None).must:
        if isinstance(condition, AnyOf) and condition.field == "source_type":
            kinds &= frozenset(condition.values)
    return kinds


def of_ref(candidates: Sequence[Candidate], scope: Scope) -> tuple[Candidate, ...]:
    """The candidates of the scope's `ref`: one that was replaced since the scope was read may be of
    another by now."""
    return tuple(one for one in candidates if one.chunk.ref.startswith(scope.refs or ""))


def in_scope(record: DocumentRecord, scope: Scope) -> bool:
    """`ref` may be shortened; for `paths` and `not_paths` see `pincite.scope.paths`."""
    if scope.refs and not record.ref.startswith(scope.refs):
        return False
    if scope.paths and not path_test(scope.paths)(record.source, record.path):
        return False
    return not (scope.not_paths and path_test(scope.not_paths)(record.source, record.path))
