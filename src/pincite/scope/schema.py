"""The attributes of what is searched, and what a filter on them means for one collection."""

from __future__ import annotations

from collections.abc import Iterable

from pincite.errors import UsageError
from pincite.model import CollectionSpec
from pincite.ports import (
    FILTER_FIELDS,
    NUMBER_FIELDS,
    TEXT_FIELDS,
    Condition,
    Filter,
    Ids,
)
from pincite.scope.where import Schema
from pincite.support.fields import replace

_OWN = frozenset((*FILTER_FIELDS, *NUMBER_FIELDS, *TEXT_FIELDS))
_NOTHING = Ids(())


def schema_of(specs: Iterable[CollectionSpec]) -> Schema:
    """Names and types of all attributes, sorted. Raises UsageError for a name that is of two types
    in two collections."""
    found: dict[str, CollectionSpec] = {}
    for spec in specs:
        for name, kind in spec.attributes.items():
            other = found.setdefault(name, spec)
            if other.attributes[name] != kind:
                raise UsageError(
                    f"the attribute {name!r} has the type {other.attributes[name]} in"
                    f" {other.public_name!r} and {kind} in {spec.public_name!r}: these"
                    " collections cannot be searched together",
                    hint=f"search one of them: -c {spec.public_name}",
                )
    return tuple(sorted((name, spec.attributes[name]) for name, spec in found.items()))


def for_collection(filter_: Filter, spec: CollectionSpec) -> Filter:
    """The filter as this collection understands it: an attribute that it does not know has no
    value, so nothing fits."""
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
