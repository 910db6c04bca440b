"""The words of a notice that a scope matches nothing: what was asked for, and what there is."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from heapq import nsmallest
from typing import Final, TypeAlias

from pincite.errors import PinciteError
from pincite.model import AttributeValue, DocumentRecord, Scope
from pincite.model.attributes import values_of
from pincite.model.revisions import DIRTY, is_content_ref, short_ref
from pincite.ports import AnyOf, Condition, Filter, Prefix, Searchable
from pincite.scope.filter import scope_test
from pincite.scope.near import near_names, near_paths
from pincite.scope.warnings import is_bound

_SHOWN: Final = 3
_MOST_CHARS: Final = 200  # of what was asked for, as it is said
#: Documents and the collection that each is in.
Known: TypeAlias = dict[DocumentRecord, Searchable]


def has_names(scope: Scope, given: Filter) -> bool:
    """Does the scope have names, instead of which others may have been meant?"""
    listed = scope.sources or scope.kinds or scope.paths or scope.ref
    return bool(listed or any(_globs(one) for one in given.conditions))


def _globs(one: Condition) -> tuple[str, ...]:
    """The paths that a condition names."""
    match one:
        case Prefix(field="path"):
            return (f"{one.prefix}*",)
        case AnyOf(field="path"):
            return one.values
    return ()


def scope_words(scope: Scope) -> str:
    """What was asked for, by the names that callers use. Beside bounds, which no caller gives, the
    sources are none of a caller either; nor are `bound_where` and what is `unshown`."""
    given: dict[str, object] = {
        "sources": [] if scope.bounds else [*scope.sources],
        "kinds": [*scope.kinds],
        "paths": [*scope.paths],
        "not_paths": [*scope.not_paths],
        "ref": scope.ref,
        "tags": {
            name: _plain(value)
            for name, value in sorted(scope.tags.items())
            if name not in scope.unshown_tags
        },
        "where": scope.where.strip(),
    }
    said = ", ".join(
        f"{name}={_short(value)}"
        for name, value in given.items()
        if value and name not in scope.unshown
    )
    if not is_bound(scope):
        return f"matches {said}"
    return f"that may be searched matches {said}" if said else "is within what may be searched"


def _plain(value: AttributeValue) -> object:
    found = values_of(value)
    return found[0] if len(found) == 1 else [*found]


def _short(value: object) -> str:
    said = repr(value)
    return said if len(said) <= _MOST_CHARS else f"{said[:_MOST_CHARS]}..."


def _revisions(known: Iterable[DocumentRecord], scope: Scope) -> str:
    """What a name of a commit means, and the indexed revisions of sources that have any."""
    commits = ", ".join(map(short_ref, scope.commits))
    said = f"; {_short(scope.ref)} is commit {commits}, which is not indexed" if commits else ""
    indexed = {
        f"{record.source} at {short_ref(record.ref.partition(DIRTY)[0])}"
        for record in known
        if not is_content_ref(record.ref)
        and (scope.bounds or not scope.sources or record.source in scope.sources)
    }
    if not indexed:
        return f"{said}; no revision is indexed"
    first = sorted(indexed)[:_SHOWN]
    more = f" and {len(indexed) - len(first)} more" if len(indexed) > len(first) else ""
    return f"{said}; indexed: {', '.join(first)}{more}"


async def instead_of(known: Known, scope: Scope, given: Filter) -> str:
    """What there is that may have been meant: of the sources, of the kinds, else of the paths."""
    sources = sorted({record.source for record in known})
    named = () if scope.bounds or "sources" in scope.unshown else scope.sources
    if named and not set(named) & set(sources):
        near = near_names(named, sources, _SHOWN) or sources[:_SHOWN]
        rest = f" and {len(sources) - len(near)} more" if len(sources) > len(near) else ""
        return f"; the sources are {', '.join(near)}{rest}" if near else "; no source is indexed"
    if scope.refs and not any(record.ref.startswith(scope.refs) for record in known):
        return _revisions(known, scope)
    kinds = sorted({record.source_type for record in known})
    asked = () if "kinds" in scope.unshown else scope.kinds
    if kinds and asked and not set(asked) & set(kinds):
        return f"; the indexed files are of the kinds {', '.join(kinds)}"
    globs = [*scope.paths, *(glob for one in given.conditions for glob in _globs(one))]
    if not globs or not known:
        return ""
    alone = Scope(paths=scope.paths, placed=scope.placed)
    tests = {one.spec.name: scope_test(alone, one.spec) for one in known.values()}
    fitting = sum(tests[one.spec.name](record) for record, one in known.items())
    if scope.paths and fitting:
        return f"; {fitting:,} match the paths alone"
    paths = [record.path for record in known]
    if near := await asyncio.to_thread(near_paths, globs, paths, _SHOWN):  # takes up to a second
        return f"; near: {', '.join(near)}"
    nearest = nsmallest(_SHOWN, {record.path: record for record in known}.items())
    first = ", ".join(path for path, _ in nearest)
    if all([await _is_of_program(known[record], record) for _, record in nearest]):
        return f"; ids are such as {first}"
    return f"; paths count from the root of a source or checkout, such as {first}"


async def _is_of_program(one: Searchable, record: DocumentRecord) -> bool:
    """Is it a text from a program, whose path is its id?"""
    try:
        chunks = await one.index.document(one.spec.name, record.source, record.path)
    except PinciteError:
        return False
    return any(chunk.cited_in == "char" for chunk in chunks)
