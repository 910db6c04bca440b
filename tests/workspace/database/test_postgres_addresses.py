"""What the addresses of a database may connect to: one database in UTF-8 that can write, with roles
of the right groups. Anything else is told by its cause, and is never "all is well"."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from pincite.errors import ConfigError, ReadOnlyDatabase
from pincite.settings.load import load_settings
from pincite.support.databases.postgres import bounded
from pincite.surfaces.cli.app import app
from pincite.workspace.database.postgres import PostgresWorkspaces
from pincite.workspace.deployment import adopt, open_deployment
from pincite.workspace.files.one_database import sweep_files
from tests.quick_folder import quick_folder
from tests.surfaces.http.workspace_server import workspace_server
from tests.workspace.postgres_server import Database, Server, pooled

pytestmark = pytest.mark.anyio
TWO = "are addresses of two databases"


@pytest.fixture
def folder() -> Iterator[Path]:
    with quick_folder() as made:
        yield made


@asynccontextmanager
async def opened(app: str, operator: str, owner: str = "") -> AsyncIterator[PostgresWorkspaces]:
    workspaces = PostgresWorkspaces(app, operator=operator, owner=owner)
    try:
        yield workspaces
    finally:
        await workspaces.close()


def environ_of(folder: Path, app: str, operator: str) -> dict[str, str]:
    return {
        "PINCITE_DATABASE_URL": app,
        "PINCITE_DATABASE_OPERATOR_URL": operator,
        "PINCITE_INDEX": str(folder / "index"),
        "PINCITE_OFFLINE": "1",
        "PINCITE_IDLE_S": "60",
    }


@pytest.fixture
def copied(postgres: Server, database: Database) -> Database:
    """A copy of a database: it has the same id."""
    return postgres.database(name_of(database))


def name_of(database: Database) -> str:
    return database.app.split("/")[3].split("?")[0]


async def test_addresses_of_a_database_and_its_copy_are_two(
    database: Database, copied: Database, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = load_settings(environ_of(folder, copied.app, database.operator), folder)
    with pytest.raises(ConfigError, match=TWO) as told:
        async with open_deployment(settings, lexical=True):
            pass
    assert "web" not in str(told.value)
    assert "PINCITE_DATABASE_URL" in told.value.hint
    with pytest.raises(ConfigError, match=TWO):
        await adopt(settings)
    async with workspace_server(
        PostgresWorkspaces(copied.app, operator=database.operator, owner=copied.owner)
    ) as served:
        assert (await (await served.client()).get("/readyz")).status_code == 503
    assert TWO in caplog.text


async def test_a_worker_with_two_databases_deletes_no_file(
    database: Database, copied: Database, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The operator's database does not know what users have uploaded into the other one."""

    async def text() -> AsyncIterator[bytes]:
        yield b"the only copy of this text"

    settings = load_settings(environ_of(folder, copied.app, copied.operator), folder)
    async with open_deployment(settings, lexical=True) as deployment:
        async with deployment.workspaces.administration() as operator:
            user = await operator.add_user("Ada")
        stored = await deployment.files.put(user.personal, text(), 1_000)
        async with deployment.workspaces.of(user.id) as session:
            await session.add_document(user.personal, "a.md", stored.content_hash, stored.size)
        for one in (settings.index / "files").glob("*/??/*"):
            os.utime(one, (0, 0))
        async with opened(copied.app, database.operator) as wrong:
            assert await sweep_files(wrong, deployment.files, 3_600, -1) == 0
        assert await deployment.files.read(user.personal, stored.content_hash)
    assert f"not swept: [workspace] database and [workspace] operator {TWO}" in caplog.text


async def test_a_database_that_only_reads_is_not_ready(
    postgres: Server, database: Database, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = load_settings(environ_of(folder, database.app, database.operator), folder)
    name = name_of(database)
    workspaces = PostgresWorkspaces(database.app, operator=database.operator, owner=database.owner)
    async with workspace_server(workspaces) as served:
        client = await served.client()
        assert (await client.get("/readyz")).status_code == 200
        postgres.run(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
        served.later(2)
        assert (await client.get("/readyz")).status_code == 503
        assert "not ready: [workspace] database connects to a database that is read" in caplog.text
        with pytest.raises(ReadOnlyDatabase):
            async with open_deployment(settings, lexical=True):
                pass
        async with opened(database.app, database.operator) as fresh:
            with pytest.raises(ReadOnlyDatabase, match="cannot execute INSERT"):
                await fresh.administer(lambda one: one.add_user("Ada"))
        postgres.run(f"ALTER DATABASE {name} RESET default_transaction_read_only")
        served.later(2)
        assert (await client.get("/readyz")).status_code == 200


async def test_a_database_in_another_encoding_is_refused_before_its_first_step(
    postgres: Server,
) -> None:
    postgres.run(
        "CREATE DATABASE ascii OWNER keeper ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C'"
        " TEMPLATE template0"
    )
    addresses = [postgres.address(one, "ascii") for one in ("web", "works", "keeper")]
    async with opened(*addresses) as workspaces:
        for call in (workspaces.migrate, workspaces.pending, workspaces.require_roles):
            with pytest.raises(ConfigError, match="encoding SQL_ASCII, and Pincite needs UTF8"):
                await call()


@pytest.mark.parametrize(
    "setting",
    ["DateStyle = 'German, DMY'", "DateStyle = 'SQL'", "client_encoding = latin1"],
)
async def test_settings_of_the_database_do_not_change_what_is_read(
    postgres: Server, database: Database, setting: str
) -> None:
    postgres.run(f"ALTER DATABASE {name_of(database)} SET {setting}")
    async with opened(database.app, database.operator) as workspaces:
        async with workspaces.administration() as operator:
            added = await operator.add_user("Ada 漢字")
            assert added in await operator.users()
            key = await operator.add_key(added.id, "laptop", "x" * 64, "prefix", ["search"])
        async with workspaces.of(added.id) as session:
            assert (await session.user()).created == added.created
            assert (await session.keys())[0].created == key.created


async def test_a_pooler_is_another_way_to_the_same_database(
    postgres: Server, database: Database
) -> None:
    name = name_of(database)
    postgres.run(f"ALTER DATABASE {name} SET DateStyle = 'German, DMY'")
    with pooled(postgres, name) as place:
        users = postgres.address("web", name, place, 6432)
        async with opened(users, database.operator) as workspaces:
            await workspaces.require_roles()
            async with workspaces.administration() as operator:
                added = await operator.add_user("Ada")
            async with workspaces.of(added.id) as session:
                assert (await session.user()).created == added.created


async def test_migrations_that_run_at_once_wait_for_each_other(postgres: Server) -> None:
    for _ in range(3):
        found = postgres.database()
        async with (
            opened(found.app, found.operator, found.owner) as one,
            opened(found.app, found.operator, found.owner) as two,
        ):
            taken = await asyncio.gather(one.migrate(), two.migrate())
            assert len(set(taken[0] + taken[1])) == len(taken[0]) + len(taken[1])
            assert await one.pending() == ()


@pytest.fixture
def nobody(postgres: Server) -> Iterator[str]:
    postgres.run("CREATE ROLE nobody_at_all LOGIN")
    yield "nobody_at_all"
    postgres.run("DROP ROLE nobody_at_all")


async def test_a_role_without_rights_is_not_told_of_its_role_in_a_space(
    postgres: Server, database: Database, nobody: str
) -> None:
    name = name_of(database)
    address = postgres.address(nobody, name)
    lacks = r"\[workspace\] {} connects with a role that lacks a right: permission denied for"
    async with opened(address, address, address) as workspaces:
        with pytest.raises(ConfigError, match=lacks.format("owner")):
            await workspaces.pending()
    async with opened(address, address) as workspaces:
        with pytest.raises(ConfigError, match=lacks.format("database")) as told:
            await workspaces.pending()
        assert told.value.hint == "GRANT pincite_app TO that role"
    fresh = postgres.database()
    async with opened("", "", postgres.address(nobody, name_of(fresh))) as workspaces:
        with pytest.raises(ConfigError, match=lacks.format("owner")):
            await workspaces.migrate()


async def test_a_role_of_another_group_sees_no_empty_deployment(
    postgres: Server, database: Database, nobody: str
) -> None:
    """Row level security would hide all rows from it."""
    for users, operator, refused in (
        (database.app, database.app, "operator"),
        (postgres.address(nobody, name_of(database)), database.operator, "database"),
    ):
        async with opened(users, operator) as workspaces:
            with pytest.raises(ConfigError, match=rf"{refused} connects with a role that is not"):
                await workspaces.require_roles()
    async with opened(database.app, database.app) as workspaces:
        with pytest.raises(ConfigError, match="is not a member of pincite_operator"):
            await workspaces.administer(lambda one: one.failed())


def test_commands_name_the_address_that_is_wrong(
    database: Database, copied: Database, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    for operator, told in ((database.app, "is not a member of"), (copied.operator, TWO)):
        for variable, value in environ_of(folder, database.app, operator).items():
            monkeypatch.setenv(variable, value)
        for command in ("status", "adopt"):
            done = CliRunner().invoke(app, ["workspace", command], standalone_mode=False)
            assert isinstance(done.exception, ConfigError)
            assert told in done.exception.message


async def test_an_answer_that_came_while_the_process_stood_still_is_read(
    database: Database,
) -> None:
    async with await psycopg.AsyncConnection.connect(database.app) as connection:
        with bounded(connection, 0.2):
            asked = asyncio.create_task(connection.execute("SELECT pg_sleep(0.05)"))
            await asyncio.sleep(0.01)
            time.sleep(1)  # noqa: ASYNC251
            await asked
        await connection.execute("SELECT 1")
        with pytest.raises(psycopg.Error), bounded(connection, 0.2):
            await connection.execute("SELECT pg_sleep(600)")
