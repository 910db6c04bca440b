"""Workspaces in one SQLite file keep what `Workspaces` promises."""

from __future__ import annotations

from pincite.testing.workspace_documents import WorkspaceDocumentsContract
from pincite.testing.workspace_jobs import WorkspaceJobsContract
from pincite.testing.workspaces import WorkspacesContract
from tests.workspace.database.openers import OnSqlite


class TestSqlite(OnSqlite, WorkspacesContract):
    """What is seen and changed."""


class TestDocumentsOnSqlite(OnSqlite, WorkspaceDocumentsContract):
    """Documents, feeds and what an access comes to."""


class TestJobsOnSqlite(OnSqlite, WorkspaceJobsContract):
    """What workers do."""
