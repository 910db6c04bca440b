"""Whether a caller must not learn of some documents in the collections that it searches, and which
of them it may read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pincite.model import CollectionSpec, Scope
from pincite.ports import Filter
from pincite.scope.filter import filter_of, given_filter
from pincite.scope.required import missing_names, pinning
from pincite.scope.where import Schema
from pincite.support.fields import replace

#: The documents of collections that are not searched cannot matter.
_CHOOSES: Final = "collections"


def is_apart(scope: Scope, specs: Iterable[CollectionSpec], *, checked: bool = False) -> bool:
    """Return whether the searched collections may have documents of others, of which the caller
    must not learn. Then nothing that the caller is told may depend on these documents, except for
    scores, which depend on the word statistics of whole collections.

    So it is with tags, with any part of the scope that a program or a workspace sets, if a
    collection (of `specs`) requires attributes, and if the documents are `checked` while a search
    runs (`Deps.admit`). A choice of collections alone hides no document of those."""
    restricts = scope.tags or scope.bounds or scope.bound_where or {*scope.unshown} - {_CHOOSES}
    return checked or bool(restricts) or any(spec.require for spec in specs)


def readable_filter(spec: CollectionSpec, scope: Scope, schema: Schema) -> Filter:
    """Return the filter of a collection for all that the caller may read of it, whatever part the
    caller asks for: without paths, revisions, kinds, sources and `where`. No document is listed.

    Kinds and sources that a program sets are unshown, and sources stay beside bounds. Of `where`,
    the conditions stay that fix attributes which the collection requires and nothing else fixes.
    Raises UsageError."""
    kept = frozenset(scope.unshown)
    whole = Scope(
        kinds=scope.kinds if "kinds" in kept else (),
        sources=scope.sources if "sources" in kept or scope.bounds else (),
        tags=scope.tags,
        bounds=scope.bounds,
        bound_where=scope.bound_where,
        unshown=scope.unshown,
    )
    given = filter_of(spec, whole, schema)
    if not (missing := missing_names(spec, given)):
        return given
    asked = given_filter(Scope(where=scope.where), schema)
    return replace(given, must=(*given.must, *pinning(missing, asked)))
