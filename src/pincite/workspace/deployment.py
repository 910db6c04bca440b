"""Open everything that one process of a deployment needs: the database, the index, and uploaded
files."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Final
from uuid import UUID

from pincite.daemon.client.open_index import is_shared
from pincite.daemon.host_mark import working_in
from pincite.errors import ConfigError, NotFound, WorkspaceUnavailable
from pincite.settings.load import Settings
from pincite.settings.sections.object_store import SCHEME, bucket_of
from pincite.support.arguments import shown
from pincite.workspace.database.one_index import adopt_index, has_server, require_one_index
from pincite.workspace.database.open import workspaces_of
from pincite.workspace.files.file_store import FileStore
from pincite.workspace.files.folder import FolderFiles
from pincite.workspace.files.one_database import adopt_files, bind_files
from pincite.workspace.ports import Workspaces
from pincite.workspace.workspace import Workspace

log = logging.getLogger("pincite.worker")

FILES: Final = "files"
FOLDER: Final = "folder"
DATABASE: Final = "database"


@dataclass(frozen=True, slots=True)
class Deployment:
    """The open parts of a deployment: `workspaces` is the database, `workspace` the searchable
    index, and `files` has the bytes of uploads."""

    workspaces: Workspaces
    workspace: Workspace
    files: FileStore


@asynccontextmanager
async def open_files(settings: Settings, place: str = "") -> AsyncIterator[FileStore]:
    """Open the store of uploaded files at a place. The default is the place of the settings: a
    bucket, else the database of an index that several machines share, else a folder beside the
    index. No request is sent before the first use of a file. Raise ConfigError."""
    place = require_place_of_files(settings, place) if place else place_of(settings)
    if (bucket := bucket_of(place if place.startswith(SCHEME) else "")) is not None:
        if find_spec("obstore") is None:
            raise ConfigError(
                "obstore is not installed; uploaded files in a bucket need it",
                hint="pip install 'pincite[s3]'",
            )
        from pincite.workspace.files.bucket import ObjectFiles

        yield ObjectFiles(bucket, settings.workspace.s3)
        return
    if place == FOLDER:
        yield FolderFiles(settings.index / FILES)
        return
    from pincite.support.databases.postgres import Pool
    from pincite.workspace.files.database import DatabaseFiles

    files = DatabaseFiles(Pool(settings.workspace.operator))
    try:
        yield files
    finally:
        await files.close()


def place_of(settings: Settings) -> str:
    """Return the place of uploaded files in the settings: `s3://BUCKET/PREFIX`, `database` or
    `folder`."""
    if settings.workspace.files:
        return _bucket_place(settings.workspace.files)
    return usual_place(settings)


def usual_place(settings: Settings) -> str:
    """Return the place of uploaded files if the settings name no bucket."""
    return DATABASE if is_shared(settings) else FOLDER


def require_place_of_files(settings: Settings, place: str) -> str:
    """Return the place in the form of `place_of`. Raise ConfigError for an unknown place, and for
    `database` if the workspaces are in a file."""
    if place == DATABASE and not has_server(settings):
        raise ConfigError(
            "workspaces are in a file, which has no uploaded files",
            hint="PINCITE_DATABASE_URL and PINCITE_DATABASE_OPERATOR_URL name a server",
        )
    if place in (FOLDER, DATABASE):
        return place
    if place.startswith(SCHEME):
        return _bucket_place(place)
    raise ConfigError(
        f"{shown(place)} is not a place of files", hint="folder, database or s3://..."
    )


def place_for_people(settings: Settings) -> str:
    """Return a description of the place of uploaded files, for messages."""
    place = place_of(settings)
    return {DATABASE: "the database", FOLDER: str(settings.index / FILES)}.get(place, place)


def _bucket_place(files: str) -> str:
    bucket = bucket_of(files)
    assert bucket is not None
    return f"{SCHEME}{bucket.name}/{bucket.prefix}".rstrip("/")


async def reason_of_silence(files: FileStore) -> str:
    """Return the reason why uploaded files cannot be reached, empty if they can. Reads a file that
    does not exist."""
    try:
        await files.read(str(UUID(int=0)), "0" * 64)
    except NotFound:
        return ""
    except WorkspaceUnavailable as error:
        return f"{error.message}: {error.hint}" if error.hint else error.message
    return ""


@asynccontextmanager
async def open_deployment(
    settings: Settings, *, lexical: bool = False
) -> AsyncIterator[Deployment]:
    """Open everything that the settings name and close it at the end. `lexical` opens an index
    without a dense model. Raise ConfigError, also if the rules of the database do not apply to a
    role, if its addresses name two databases, or if the index or the uploaded files belong to
    another database; IndexUnavailable if another machine uses the index folder; and
    WorkspaceUnavailable if the database does not answer, is read-only or has another schema."""
    async with AsyncExitStack() as stack:
        if not is_shared(settings):
            await stack.enter_async_context(working_in(settings.index))
        yield await stack.enter_async_context(_opened(settings, lexical))


@asynccontextmanager
async def _opened(settings: Settings, lexical: bool) -> AsyncIterator[Deployment]:
    workspaces = workspaces_of(settings)
    try:
        await _require_schema(workspaces)
        await workspaces.require_roles()
        await require_one_index(settings)
        async with open_files(settings) as files:
            try:
                await bind_files(workspaces, files)
            except WorkspaceUnavailable as error:  # such as a bucket; a sweep checks again
                log.warning("uploaded files are not checked: %s", error.message)
            async with Workspace(settings, workspaces, lexical=lexical) as workspace:
                yield Deployment(workspaces, workspace, files)
    finally:
        await workspaces.close()


async def adopt(settings: Settings) -> bool:
    """Bind the database and what the settings name to each other: the index, in place of a lost
    one, and the uploaded files, in place of a lost database. Return whether anything changed. Raise
    ConfigError, also if there are files and the database knows none of them, StoreError and
    WorkspaceUnavailable."""
    workspaces = workspaces_of(settings)
    try:
        await _require_schema(workspaces)
        await workspaces.require_roles()
        async with open_files(settings) as files:
            changed = await adopt_files(workspaces, files)
        index = has_server(settings) and await adopt_index(settings)
        return changed or index
    finally:
        await workspaces.close()


async def _require_schema(workspaces: Workspaces) -> None:
    if left := await workspaces.pending():
        raise WorkspaceUnavailable(
            f"the database of workspaces lacks {len(left)} steps of its schema",
            hint="pincite workspace migrate",
        )
