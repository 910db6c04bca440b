"""Collections whose last indexing run was cut off, so that documents may be missing."""

from __future__ import annotations

from collections.abc import Iterable

from pincite.daemon.client.open_index import is_shared
from pincite.daemon.file_leases import FileLeases
from pincite.model import Notice, Scope
from pincite.ports import CollectionInfo
from pincite.providers.names import LOCAL_PROVIDERS
from pincite.settings.load import Settings


def unfinished(
    infos: Iterable[CollectionInfo], scope: Scope, settings: Settings
) -> tuple[str, ...]:
    """Return the names of collections with a source in the scope that no run has finished and that
    the daemon does not finish by itself: files if refresh is manual or needs consent, and
    records."""
    refresh = settings.refresh
    names = {
        info.spec.public_name
        for info in infos
        for record in info.sources
        if not (info.foreign or record.complete)
        and (
            record.source.kind == "records"
            or not refresh.auto
            or kept_back(settings, info, remote=refresh.remote)
        )
        and (not scope.sources or record.source.name in scope.sources)
    }
    return tuple(sorted(names))


def kept_back(settings: Settings, info: CollectionInfo, *, remote: bool) -> str:
    """Return why a collection is not refreshed automatically, empty if it is."""
    if remote:
        return ""
    ways = "pincite index, or [refresh] remote = true"
    model = info.spec.model
    if model and model.partition(":")[0] not in LOCAL_PROVIDERS:
        return f"its model {model} may cost money, so it needs your consent ({ways})"
    if settings.store.url:
        return f"its points are on the server {settings.store.place} ({ways})"
    return ""


def is_written(settings: Settings) -> bool:
    """Return whether a process writes to the index. If several machines share it, that is not
    known, and likely."""
    return is_shared(settings) or FileLeases(settings.index).is_any_taken()


def unfinished_notice(name: str, scope: Scope) -> Notice:
    """The warning about a collection."""
    called = scope.called(name)
    fix = f"run `pincite index -c {name}`" if called == name else "see `pincite status`"
    said = f"the last indexing run of {called} was cut off, so documents may be missing"
    return Notice("unfinished", f"{said}: to continue it, {fix}")
