"""Warnings of a search about documents that are not indexed, or not yet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from pincite.catalog.file import holds_index
from pincite.collection.no_documents import no_documents
from pincite.daemon.client.open_index import is_shared
from pincite.daemon.file_leases import FileLeases
from pincite.daemon.refresh.freshness import wish_of
from pincite.engine.awaited_events import changed_meanwhile, is_followed
from pincite.maintenance.consent import needs_consent
from pincite.model import CollectionSpec, EvidencePack, Notice, Scope
from pincite.ports import CollectionInfo
from pincite.scope.apart import is_apart
from pincite.scope.warnings import is_bound

if TYPE_CHECKING:
    from pincite.daemon.refresh.freshness import Freshness
    from pincite.daemon.wire.protocol import ServedIndex
    from pincite.settings.load import Settings


_MANUAL = (
    "refresh is manual, so what is new or changed since the last update is not found:"
    " call `refresh()` or run `pincite index`, or open it with refresh='auto'"
)


class SearchNotices:
    """The warnings of searches of one index."""

    def __init__(self, settings: Settings, client: Callable[[], ServedIndex]) -> None:
        self._settings = settings
        self._client = client

    async def look(self) -> Freshness | None:
        """Trigger a scan of the folders if one is due, and return the state of the index. None if
        nothing updates the index automatically."""
        if not (self._settings.refresh.auto and holds_index(self._settings.index)):
            return None
        return await self._client().look(wish_of(self._settings))

    def refreshing(
        self,
        found: Freshness | None,
        infos: Iterable[CollectionInfo],
        scope: Scope,
        *,
        checked: bool,
    ) -> tuple[Notice, ...]:
        """Report what is not indexed yet, or cannot be, in this state of the index. `infos` are the
        searched collections; `checked` as for `is_apart`."""
        if found is None:
            return ()
        specs = [info.spec for info in infos]
        return refreshing_notices(found, scope, self._settings, specs, checked=checked)

    async def changed_meanwhile(
        self,
        before: Freshness | None,
        infos: Iterable[CollectionInfo],
        scope: Scope,
        begun_s: float,
    ) -> bool:
        """Return whether another search may find more, because file events have arrived since a
        question began, at `begun_s` of `time.monotonic`. This waits for such events, at most .5 s,
        if its sources are watched and no search has said yet that files are being indexed."""
        if before is None or not is_followed(before, infos, scope):
            return False

        async def look() -> Freshness:
            return await self._client().look(wish_of(self._settings))

        def is_pending(found: Freshness) -> bool:
            said = refreshing_notices(found, scope, self._settings)
            return any(one.code == "refreshing" for one in said)

        return not is_pending(before) and await changed_meanwhile(look, before, is_pending, begun_s)

    async def manual(
        self,
        pack: EvidencePack,
        infos: Sequence[CollectionInfo],
        scope: Scope,
        *,
        checked: bool = False,
    ) -> tuple[Notice, ...]:
        """Return notices of known changes, and advice to refresh the index, if nothing updates it
        automatically. Only for a pack that is not grounded or lacks passages, because it costs a
        request to the daemon. The advice is given if passages were left out, or if there are none
        and the user has not chosen this mode."""
        if self._settings.refresh.auto or not holds_index(self._settings.index):
            return ()
        if pack.verdict.level == "grounded" and not pack.omitted:
            return ()
        if all(info.foreign or _is_of_records(info) for info in infos):
            return ()
        found = await self._client().look(wish_of(self._settings))
        said = self.refreshing(found, infos, scope, checked=checked)
        chosen = self._settings.refresh.mode == "manual" and not pack.omitted
        if found.auto or chosen or (pack.evidence and not pack.omitted):
            return said
        return (*said, Notice("not_refreshed", _MANUAL))

    async def still_unfinished(
        self, infos: Sequence[CollectionInfo], scope: Scope, reopen: Callable[[], None]
    ) -> tuple[Notice, ...]:
        """Warn about collections whose last indexing run was cut off. There is no warning while a
        process writes, because a run may still finish. `reopen` is called if a run has ended since
        the collections were listed."""
        before = unfinished_collections(infos, scope, self._settings)
        if not before or _is_written(self._settings):
            return ()
        now = unfinished_collections(await self._client().collections(), scope, self._settings)
        if _is_written(self._settings):
            return ()
        if set(before) - set(now):
            reopen()
        return tuple(dict.fromkeys(_unfinished_notice(n, scope) for n in before if n in now))

    async def empty(self, infos: Sequence[CollectionInfo], scope: Scope) -> tuple[Notice, ...]:
        """Warn if none of the searched collections has a document and no process is writing."""
        if any(info.documents or info.foreign for info in infos) or _is_written(self._settings):
            return ()
        names = {info.spec.name for info in infos}
        now = [info for info in await self._client().collections() if info.spec.name in names]
        if any(info.documents for info in now):
            return ()
        called = sorted({scope.called(info.spec.public_name) for info in now})
        return (no_documents(called),) if now else ()


def refreshing_notices(
    found: Freshness,
    scope: Scope,
    settings: Settings,
    specs: Iterable[CollectionSpec] = (),
    *,
    checked: bool = False,
) -> tuple[Notice, ...]:
    """Return warnings about documents that are still being indexed, and about sources that cannot
    be kept up to date. They contain neither the names of sources nor numbers of files for a caller
    who is kept apart in the searched collections (of `specs`; `checked` as for `is_apart`) or may
    not see a part of the scope, nor of a collection that will require attributes."""
    apart = is_apart(scope, specs, checked=checked) or is_bound(scope)

    def concerned(collection: str, source: str) -> bool:
        elsewhere = scope.collections and collection and collection not in scope.collections
        return not elsewhere and not (scope.sources and source and source not in scope.sources)

    def hidden(collection: str) -> bool:
        options = settings.use.options.get(collection)
        any_requires = not collection and any(o.require for o in settings.use.options.values())
        required = any_requires or (options is not None and options.require)
        return bool(apart or required)

    said = [
        f"files of {scope.called(one.collection)}"
        if hidden(one.collection)
        else f"{one.files:,} file{'s' * (one.files != 1)} of {one.source}"
        for one in found.pending
        if concerned(one.collection, one.source)
    ]
    notices = []
    if said:
        named = ", ".join(dict.fromkeys(said))
        one_only = said == [said[0]] and said[0].startswith("1 file ")
        verb = "is" if one_only else "are"
        notices.append(Notice("refreshing", f"{named} changed and {verb} being indexed"))
    troubles = [
        f"{scope.called(one.collection) if one.collection else 'the index'} is not kept up to date"
        if hidden(one.collection)
        else f"{one.source or one.collection or 'the index'} is not kept up to date: {one.message}"
        for one in found.troubles
        if concerned(one.collection, one.source)
    ]
    notices += [Notice("not_refreshed", text) for text in dict.fromkeys(troubles)]
    return tuple(notices)


def unfinished_collections(
    infos: Iterable[CollectionInfo], scope: Scope, settings: Settings
) -> tuple[str, ...]:
    """Return the names of collections with a source in the scope whose indexing no run has finished
    and the daemon will not finish by itself: records, and files if refresh is manual or needs
    consent."""
    refresh = settings.refresh
    names = {
        info.spec.public_name
        for info in infos
        for record in info.sources
        if not (info.foreign or record.complete)
        and (
            record.source.kind == "records"
            or not refresh.auto
            or needs_consent(settings, info, remote=refresh.remote)
        )
        and (not scope.sources or record.source.name in scope.sources)
    }
    return tuple(sorted(names))


def _is_written(settings: Settings) -> bool:
    """Return whether a process writes to the index. This is unknown if several machines share the
    index, so it is then assumed."""
    return is_shared(settings) or FileLeases(settings.index).is_any_taken()


def _is_of_records(info: CollectionInfo) -> bool:
    """Return whether the collection has only records, which only programs change."""
    return all(record.source.kind == "records" for record in info.sources)


def _unfinished_notice(name: str, scope: Scope) -> Notice:
    """Return the warning about a collection whose last indexing run was cut off."""
    called = scope.called(name)
    fix = f"run `pincite index -c {name}`" if called == name else "see `pincite status`"
    said = f"the last indexing run of {called} was cut off, so documents may be missing"
    return Notice("unfinished", f"{said}: to continue it, {fix}")
