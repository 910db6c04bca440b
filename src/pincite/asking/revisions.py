"""Find the commits that the name of a revision means in the checkouts of this machine.

A tag, a branch or `HEAD` names another commit in each checkout. Only files of the repositories are
read; no program of a repository runs
([0006](../../../docs/decisions/0006-untrusted-repositories.md)).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from threading import Event

from pincite.model import Scope, SourceRecord
from pincite.sources.git import commit_named
from pincite.support.fields import replace
from pincite.support.machine import this_machine
from pincite.support.processes.spare_threads import SpareThreads

_LIMIT_S = 2.0  # guess, unmeasured: a large `packed-refs` takes 0.1 s
_ABBREVIATED = re.compile(r"[0-9a-f]{4,64}")
_THREADS = SpareThreads("pincite-revisions")
#: Reads that did not end in time, by their folders, so that no more threads wait for such a disk.
_LATE: dict[tuple[str, ...], Event] = {}


def names_commit(scope: Scope) -> bool:
    """Return whether the `ref` of a scope may be a name whose commits are not known yet."""
    return bool(scope.ref) and not scope.commits


async def find_commits(scope: Scope, records: Iterable[SourceRecord]) -> Scope:
    """Return the scope with the commits that its `ref` names in the checkouts among these sources.
    It is unchanged if the `ref` is no name there or is an indexed revision, and if a disk does not
    respond."""
    within = [one for one in records if not scope.sources or one.source.name in scope.sources]
    ref, indexed = scope.ref or "", [one.source.ref or "" for one in within]
    if _ABBREVIATED.fullmatch(ref) and any(one.startswith(ref) for one in indexed):
        return scope
    here = this_machine()
    git = (one for one in within if one.source.kind == "git" and one.machine in ("", here))
    commits = await _commits(tuple(sorted({one.source.location for one in git})), ref)
    if not commits:
        return scope
    same = [ref] if ref in indexed else []  # a source was indexed with this name as its revision
    return replace(scope, commits=tuple(dict.fromkeys((*same, *commits))))


async def _commits(places: tuple[str, ...], name: str) -> list[str]:
    """Return the commits that a name means in these checkouts, or none if they are not found in
    time."""
    late = _LATE.get(places)
    if not places or (late is not None and not late.is_set()):
        return []
    ended = Event()

    def read() -> list[str]:
        try:
            return [found for place in places if (found := commit_named(Path(place), name))]
        finally:
            ended.set()

    try:
        return await _THREADS.result(read, _LIMIT_S)
    except (OSError, ValueError):  # an invalid path, or the time limit
        _LATE[places] = ended
        return []
