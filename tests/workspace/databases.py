"""Tests that hold in every kind of database, with the scene of the suites."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

import pytest

from pincite.testing.workspaces import Scene, set_scene
from pincite.workspace.database.postgres import PostgresWorkspaces
from pincite.workspace.database.sqlite import SqliteWorkspaces
from pincite.workspace.ports import Workspaces
from tests.workspace.postgres_server import Server, pooled

DATABASES: Final = ("sqlite", "postgres", "pgbouncer")

Test = Callable[[Workspaces, Scene], Awaitable[None]]
InDatabase = Callable[[Test], None]


def in_database(request: pytest.FixtureRequest, tmp_path: Path) -> InDatabase:
    """Runs a test in the database that the parameter of the fixture names."""

    def run(test: Test) -> None:
        async def session(workspaces: Workspaces) -> None:
            await workspaces.migrate()
            try:
                await test(workspaces, await set_scene(workspaces))
            finally:
                await workspaces.close()

        if request.param == "sqlite":
            asyncio.run(session(SqliteWorkspaces(tmp_path / "workspaces.db")))
            return
        postgres: Server = request.getfixturevalue("postgres")
        found = postgres.database(request.getfixturevalue("migrated"))
        if request.param == "postgres":
            asyncio.run(
                session(PostgresWorkspaces(found.app, operator=found.operator, owner=found.owner))
            )
            return
        name = found.app.split("/")[3].split("?")[0]
        with pooled(postgres, name) as folder:
            roles = ("web", "works", "keeper")
            app, operator, owner = [postgres.address(one, name, folder, 6432) for one in roles]
            asyncio.run(session(PostgresWorkspaces(app, operator=operator, owner=owner)))

    return run
