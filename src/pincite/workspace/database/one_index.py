"""Bind a database of workspaces to one index: the first one that is opened with it.

Two machines with an index folder each would share the jobs of one database: each would index a part
of the documents, and neither could find the others. SQLite needs no such check, because its file
belongs to one machine.
"""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from pathlib import Path
from typing import Final
from uuid import uuid4

from pincite.daemon.client.open_index import POSTGRES, is_shared
from pincite.errors import ConfigError
from pincite.index.folder import make_folder, require_own
from pincite.settings.load import Settings
from pincite.support.capabilities import name_once
from pincite.support.databases.private_file import open_private

FILE: Final = "deployment.id"  #: a file in an index folder with its name in the database
SHARED: Final = "shared"  #: the name of an index on servers
_NAME: Final = "index"
_MOST_BYTES: Final = 64


async def require_one_index(settings: Settings) -> None:
    """Return if the database is bound to the index of these settings, or to none yet. Raise
    ConfigError for another index, and StoreError."""
    if not has_server(settings):
        return
    own = await asyncio.to_thread(_own, settings)
    if not own:
        raise ConfigError(
            f"{settings.index / FILE} is damaged: the database identifies the index folder by it",
            hint="restore it from a backup, or: pincite workspace adopt",
        )
    held = await _settle(
        settings,
        "INSERT INTO pincite_index.settled VALUES (%(name)s, %(own)s)"
        " ON CONFLICT (name) DO UPDATE SET value = settled.value RETURNING value",
        own,
    )
    if held == own:
        return
    other = "of several machines" if held == SHARED else "in another index folder"
    raise ConfigError(
        f"the database of workspaces has its index {other}",
        hint=(
            "name the same PostgreSQL and the same Qdrant server on all machines"
            " (docs/operation.md), or if that index no longer exists: pincite workspace adopt"
        ),
    )


async def adopt_index(settings: Settings) -> bool:
    """Bind the database to the index of these settings, in place of a lost one. Return whether it
    was bound to another index. Raise ConfigError without a server, StoreError."""
    if not has_server(settings):
        raise ConfigError(
            "workspaces are in a file, or the operator's address of the database is not set",
            hint=(
                "set PINCITE_DATABASE_URL and PINCITE_DATABASE_OPERATOR_URL; workspaces in a"
                " file need no adoption"
            ),
        )
    own = await asyncio.to_thread(_own, settings, anew=True)
    before = await _settle(
        settings,
        "WITH held AS (SELECT value FROM pincite_index.settled WHERE name = %(name)s),"
        " taken AS (INSERT INTO pincite_index.settled VALUES (%(name)s, %(own)s)"
        " ON CONFLICT (name) DO UPDATE SET value = excluded.value)"
        " SELECT coalesce((SELECT value FROM held), %(own)s)",
        own,
    )
    return before != own


def has_server(settings: Settings) -> bool:
    """Return whether workspaces are in PostgreSQL and the operator's address is set."""
    found = settings.workspace
    return found.database.partition("://")[0] in POSTGRES and bool(found.operator)


async def _settle(settings: Settings, sql: str, own: str) -> str:
    from pincite.support.databases.postgres import Pool

    pool = Pool(settings.workspace.operator)
    try:
        async with pool.connection() as connection:
            found = await connection.execute(sql.encode(), {"name": _NAME, "own": own})
            row = await found.fetchone()
    finally:
        await pool.close()
    assert row is not None
    return str(row[0])


def _own(settings: Settings, *, anew: bool = False) -> str:
    """Return the name of the index in the database; make one if the folder has none. A damaged name
    is empty, unless `anew` allows a new one."""
    if is_shared(settings):
        return SHARED
    require_own(settings.index)
    if not settings.index.exists():
        make_folder(settings.index)
    path = settings.index / FILE
    found = _read(path)
    if found == "" and anew:
        path.unlink()
    if found is None or (found == "" and anew):
        _write(path, uuid4().hex)
        found = _read(path)
    return found or ""


def _read(path: Path) -> str | None:
    """Return the name in a file: None if there is no file, empty if its content has another
    form."""
    try:
        file = open_private(path)
    except FileNotFoundError:
        return None
    with os.fdopen(file, "rb") as opened:
        text = opened.read(_MOST_BYTES).decode("ascii", "replace").strip()
    return text if text.isalnum() and len(text) < _MOST_BYTES else ""


def _write(path: Path, text: str) -> None:
    """Write the file atomically. If two processes do it at once, the first one's file stays."""
    new = path.with_name(f"{path.name}.{uuid4().hex}")
    try:
        new.write_text(text)
        with suppress(FileExistsError):
            name_once(new, path)
    finally:
        new.unlink(missing_ok=True)
