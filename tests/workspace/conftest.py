"""Asynchronous tests of workspaces run on asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from pincite.workspace.postgres import PostgresWorkspaces
from tests.workspace.postgres_server import Server, serving


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server of this run."""
    with serving() as server:
        yield server


@pytest.fixture(scope="session")
def migrated(postgres: Server) -> str:
    """A database with the schema and nobody in it, to make others from."""
    found = postgres.database()
    workspaces = PostgresWorkspaces(found.app, operator=found.operator, owner=found.owner)
    asyncio.run(workspaces.migrate())
    return found.app.split("/")[3].split("?")[0]
