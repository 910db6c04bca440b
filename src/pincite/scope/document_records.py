"""Compare documents with a scope by what the catalog says of them, without their chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from pincite.model import CollectionSpec, DocumentRecord, Scope
from pincite.ports import Condition, Filter, Ids
from pincite.ports.predicate import holds_of
from pincite.scope.bound_where import bound_filter
from pincite.scope.filter import scope_test
from pincite.scope.schema import for_collection
from pincite.scope.where import Schema

#: What a record says of its chunks, by the names that filters have for it.
OF_RECORD: Final = {
    "path": "path",
    "repo": "source",
    "revision": "revision",
    "source_type": "source_type",
}
_LISTED: Final = ("sources", "kinds")


def bound_test(
    scope: Scope, schema: Schema, spec: CollectionSpec
) -> Callable[[DocumentRecord], bool | None] | None:
    """Return the test whether a document is within `bound_where` and the unshown sources and kinds
    of the scope, None without these. It returns None if only the chunks of the document know.
    Raises UsageError for an invalid filter."""
    hidden = {name: getattr(scope, name) for name in _LISTED if name in scope.unshown}
    if not (scope.bound_where or hidden):
        return None
    within = for_collection(bound_filter(scope, schema), spec)
    return record_test(Scope(**hidden), within, spec)


def record_test(
    scope: Scope, asked: Filter, spec: CollectionSpec
) -> Callable[[DocumentRecord], bool | None]:
    """Return the test whether a document matches the lists of the scope (sources, kinds, paths and
    the like) and the filter `asked`. It returns None if only the chunks of the document know.
    Raises UsageError."""
    in_scope = scope_test(scope, spec)

    def fits(record: DocumentRecord) -> bool | None:
        if scope.sources and record.source not in scope.sources:
            return False
        if scope.kinds and record.source_type not in scope.kinds:
            return False
        held = matches_record(asked, record, spec)
        return False if held is False or not in_scope(record) else held

    return fits


def matches_record(filter_: Filter, record: DocumentRecord, spec: CollectionSpec) -> bool | None:
    """Return whether the filter matches all chunks of this document, or none of them. None if its
    record does not tell, because only its chunks know, such as their symbols."""
    must = _all(_holds(one, record, spec) for one in filter_.must)
    if must is False:
        return False
    none_of = _not(_any(_holds(one, record, spec) for one in filter_.must_not))
    some_of = _any(_holds(one, record, spec) for one in filter_.should) if filter_.should else True
    return _all((must, none_of, some_of))


def asks_of_passages(filter_: Filter, spec: CollectionSpec) -> bool:
    """Return whether the filter asks for what differs between passages of one document, such as
    their text. An attribute that differs counts as one of the document."""
    known = OF_RECORD.keys() | spec.attributes.keys()
    return any(isinstance(one, Ids) or one.field not in known for one in filter_.conditions)


def within_document(filter_: Filter) -> Filter:
    """Return the filter without conditions on the revision, for chunks of a document that is known
    to have a matching one. Of `should`, the other conditions stay, if there are any."""
    if not any(_asks_of_revision(one) for one in filter_.conditions):
        return filter_
    kept = [
        tuple(one for one in some if not _asks_of_revision(one))
        for some in (filter_.must, filter_.must_not, filter_.should)
    ]
    return Filter(*kept)


def _asks_of_revision(condition: Condition) -> bool:
    return not isinstance(condition, Ids) and condition.field == "revision"


def _holds(condition: Condition, record: DocumentRecord, spec: CollectionSpec) -> bool | None:
    if isinstance(condition, Ids):
        return None if condition.ids else False
    if name := OF_RECORD.get(condition.field):
        return holds_of(condition, getattr(record, name))
    of_chunks = record.chunk_attributes.split("\n")
    if condition.field not in spec.attributes or condition.field in of_chunks:
        return None
    return holds_of(condition, record.all_attributes.get(condition.field))


def _not(held: bool | None) -> bool | None:
    return None if held is None else not held


def _all(held: Iterable[bool | None]) -> bool | None:
    unknown = False
    for one in held:
        if one is False:
            return False
        unknown = unknown or one is None
    return None if unknown else True


def _any(held: Iterable[bool | None]) -> bool | None:
    return _not(_all(map(_not, held)))
