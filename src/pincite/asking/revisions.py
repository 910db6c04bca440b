"""From the name of a commit to the commits that it means in the checkouts of this machine.

A tag, a branch or `HEAD` names another commit in each checkout. Their files are read, and nothing
of a repository runs ([0006](../../../docs/decisions/0006-untrusted-repositories.md)).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from pincite.model import Scope, SourceRecord
from pincite.sources.git import commit_named
from pincite.support.fields import replace
from pincite.support.machine import this_machine
from pincite.support.spare_threads import SpareThreads

_LIMIT_S = 2.0  # guess, unmeasured: a large `packed-refs` takes 0.1 s
_ABBREVIATED = re.compile(r"[0-9a-f]{4,64}")
_THREADS = SpareThreads("pincite-revisions")


def names_commit(scope: Scope) -> bool:
    """May the `ref` of a scope be a name whose commits are still to be found?"""
    return bool(scope.ref) and not scope.commits


async def find_commits(scope: Scope, records: Iterable[SourceRecord]) -> Scope:
    """The scope with the commits that its `ref` names in the checkouts among these sources. It has
    none if the ref is no name there, or a revision that is indexed; nor if a disk does not
    answer."""
    within = [one for one in records if not scope.sources or one.source.name in scope.sources]
    ref, indexed = scope.ref or "", [one.source.ref or "" for one in within]
    if _ABBREVIATED.fullmatch(ref) and any(one.startswith(ref) for one in indexed):
        return scope
    here = this_machine()
    places = sorted(
        {r.source.location for r in within if r.source.kind == "git" and r.machine in ("", here)}
    )

    def read() -> list[str]:
        return [found for place in places if (found := commit_named(Path(place), ref))]

    try:
        commits = await _THREADS.result(read, _LIMIT_S) if places else []
    except (OSError, ValueError):  # of a path, or none in time
        commits = []
    if not commits:
        return scope
    same = [ref] if ref in indexed else []  # the name was given to a source as its revision
    return replace(scope, commits=tuple(dict.fromkeys((*same, *commits))))
