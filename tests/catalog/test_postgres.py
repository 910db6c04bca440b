"""The catalog in PostgreSQL, on a real server."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio
import psycopg
import pytest

from pincite.catalog.postgres import PostgresCatalog
from pincite.errors import ConfigError, InvalidPoint, StoreError
from pincite.model import TermCounts
from pincite.ports import Catalog
from pincite.support.databases.postgres import Pool
from pincite.testing.catalogs import CatalogContract, counts_of, record_of
from pincite.testing.points import DENSE_SPEC
from tests.workspace.conftest import anyio_backend, migrated, postgres
from tests.workspace.postgres_server import Database, Server

__all__ = ["anyio_backend", "migrated", "postgres"]


class TestPostgres(CatalogContract):
    @pytest.fixture(autouse=True)
    def _database(self, postgres: Server, migrated: str) -> None:
        self.database = postgres.database(migrated)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Catalog]:
        catalog = PostgresCatalog(Pool(self.database.operator))
        yield catalog
        await catalog.close()


@pytest.fixture
def database(postgres: Server, migrated: str) -> Database:
    return postgres.database(migrated)


async def _put(catalog: Catalog, *names: str) -> None:
    for name in names:
        await catalog.put("main", [record_of(f"{name}.md", name)], {name: counts_of(1, 7)})


def test_processes_that_write_at_once_lose_no_count(database: Database) -> None:
    async def both() -> TermCounts:
        one, other = (PostgresCatalog(Pool(database.operator)) for _ in range(2))
        await one.put_spec(DENSE_SPEC)
        async with anyio.create_task_group() as group:
            group.start_soon(_put, one, *"abcdef")
            group.start_soon(_put, other, *"bcdefg")
        totals = await one.totals("main")
        assert (totals.documents, totals.chunks) == (7, 14)
        found = await other.frequencies("main", [7])
        await one.close()
        await other.close()
        return found

    assert anyio.run(both) == TermCounts(7, {7: 7})


@pytest.mark.parametrize("role", ["app", "owner"])
def test_only_the_operator_reads_and_writes(database: Database, role: str) -> None:
    tables = ("collections", "documents", "records", "texts", "file_pieces", "leases", "settled")
    with psycopg.connect(getattr(database, role), autocommit=True) as connection:
        found = connection.execute(
            "SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
            " WHERE n.nspname = 'pincite_index' AND c.relkind = 'r' AND c.relname <> 'steps'"
            " AND has_table_privilege('pincite_app', c.oid, 'SELECT, INSERT, UPDATE, DELETE')"
        ).fetchall()
        assert found == []
        if role == "app":
            for table in tables:
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    connection.execute(f"SELECT * FROM pincite_index.{table}".encode())


def test_a_name_that_postgresql_cannot_keep_is_named(database: Database) -> None:
    async def run() -> None:
        catalog = PostgresCatalog(Pool(database.operator))
        await catalog.put_spec(DENSE_SPEC)
        for path in ("a\0b.md", os.urandom(8_000).hex()):
            with pytest.raises(InvalidPoint, match="PostgreSQL cannot store"):
                await catalog.put("main", [record_of(path, "r1")])
        assert await catalog.documents("main") == ()
        await catalog.close()

    anyio.run(run)


def test_a_database_that_was_not_migrated_says_so(postgres: Server) -> None:
    empty = postgres.database()

    async def run() -> None:
        catalog = PostgresCatalog(Pool(empty.operator))
        with pytest.raises(StoreError) as caught:
            await catalog.specs()
        assert "workspace migrate" in caught.value.hint
        await catalog.close()

    anyio.run(run)


def test_a_password_is_in_no_message(postgres: Server) -> None:
    async def run(address: str, kind: type[Exception]) -> str:
        with pytest.raises(kind) as caught:
            await PostgresCatalog(Pool(address)).specs()
        return repr(caught.value) + str(caught.value.__cause__)

    for address, kind in (
        ("postgresql://a:s3cret@host/database?nothing=1", ConfigError),
        ("postgresql://a:s3cret@127.0.0.1:1/database", StoreError),
    ):
        assert "s3cret" not in anyio.run(run, address, kind)


def test_a_database_of_an_earlier_version_names_the_command_that_mends_it(
    database: Database,
) -> None:
    with psycopg.connect(database.owner, autocommit=True) as connection:
        connection.execute(b"ALTER TABLE pincite_index.documents DROP COLUMN chunk_ids")

    async def put() -> None:
        catalog = PostgresCatalog(Pool(database.operator))
        try:
            await catalog.put_spec(DENSE_SPEC)
            await _put(catalog, "a")
        finally:
            await catalog.close()

    with pytest.raises(StoreError, match="earlier version") as caught:
        anyio.run(put)
    assert caught.value.hint == "pincite workspace migrate"
