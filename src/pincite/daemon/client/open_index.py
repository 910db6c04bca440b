"""Select and open the index. No other module makes this decision."""

from __future__ import annotations

import logging
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from pincite.catalog.file import holds_collections, holds_index
from pincite.daemon.client.remote_index import RemoteIndex
from pincite.daemon.client.spawn import daemon_pid, missing, owned
from pincite.daemon.client.standby import dismiss
from pincite.daemon.server.read_only import may_write, read_only
from pincite.daemon.wire.protocol import ServedIndex
from pincite.errors import ConfigError
from pincite.index.folder import make_folder, remember, require_own
from pincite.settings.load import Settings
from pincite.settings.sections.stores import store_key
from pincite.sources.record_places import keep_elsewhere, keep_in_folder
from pincite.stores.settings import StoreSettings

log = logging.getLogger("pincite")

POSTGRES: Final = ("postgresql", "postgres")  #: the schemes of PostgreSQL addresses


def is_shared(settings: Settings) -> bool:
    """Return whether several machines share the index. They do if both its points and the
    workspaces are on servers, and the index folder has no older index of its own. A catalog without
    collections, which a failed first run leaves, does not count as an index."""
    folder = settings.index
    return _on_servers(settings) and not (holds_index(folder) and holds_collections(folder))


def _on_servers(settings: Settings) -> bool:
    database = settings.workspace.database.partition("://")[0]
    return settings.store.kind == "qdrant" and bool(settings.store.url) and database in POSTGRES


def open_index(settings: Settings) -> ServedIndex:
    """Return the index of the folder, served by its daemon; see `prepare` for a folder that may not
    exist yet. An index that several machines share is opened by this process itself. Nothing is
    started or connected before the first request. Close it after use. Raises ConfigError."""
    if is_shared(settings):
        return _open_shared(settings)
    if _on_servers(settings):
        log.warning(
            "the folder %s has an older index of its own, which stays in use: other machines"
            " do not see it",
            settings.index,
        )
    keep_in_folder(settings.index)
    return RemoteIndex(settings.index, settings.models, settings.idle_s)


async def stop_daemon(root: Path) -> bool:
    """End the daemon of an index folder, and return whether it ran. No settings are read, because
    wrong ones may be the reason to end the daemon. Raises IndexNotFound, IndexUnavailable."""
    require_own(root)
    runs = daemon_pid(root) is not None  # without an index where no disk had room for it
    if not runs and not holds_index(root):
        raise missing(root)
    await RemoteIndex(root, root, 0.0).leave()
    return runs


def _open_shared(settings: Settings) -> ServedIndex:
    if not (address := settings.workspace.operator):
        raise ConfigError(
            "[workspace] operator is not set: an index shared by several machines is read and"
            " written as the operator",
            hint=(
                "set PINCITE_DATABASE_OPERATOR_URL to the operator's address of the same database"
            ),
        )
    if find_spec("psycopg") is None or find_spec("psycopg_pool") is None:
        raise ConfigError(
            "psycopg is not installed; an index in PostgreSQL needs it",
            hint="pip install 'pincite[postgres]'",
        )
    dismiss()
    from pincite.daemon.shared_index import SharedIndex
    from pincite.index.database_leases import GUARD, require_number
    from pincite.sources.record_store_postgres import PostgresRecords

    key = store_key(settings.keys, settings.store)
    index = SharedIndex(address, settings.store, key, settings.models)
    opening = partial(PostgresRecords, address, index.lease_of, require_number, GUARD)
    keep_elsewhere(settings.index, opening)
    return index


def prepare(root: Path, store: StoreSettings, *, create: bool, found: bool = False) -> None:
    """Create the folder if it is missing and `create` is set, and determine its store. Warns if the
    folder is read-only. An index that was `found`, not named, must belong to this user or be
    harmless. Raises IndexNotFound, IndexUnavailable, ConfigError, StoreError."""
    require_own(root)
    if not holds_index(root):
        if not create:
            raise missing(root)
        make_folder(root)
    elif found:
        from pincite.index.trust import require_trusted  # late: it needs SQLite

        require_trusted(root, writable=may_write(root))
    if may_write(root):
        remember(root, store, owned)
    else:
        log.warning("%s; searches are not logged", read_only(root).message)
