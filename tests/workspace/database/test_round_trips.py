"""How often a change in PostgreSQL waits for the network, counted between client and server."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from pincite.support.databases.postgres import Pool
from pincite.testing.workspaces import add
from pincite.workspace import User
from pincite.workspace.database.postgres import PostgresWorkspaces
from pincite.workspace.files.database import DatabaseFiles
from tests.workspace.postgres_server import Database, Server

SPACE = "00000000-0000-4000-8000-000000000001"
pytestmark = pytest.mark.anyio


class Line:
    """Passes on what client and server say. A round trip begins where the client speaks after the
    server did."""

    def __init__(self, server: Server) -> None:
        self.trips = 0
        self.serving = set[asyncio.Task[None]]()
        self._server = f"{server.folder}/.s.PGSQL.5432"

    def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, in a task that ends with it."""
        self.serving.add(asyncio.create_task(self._pass_on(reader, writer)))

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        answers, requests = await asyncio.open_unix_connection(self._server)
        heard = True

        async def ask() -> None:
            nonlocal heard
            while said := await reader.read(1 << 16):
                self.trips += heard
                heard = False
                requests.write(said)
                await requests.drain()
            requests.close()

        async def answer() -> None:
            nonlocal heard
            while said := await answers.read(1 << 16):
                heard = True
                writer.write(said)
                await writer.drain()
            writer.close()

        await asyncio.gather(ask(), answer())
        for one in (requests, writer):
            await one.wait_closed()


@asynccontextmanager
async def listening(server: Server) -> AsyncIterator[tuple[Line, Path]]:
    """The line, and the folder of its socket."""
    line = Line(server)
    with tempfile.TemporaryDirectory(prefix="pl", dir="/tmp") as folder:  # a socket's path is short
        made = await asyncio.start_unix_server(line.serve, f"{folder}/.s.PGSQL.5432")
        try:
            yield line, Path(folder)
        finally:
            made.close()
            await made.wait_closed()
            await asyncio.gather(*line.serving)


def name_of(database: Database) -> str:
    return database.app.split("/")[3].split("?")[0]


@asynccontextmanager
async def watched(
    postgres: Server, database: Database
) -> AsyncIterator[tuple[Line, PostgresWorkspaces, User]]:
    """The line, the workspaces behind it, and a new user."""
    async with listening(postgres) as (line, folder):
        app, operator = (
            postgres.address(role, name_of(database), folder) for role in ("web", "works")
        )
        workspaces = PostgresWorkspaces(app, operator=operator)
        try:
            async with workspaces.administration() as session:
                ada = await session.add_user("Ada")
            yield line, workspaces, ada
        finally:
            await workspaces.close()


async def test_an_upload_is_recorded_in_six_round_trips(
    postgres: Server, database: Database
) -> None:
    async with watched(postgres, database) as (line, workspaces, ada):
        await workspaces.change(ada.id, lambda one: add(one, ada.personal))  # connects
        before = line.trips
        await workspaces.change(ada.id, lambda one: add(one, ada.personal))
        assert line.trips - before == 6


async def test_a_page_of_documents_is_deleted_in_seven_round_trips(
    postgres: Server, database: Database
) -> None:
    async with watched(postgres, database) as (line, workspaces, ada):
        async with workspaces.of(ada.id) as owner:
            for _ in range(50):
                await add(owner, ada.personal)
        before = line.trips
        deleted = await workspaces.change(
            ada.id, lambda one: one.delete_documents(ada.personal, 50, alone=True)
        )
        assert (deleted, line.trips - before) == (50, 7)


async def test_a_small_file_is_kept_in_two_round_trips(
    postgres: Server, database: Database
) -> None:
    async def pieces(raw: bytes) -> AsyncIterator[bytes]:
        yield raw

    async with listening(postgres) as (line, folder):
        files = DatabaseFiles(Pool(postgres.address("works", name_of(database), folder)))
        try:
            await files.put(SPACE, pieces(b"one"), 100)  # connects
            before = line.trips
            stored = await files.put(SPACE, pieces(b"two"), 100)
            assert line.trips - before == 2
            assert await files.read(SPACE, stored.content_hash) == b"two"
        finally:
            await files.close()
