"""A transaction that takes too long ends with the reason, which is not that PostgreSQL is away."""

from __future__ import annotations

import pytest

from pincite.errors import StoreError, WorkspaceUnavailable
from pincite.support.databases.postgres import Pool
from pincite.workspace.database import postgres as postgres_module
from pincite.workspace.database.postgres import PostgresWorkspaces
from tests.workspace.postgres_server import Database

pytestmark = pytest.mark.anyio


async def test_a_transaction_of_workspaces_says_that_it_took_too_long(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_module, "_LONGEST_S", 0.3)
    workspaces = PostgresWorkspaces(database.app, operator=database.operator)
    try:
        with pytest.raises(WorkspaceUnavailable, match=r"took longer than 0\.3 s") as ended:
            async with workspaces._transaction("operator", "") as transaction:
                await transaction.rows("SELECT pg_sleep(60)")
        assert "check that PostgreSQL runs" not in ended.value.hint
        assert "run the same command again" in ended.value.hint
        async with workspaces.administration() as operator:
            assert await operator.users() == ()
    finally:
        await workspaces.close()


async def test_a_call_of_the_index_says_so_too(database: Database) -> None:
    pool = Pool(database.operator)
    try:
        with pytest.raises(StoreError, match=r"took longer than 0\.3 s") as ended:
            async with pool.connection(0.3) as connection:
                await connection.execute(b"SELECT pg_sleep(60)")
        assert "check that PostgreSQL runs" not in ended.value.hint
    finally:
        await pool.close()
