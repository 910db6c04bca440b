"""Workspaces in PostgreSQL keep what `Workspaces` promises, also behind pgbouncer."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest

from pincite.testing.workspace_documents import WorkspaceDocumentsContract
from pincite.testing.workspace_jobs import WorkspaceJobsContract
from pincite.testing.workspaces import WorkspacesContract
from pincite.workspace.database.postgres import PostgresWorkspaces
from pincite.workspace.ports import Workspaces
from tests.workspace.postgres_server import Server, pooled


class OnPostgres:
    """Opens a database of each test's own."""

    @pytest.fixture(autouse=True)
    def _server(self, postgres: Server, migrated: str) -> None:
        found = postgres.database(migrated)
        self.addresses = (found.app, found.operator, found.owner)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Workspaces]:
        clock = self.clock  # type: ignore[attr-defined]
        app, operator, owner = self.addresses
        workspaces = PostgresWorkspaces(app, operator=operator, owner=owner, clock=clock, losses=3)
        try:
            yield workspaces
        finally:
            await workspaces.close()


class BehindPgbouncer(OnPostgres):
    """The same with a pooler in transaction mode in between: two connections for all."""

    @pytest.fixture(autouse=True)
    def _server(self, postgres: Server, migrated: str) -> Iterator[None]:
        found = postgres.database(migrated)
        name = found.app.split("/")[3].split("?")[0]
        with pooled(postgres, name) as folder:
            roles = ("web", "works", "keeper")
            app, operator, owner = [postgres.address(one, name, folder, 6432) for one in roles]
            self.addresses = (app, operator, owner)
            yield


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
