"""Workspaces in one SQLite file keep what `Workspaces` promises."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from pincite.testing.workspace_documents import WorkspaceDocumentsContract
from pincite.testing.workspace_jobs import WorkspaceJobsContract
from pincite.testing.workspaces import WorkspacesContract
from pincite.workspace.ports import Workspaces
from pincite.workspace.sqlite import SqliteWorkspaces


class OnSqlite:
    """Opens a file of each test's own."""

    @pytest.fixture(autouse=True)
    def _place(self, tmp_path: Path) -> None:
        self.path = tmp_path / "workspaces.db"

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Workspaces]:
        clock = self.clock  # type: ignore[attr-defined]
        workspaces = SqliteWorkspaces(self.path, clock, losses=3)
        await workspaces.migrate()
        try:
            yield workspaces
        finally:
            await workspaces.close()


class TestSqlite(OnSqlite, WorkspacesContract):
    """What is seen and changed."""


class TestDocumentsOnSqlite(OnSqlite, WorkspaceDocumentsContract):
    """Documents, feeds and what an access comes to."""


class TestJobsOnSqlite(OnSqlite, WorkspaceJobsContract):
    """What workers do."""
