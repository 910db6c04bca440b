"""A user, a space, and what a worker works with."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from pincite.settings.load import load_settings
from pincite.workspace import Access, Document
from pincite.workspace.database.sqlite import SqliteWorkspaces
from pincite.workspace.files.folder import FolderFiles
from pincite.workspace.worker.deps import WorkerDeps
from pincite.workspace.workspace import Workspace
from tests.quick_folder import quick_folder

ENVIRONMENT = {"PINCITE_IDLE_S": "60", "PINCITE_OFFLINE": "1"}


class Yard:
    """A user, a space, and what a worker works with."""

    def __init__(self, folder: Path, deps: WorkerDeps, user_id: str, space_id: str) -> None:
        self.folder, self.deps, self.user_id, self.space_id = folder, deps, user_id, space_id

    async def upload(self, name: str, text: str | bytes) -> Document:
        stored = await self.deps.files.put(self.space_id, pieces(text), 1_000_000)
        async with self.deps.workspaces.of(self.user_id) as session:
            return await session.add_document(self.space_id, name, stored.content_hash, stored.size)

    async def document(self, document_id: str) -> Document:
        async with self.deps.workspaces.of(self.user_id) as session:
            return await session.document(document_id)

    async def found(self, text: str) -> list[str]:
        pack = await self.deps.workspace.search(Access(self.user_id), text, limit=50)
        return [str(one.attributes["document_id"]) for one in (*pack.evidence, *pack.closest)]


async def pieces(text: str | bytes) -> AsyncIterator[bytes]:
    yield text.encode() if isinstance(text, str) else text


@asynccontextmanager
async def yard(configured: str = "") -> AsyncIterator[Yard]:
    """`configured` is the pincite.toml of the server."""
    with quick_folder() as folder:
        (folder / "pincite.toml").write_text(configured, encoding="utf-8")
        index = folder / ".pincite"
        settings = load_settings(ENVIRONMENT, folder, index)
        index.mkdir(mode=0o700)
        workspaces = SqliteWorkspaces(index / "workspaces.db")
        await workspaces.migrate()
        try:
            async with workspaces.administration() as operator:
                user = await operator.add_user("Anna")
            async with Workspace(settings, workspaces, lexical=True) as workspace:
                deps = WorkerDeps(
                    "w1", workspaces, workspace, FolderFiles(index / "files"), lambda: 0.5
                )
                yield Yard(folder, deps, user.id, user.personal)
        finally:
            await workspaces.close()
