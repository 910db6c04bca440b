"""List files and folders that the user has named, though the listing around them leaves them
out."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

from pincite.sources.entries import NAME_IS_NO_TEXT, Entry, Selection, Skipped
from pincite.support.ignore_rules import parse_rules

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def admits(selection: Selection, path: str) -> bool:
    """Return whether the include and exclude patterns of a selection admit a path. Ignore files and
    hidden names are not considered. A folder's path ends in a slash."""
    exclude, include = parse_rules("", selection.exclude), parse_rules("", selection.include)
    if exclude is not None and exclude.covers(path):
        return False
    return include is None or path.endswith("/") or include.covers(path)


def with_named(
    listed: Iterator[Entry | Skipped], named: Sequence[Iterator[Entry | Skipped]]
) -> Iterator[Entry | Skipped]:
    """Yield a listing together with the entries of named parts, in the order of paths. Entries of
    named parts replace listed ones of the same path. An entry whose name is not valid UTF-8 stays:
    its shown path may be that of another file."""
    theirs = {one.path: one for part in named for one in part}
    rest = (one for one in listed if one.path not in theirs or _is_shown_as(one))
    yield from heapq.merge(rest, map(theirs.__getitem__, sorted(theirs)), key=lambda one: one.path)


def _is_shown_as(one: Entry | Skipped) -> bool:
    return isinstance(one, Skipped) and one.detail == NAME_IS_NO_TEXT
