"""The warnings of a search that its caller may read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pincite.model import Notice, Scope
from pincite.support.fields import replace

_FAILED: Final = "collection_failed"
#: Codes of warnings that hold even if nothing was searched.
_OF_NO_SEARCH: Final = ("query_cut", _FAILED, "nothing_in_scope")


def warnings_of(
    notices: Sequence[Notice], scope: Scope, *, searched: bool = True
) -> tuple[Notice, ...]:
    """Return the notices, equal ones once. Without `searched` those of how it was searched are left
    out. If the collections are unshown, the message of one that failed is replaced: its error may
    name it."""
    kept = [one for one in notices if searched or one.code in _OF_NO_SEARCH]
    if "collections" in scope.unshown:
        said = f"{scope.called('')} was left out, because it failed: see `pincite status`"
        kept = [replace(one, message=said) if one.code == _FAILED else one for one in kept]
    return tuple(dict.fromkeys(kept))
