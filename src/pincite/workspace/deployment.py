"""All that one process of a deployment has open: the database, the index, and uploaded files."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

from pincite.errors import WorkspaceUnavailable
from pincite.settings.load import Settings
from pincite.workspace.file_store import FileStore, FolderFiles
from pincite.workspace.opened import Workspace
from pincite.workspace.opening import workspaces_of
from pincite.workspace.ports import Workspaces

FILES: Final = "files"


@dataclass(frozen=True, slots=True)
class Deployment:
    """What users have (`workspaces`), what of it can be searched (`workspace`), and the bytes that
    they uploaded (`files`)."""

    workspaces: Workspaces
    workspace: Workspace
    files: FileStore


@asynccontextmanager
async def open_deployment(
    settings: Settings, *, lexical: bool = False
) -> AsyncIterator[Deployment]:
    """What the settings name, closed at the end. `lexical` makes an index without a dense model.
    Raises ConfigError, and WorkspaceUnavailable for a database that does not answer or has another
    schema."""
    workspaces = workspaces_of(settings)
    try:
        if left := await workspaces.pending():
            raise WorkspaceUnavailable(
                f"the database of workspaces lacks {len(left)} steps of its schema",
                hint="pincite workspace migrate",
            )
        async with Workspace(settings, workspaces, lexical=lexical) as workspace:
            yield Deployment(workspaces, workspace, FolderFiles(settings.index / FILES))
    finally:
        await workspaces.close()
