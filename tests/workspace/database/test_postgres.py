"""Workspaces in PostgreSQL keep what `Workspaces` promises, also behind pgbouncer."""

from __future__ import annotations

from pincite.testing.workspace_documents import WorkspaceDocumentsContract
from pincite.testing.workspace_jobs import WorkspaceJobsContract
from pincite.testing.workspaces import WorkspacesContract
from tests.workspace.database.openers import BehindPgbouncer, OnPostgres


class TestPostgres(OnPostgres, WorkspacesContract):
    """What is seen and changed."""


class TestDocumentsOnPostgres(OnPostgres, WorkspaceDocumentsContract):
    """Documents, feeds and what an access comes to."""


class TestJobsOnPostgres(OnPostgres, WorkspaceJobsContract):
    """What workers do."""


class TestBehindPgbouncer(BehindPgbouncer, WorkspacesContract):
    """What is seen and changed."""


class TestDocumentsBehindPgbouncer(BehindPgbouncer, WorkspaceDocumentsContract):
    """Documents, feeds and what an access comes to."""


class TestJobsBehindPgbouncer(BehindPgbouncer, WorkspaceJobsContract):
    """What workers do."""
