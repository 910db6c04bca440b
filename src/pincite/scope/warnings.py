"""Restrict the warnings of a search to what its caller may read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from pincite.model import Notice, Omitted, Scope
from pincite.scope.unshown import without_names
from pincite.support.fields import replace

_FAILED: Final = "collection_failed"
#: Codes of warnings that hold even if nothing was searched.
_OF_NO_SEARCH: Final = ("query_cut", _FAILED, "nothing_in_scope")
#: Codes of warnings that quote an error, which may name its collection.
_QUOTING: Final = (
    "budget_no_vectors",
    "context_unavailable",
    "dense_unavailable",
    "probe_unavailable",
    "subquery_unavailable",
)
_UNCHECKED: Final = "its passages were not checked: see `pincite status`"
#: Messages for a bound caller, without the name and the place of a source.
_OF_A_SOURCE: Final[Mapping[str, str]] = {
    "archive_unchecked": f"an archive is too large to be read with each search: {_UNCHECKED}",
    "file_unreadable": f"a file of a source cannot be read: {_UNCHECKED}",
    "secrets_masked": "stars in passages replace text that looks like a secret; the files have the"
    " original text",
    "source_gone": f"the files of a source are not available: {_UNCHECKED}",
    "source_not_answering": f"a source does not respond: {_UNCHECKED}",
}


def warnings_of(
    notices: Sequence[Notice], scope: Scope, *, searched: bool = True
) -> tuple[Notice, ...]:
    """Return the notices, each once. If nothing was `searched`, notices about how the search was
    done are left out. Messages that may name an unshown collection, or a source and its place, are
    replaced by general ones."""
    kept = (one for one in notices if searched or one.code in _OF_NO_SEARCH)
    return tuple(dict.fromkeys(_shown(one, scope) for one in kept))


def omitted_of(omitted: Sequence[Omitted], scope: Scope) -> tuple[Omitted, ...]:
    """Return the passages that are not shown, without their details if the caller may not know the
    places of sources; then `why` and the citation remain."""
    if not is_bound(scope):
        return tuple(omitted)
    return tuple(replace(one, detail="") for one in omitted)


def is_bound(scope: Scope) -> bool:
    """Return whether a program or a workspace restricts the caller, who is then not the owner of
    the files."""
    return bool(scope.unshown or scope.bounds or scope.bound_where)


def _shown(notice: Notice, scope: Scope) -> Notice:
    said = notice.message
    if is_bound(scope):
        said = _OF_A_SOURCE.get(notice.code, said)
    if "collections" in scope.unshown and notice.code == _FAILED:
        said = f"{scope.called('')} was left out, because it failed: see `pincite status`"
    elif notice.code in _QUOTING:
        said = without_names(said, scope)
    return notice if said == notice.message else replace(notice, message=said)
