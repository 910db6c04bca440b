"""The attribute types of the searched collections, and filters adapted to each of them."""

from __future__ import annotations

from collections.abc import Iterable

from pincite.errors import UsageError
from pincite.model import CollectionSpec, Scope
from pincite.ports import (
    FILTER_FIELDS,
    NUMBER_FIELDS,
    TEXT_FIELDS,
    Condition,
    Filter,
    Ids,
)
from pincite.scope.bound_where import bound_filter, refused_bound
from pincite.scope.where import Schema, parse_where
from pincite.support.fields import replace

_OWN = frozenset((*FILTER_FIELDS, *NUMBER_FIELDS, *TEXT_FIELDS))
_NOTHING = Ids(())


def schema_of(specs: Iterable[CollectionSpec], scope: Scope) -> Schema:
    """Return the names and types of the attributes that the scope can filter by, sorted. Names that
    have two types in different collections are left out. Raises UsageError if the scope filters by
    one of these."""
    found: dict[str, CollectionSpec] = {}
    clashes: dict[str, CollectionSpec] = {}
    for spec in specs:
        for name, kind in spec.attributes.items():
            if found.setdefault(name, spec).attributes[name] != kind:
                clashes.setdefault(name, spec)
    own, all_ = _asked(scope) if clashes else (frozenset(), frozenset())
    for name in sorted(clashes.keys() & all_):
        if name not in own:
            raise refused_bound()
        one, other = found[name], clashes[name]
        raise UsageError(
            f"the attribute {name!r} has the type {one.attributes[name]} in {one.public_name!r}"
            f" and {other.attributes[name]} in {other.public_name!r}: one search cannot filter"
            " both by it",
            hint=f"search one of them: -c {other.public_name}",
        )
    known = ((name, spec.attributes[name]) for name, spec in found.items() if name not in clashes)
    return tuple(sorted(known))


def _asked(scope: Scope) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names that a scope has conditions on: first without those of a program's
    conditions, then all. Raises UsageError for an invalid filter."""
    own = {*_fields(parse_where(scope.where, None)), *scope.bounds}
    bound = {*_fields(bound_filter(scope, None)), *scope.unshown_tags}
    own |= scope.tags.keys() - scope.unshown_tags.keys()
    return frozenset(own), frozenset(own | bound)


def _fields(filter_: Filter) -> Iterable[str]:
    return (one.field for one in filter_.conditions if not isinstance(one, Ids))


def for_collection(filter_: Filter, spec: CollectionSpec) -> Filter:
    """Return the filter adapted to this collection. An attribute that the collection does not know
    has no value, so a condition on it never matches."""
    if all(_known(one, spec) for one in filter_.conditions):
        return filter_
    should = tuple(one for one in filter_.should if _known(one, spec))
    return replace(
        filter_,
        must=tuple(one if _known(one, spec) else _NOTHING for one in filter_.must),
        should=should or ((_NOTHING,) if filter_.should else ()),
        must_not=tuple(one for one in filter_.must_not if _known(one, spec)),
    )


def _known(condition: Condition, spec: CollectionSpec) -> bool:
    if isinstance(condition, Ids):
        return True
    return condition.field in _OWN or condition.field in spec.attributes
