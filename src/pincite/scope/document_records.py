"""Compare documents with a scope by what the catalog says of them, without their chunks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from pincite.model import CollectionSpec, DocumentRecord, Scope
from pincite.ports import Condition, Filter, Ids
from pincite.ports.predicate import holds_of
from pincite.scope.bound_where import bound_filter
from pincite.scope.filter import in_scope
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
    return partial(fits_record, scope=Scope(**hidden), asked=within, spec=spec)


def fits_record(
    record: DocumentRecord, scope: Scope, asked: Filter, spec: CollectionSpec
) -> bool | None:
    """Return whether a document matches the lists of the scope (sources, kinds, paths and the like)
    and the filter `asked`. None if only its chunks know."""
    if scope.sources and record.source not in scope.sources:
        return False
    if scope.kinds and record.source_type not in scope.kinds:
        return False
    must: list[bool | None] = []
    for one in asked.must:
        must.append(_holds(one, record, spec))
        if must[-1] is False:
            return False
    must_not = [_holds(one, record, spec) for one in asked.must_not]
    should = [_holds(one, record, spec) for one in asked.should] or [True]
    if True in must_not or not any(one is not False for one in should):
        return False
    if not in_scope(record, scope):
        return False
    return None if None in (*must, *must_not) or True not in should else True


def _holds(condition: Condition, record: DocumentRecord, spec: CollectionSpec) -> bool | None:
    """None for what a record does not say."""
    if isinstance(condition, Ids):
        return None if condition.ids else False
    if name := OF_RECORD.get(condition.field):
        return holds_of(condition, getattr(record, name))
    of_chunks = record.chunk_attributes.split("\n")
    if condition.field not in spec.attributes or condition.field in of_chunks:
        return None
    return holds_of(condition, record.all_attributes.get(condition.field))
