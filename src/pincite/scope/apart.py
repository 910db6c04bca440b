"""Whether a caller must not learn of some documents in the collections that it searches."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pincite.model import CollectionSpec, Scope
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


def readable(scope: Scope, specs: Iterable[CollectionSpec]) -> Scope:
    """Return the scope of all that its caller may read: without the paths, revisions, kinds,
    sources and `where` with which the caller asks for a part of it.

    Kinds and sources that a program sets are unshown. A `where` stays if a collection (of `specs`)
    requires attributes, and sources stay beside bounds."""
    kept = frozenset(scope.unshown)
    return replace(
        scope,
        paths=(),
        not_paths=(),
        ref=None,
        commits=(),
        kinds=scope.kinds if "kinds" in kept else (),
        sources=scope.sources if "sources" in kept or scope.bounds else (),
        where=scope.where if any(spec.require for spec in specs) else "",
    )
