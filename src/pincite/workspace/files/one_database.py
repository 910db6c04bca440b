"""Bind uploaded files to one database of workspaces: the one that knows which files are needed.

A worker deletes files that no document needs. With another database, such as a new one that
replaces a lost one, it would delete all of them. So the id of the database is stored beside the
files, and `serve` and `worker` refuse any other database.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from pincite.errors import ConfigError
from pincite.support.counted import counted
from pincite.workspace.checks import is_id
from pincite.workspace.database.transaction import time_text, utc_now
from pincite.workspace.files.file_store import ANY_AGE_S, File, FileStore
from pincite.workspace.ports import Workspaces

log = logging.getLogger("pincite.worker")

_AT_A_TIME: Final = 1_000
_RESTORE: Final = "restore the database that the files belong to, see Backup in docs/operation.md"


@dataclass(frozen=True, slots=True)
class Binding:
    """The database that uploaded files are bound to, and since when."""

    database: str
    since: datetime


async def bind_files(workspaces: Workspaces, files: FileStore) -> Binding:
    """Return the binding of the files to this database. Files without one, as of an earlier
    version, are bound now if the database knows one of them, or if there are none. Raise
    ConfigError if they belong to another database, and WorkspaceUnavailable."""
    own = await workspaces.administer(lambda operator: operator.database_id())
    mark = await files.read_mark()
    if not mark:
        await require_known(workspaces, files)
        await files.mark(f"{own} {time_text(utc_now())}")
        mark = await files.read_mark()  # another process may have been faster
    found = _read(mark)
    if found.database != own:
        raise ConfigError(
            "the uploaded files belong to another database of workspaces",
            hint=f"{_RESTORE}; if this one replaces it: pincite workspace adopt",
        )
    return found


async def adopt_files(workspaces: Workspaces, files: FileStore) -> bool:
    """Bind the files to this database, in place of another one. Return whether they were bound to
    another one. Raise ConfigError if the database knows none of them, and WorkspaceUnavailable."""
    own = await workspaces.administer(lambda operator: operator.database_id())
    mark = await files.read_mark()
    with suppress(ConfigError):  # a damaged mark is made anew
        if mark and _read(mark).database == own:
            return False
    await require_known(workspaces, files)
    await files.mark(f"{own} {time_text(utc_now())}")
    return bool(mark)


async def require_known(workspaces: Workspaces, files: FileStore) -> None:
    """Raise ConfigError if there are files, and the database knows none of them."""
    held = await files.older_than(ANY_AGE_S)
    if held and not await needed_of(workspaces, held):
        raise ConfigError(
            f"the database of workspaces knows none of {counted(len(held), 'uploaded file')}",
            hint=f"{_RESTORE}; to start without them, move them to another place",
        )


async def needed_of(workspaces: Workspaces, files: tuple[File, ...]) -> frozenset[File]:
    """Return the files that a document needs."""
    found = set[File]()
    for start in range(0, len(files), _AT_A_TIME):
        async with workspaces.administration() as operator:
            found |= await operator.needed(files[start : start + _AT_A_TIME])
    return frozenset(found)


async def sweep_files(workspaces: Workspaces, files: FileStore, age_s: float, new_s: float) -> int:
    """Delete files that no document needs: those of deleted or replaced documents and of uploads
    that were never recorded, once they are `age_s` seconds old. Return their number. Delete nothing
    if the files belong to another database, or have belonged to this one for less than `new_s`
    seconds, or if it knows none of them. Delete nothing either if users have another database."""
    try:
        await workspaces.require_roles()
        bound = await bind_files(workspaces, files)
    except ConfigError as error:
        log.error("uploaded files are not swept: %s", error.message)
        return 0
    if utc_now() - bound.since < timedelta(seconds=new_s):
        return 0
    old = await files.older_than(age_s)
    needed = await needed_of(workspaces, old)
    unneeded = [one for one in old if one not in needed]
    if not unneeded:
        return 0
    if not needed:
        try:
            await require_known(workspaces, files)
        except ConfigError as error:
            log.warning("uploaded files are not swept: %s", error.message)
            return 0
    for space_id, content_hash in unneeded:
        await files.delete(space_id, content_hash, age_s)
        log.info("the uploaded file %s of the space %s is deleted", content_hash, space_id)
    told = counted(len(unneeded), "uploaded file")
    log.warning("%s deleted that no document needs; %d kept", told, len(needed))
    return len(unneeded)


def _read(mark: str) -> Binding:
    """Return the binding in a mark. Raise ConfigError if it has another form."""
    database, _, since = mark.strip().partition(" ")
    try:
        found = datetime.fromisoformat(since)
    except ValueError:
        found = None
    if not is_id(database) or found is None or found.tzinfo is None:
        raise ConfigError(
            "the file database.id beside the uploaded files is damaged",
            hint="restore it from a backup, or: pincite workspace adopt",
        )
    return Binding(database, found)
