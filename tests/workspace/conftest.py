"""What tests of workspaces are given. Asynchronous ones run on asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from pincite.workspace.database.postgres import PostgresWorkspaces
from tests.workspace.issuer import Issuer, issuing
from tests.workspace.postgres_server import Database, Server, serving
from tests.workspace.s3_server import KEY, S3, SECRET, s3_serving


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


@pytest.fixture
def database(postgres: Server, migrated: str) -> Database:
    """A database of its own with the schema."""
    return postgres.database(migrated)


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    """An issuer of tokens that is there."""
    with issuing() as made:
        yield made


@pytest.fixture
def s3(monkeypatch: pytest.MonkeyPatch) -> Iterator[S3]:
    """A server of a bucket, and its credentials in the environment."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    with s3_serving() as made:
        yield made
