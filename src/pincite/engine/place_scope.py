"""Resolve the paths and revisions of a scope for the sources of an index."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from pincite.asking.paths import is_placed, place_paths
from pincite.asking.revisions import find_commits, names_commit
from pincite.catalog.file import holds_index
from pincite.collection.members import visible
from pincite.deps import Admission
from pincite.errors import StoreError, UsageError
from pincite.model import DocumentRecord, Scope, SourceRecord
from pincite.ports import CollectionInfo
from pincite.scope.choosing import Admit, any_admitted
from pincite.scope.document_records import bound_test
from pincite.scope.paths import path_test
from pincite.scope.schema import schema_of
from pincite.scope.tagged_index import TaggedIndex, named_infos, within_tags

if TYPE_CHECKING:
    from pincite.collection.foreign import ForeignCollections
    from pincite.daemon.wire.protocol import ServedIndex
    from pincite.settings.load import Settings


async def place_scope(
    scope: Scope,
    here: str | None,
    client: Callable[[], ServedIndex],
    foreign: ForeignCollections,
    settings: Settings,
    admit: Admit | None = None,
) -> Scope:
    """Return the scope with paths that count from the roots of sources, and with the commits that
    its `ref` names in these sources. Only documents that the tags of the scope, what a program sets
    of it, and `admit` allow to read are considered, and their sources. If a collection, tag or
    filter of the scope cannot be searched, return it unchanged: the search raises the error.

    `here` is the caller's folder, None if relative paths do not count from it.
    """
    if is_placed(scope) and not names_commit(scope):
        return scope
    if foreign and not holds_index(settings.index):
        return scope
    index = client()
    try:
        infos = named_infos(visible(await index.collections()), scope.collections)
        schema = schema_of((info.spec for info in infos), scope)
        bound = {info.spec.name: bound_test(scope, schema, info.spec) for info in infos}
        within = within_tags(index, infos, scope.tags, scope.bounds)
        readable = _Readable(infos, within, bound, _within_choice(admit))
    except UsageError:
        return scope
    sources = await readable.sources()
    if names_commit(scope):
        scope = await find_commits(scope, sources)
    if is_placed(scope):
        return scope
    return await place_paths(scope, [one.source for one in sources], here, readable.has_path)


def _within_choice(admit: Admit | None) -> Admit | None:
    """Return an `admit` that is asked about documents of its choice alone. A workspace takes those
    that it refuses beside its choice for an error, and reports them."""
    if not isinstance(admit, Admission) or admit.choice is None:
        return admit
    check, among = admit.admit, admit.choice.among

    async def chosen(ids: frozenset[str]) -> frozenset[str]:
        found = await among(ids)
        return await check(found) if found else found

    return chosen


def _asking_once(admit: Admit) -> Admit:
    """Return an `admit` that is asked about each document once."""
    known: dict[str, bool] = {}

    async def asked(ids: frozenset[str]) -> frozenset[str]:
        if new := ids - known.keys():
            allowed = await admit(new)
            known.update((one, one in allowed) for one in new)
        return frozenset(one for one in ids if known[one])

    return asked


class _Readable:
    """The documents that a scope allows to read. Each collection is listed once. A document whose
    chunks alone know whether it is within the `bound` of its collection, or allowed by `admit`,
    counts as one. `admit` is asked about some documents at a time, until it allows one, and about
    each of them once."""

    def __init__(
        self,
        infos: Sequence[CollectionInfo],
        index: TaggedIndex,
        bound: Mapping[str, Callable[[DocumentRecord], bool | None] | None],
        admit: Admit | None,
    ) -> None:
        self._infos = infos
        self._index = index
        self._bound = bound
        self._admit = None if admit is None else _asking_once(admit)
        self._listed: dict[str, tuple[DocumentRecord, ...]] = {}

    async def sources(self) -> Sequence[SourceRecord]:
        """The sources of files that have a readable document."""
        found: dict[tuple[str, str], SourceRecord] = {}
        for info in self._infos:
            of_files = [one for one in info.sources if one.source.kind != "records"]
            name = info.spec.name
            if of_files and self._keeps_back(name):
                held: dict[str, list[DocumentRecord]] = {}
                for record in await self._documents(info):
                    held.setdefault(record.source, []).append(record)
                of_files = [
                    one for one in of_files if await self._has_any(held.get(one.source.name, ()))
                ]
            found |= {(name, one.source.name): one for one in of_files}
        return tuple(found.values())

    def _keeps_back(self, name: str) -> bool:
        checked = self._admit is not None or self._bound[name] is not None
        return checked or self._index.keeps_back(name)

    async def has_path(self, path: str) -> bool:
        """Return whether a path or pattern matches a readable document."""
        fits = path_test((path,))
        for info in self._infos:
            listed = await self._documents(info)
            if await self._has_any([one for one in listed if fits(one.source, one.path)]):
                return True
        return False

    async def _has_any(self, records: Sequence[DocumentRecord]) -> bool:
        if self._admit is None:
            return bool(records)
        return await any_admitted(records, self._admit)

    async def _documents(self, info: CollectionInfo) -> tuple[DocumentRecord, ...]:
        """The documents within the bounds, before `admit` is asked."""
        name = info.spec.name
        if name not in self._listed:
            try:
                listed = await self._index.documents(name)
            except StoreError:
                listed = ()  # the search raises the error
            if (may := self._bound[name]) is not None:
                listed = tuple(one for one in listed if may(one) is not False)
            self._listed[name] = listed
        return self._listed[name]
