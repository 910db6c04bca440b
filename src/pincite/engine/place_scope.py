"""Resolve the paths and revisions of a scope for the sources of an index."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from pincite.asking.paths import Placing, is_placed, unplaced
from pincite.asking.revisions import find_commits, names_commit
from pincite.catalog.file import holds_index
from pincite.collection.members import visible
from pincite.deps import Admission
from pincite.errors import StoreError, UsageError
from pincite.model import DocumentRecord, PlacedPath, Scope, Source, SourceRecord
from pincite.ports import CollectionInfo
from pincite.scope.choosing import Admit, any_admitted
from pincite.scope.document_records import bound_test
from pincite.scope.paths import ListedPaths, path_test
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
    """Return the scope with what its paths mean in the indexed sources, and with the commits that
    its `ref` names in them. Only documents that the tags of the scope, what a program sets of it,
    and `admit` allow to read are considered, and their sources. If a collection, tag or filter of
    the scope cannot be searched, its paths are not placed: the search raises the error.

    `here` is the caller's folder, None if relative paths do not count from it.
    """
    if is_placed(scope) and not names_commit(scope):
        return scope
    readable = await _readable(scope, client, foreign, settings, admit)
    if readable is None:
        return scope if is_placed(scope) else unplaced(scope)
    if names_commit(scope):
        scope = await find_commits(scope, [one for _, one in await readable.sources(surely=True)])
    return scope if is_placed(scope) else await readable.placing(here).scope(scope)


async def placing_in(
    scope: Scope,
    here: str | None,
    client: Callable[[], ServedIndex],
    foreign: ForeignCollections,
    settings: Settings,
) -> Placing | None:
    """Return what places single paths as `place_scope` places those of this scope, None if it
    does not place them."""
    readable = await _readable(scope, client, foreign, settings, None)
    return None if readable is None else readable.placing(here)


async def _readable(
    scope: Scope,
    client: Callable[[], ServedIndex],
    foreign: ForeignCollections,
    settings: Settings,
    admit: Admit | None,
) -> _Readable | None:
    if foreign and not holds_index(settings.index):
        return None
    index = client()
    try:
        infos = named_infos(visible(await index.collections()), scope.collections)
        schema = schema_of((info.spec for info in infos), scope)
        bound = {info.spec.name: bound_test(scope, schema, info.spec) for info in infos}
        within = within_tags(index, infos, scope.tags, scope.bounds)
    except UsageError:
        return None
    return _Readable(infos, within, bound, _within_choice(admit))


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
    """The documents that a scope allows to read. Each collection is listed once. If the chunks of a
    document alone know whether it is within the `bound` of its collection, its source counts, but
    no path is looked up in it: what the caller is told must not depend on it. `admit` is asked
    about some documents at a time, until it allows one, and about each of them once."""

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
        self._held: dict[str, _Documents] = {}

    def placing(self, here: str | None) -> Placing:
        """Return what places paths in these documents."""
        held = [(info.spec.public_name, one.source) for info in self._infos for one in info.sources]
        return Placing(held, here, self.has_path, self._readable_sources)

    async def _readable_sources(self) -> Sequence[tuple[str, Source]]:
        return [(name, one.source) for name, one in await self.sources()]

    async def sources(self, *, surely: bool = False) -> Sequence[tuple[str, SourceRecord]]:
        """The sources that have a readable document, each with the name of its collection for
        users. With `surely`, only sources of files, and the records of their documents alone tell
        that."""
        found: list[tuple[str, SourceRecord]] = []
        for info in self._infos:
            ours = [one for one in info.sources if not (surely and one.source.kind == "records")]
            if ours and self._keeps_back(info.spec.name):
                documents = await self._documents(info)
                held: dict[str, list[DocumentRecord]] = {}
                for record in (*documents.readable, *(() if surely else documents.unknown)):
                    held.setdefault(record.source, []).append(record)
                ours = [one for one in ours if await self._has_any(held.get(one.source.name, ()))]
            found += [(info.spec.public_name, one) for one in ours]
        return found

    def _keeps_back(self, name: str) -> bool:
        checked = self._admit is not None or self._bound[name] is not None
        return checked or self._index.keeps_back(name)

    async def has_path(self, path: PlacedPath) -> bool:
        """Return whether a path or pattern matches a document that is surely readable. Raises
        UsageError for a path that is too long."""
        for info in self._infos:
            if path.collection not in ("", info.spec.public_name):
                continue
            held = await self._documents(info)
            if path.pattern not in held.listed:
                continue
            if self._admit is None:
                return True
            fits = path_test((path.pattern,))
            if await self._has_any([one for one in held.readable if fits(one.source, one.path)]):
                return True
        return False

    async def _has_any(self, records: Sequence[DocumentRecord]) -> bool:
        if self._admit is None:
            return bool(records)
        return await any_admitted(records, self._admit)

    async def _documents(self, info: CollectionInfo) -> _Documents:
        """The documents within the tags and bounds, before `admit` is asked."""
        name = info.spec.name
        if name not in self._held:
            try:
                listed = await self._index.documents(name)
            except StoreError:
                listed = ()  # the search raises the error
            self._held[name] = _Documents(listed, self._bound[name])
        return self._held[name]


class _Documents:
    """Documents of a collection: `readable` ones, and those of which only their chunks know."""

    def __init__(
        self,
        records: Sequence[DocumentRecord],
        bound: Callable[[DocumentRecord], bool | None] | None,
    ) -> None:
        told = [(one, bound is None or bound(one)) for one in records]
        self.readable = [one for one, may in told if may]
        self.unknown = [one for one, may in told if may is None]
        self.listed = ListedPaths((one.source, one.path) for one in self.readable)
