"""Databases of workspaces, one for each test of a suite."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import pytest

from pincite.workspace.database.postgres import PostgresWorkspaces
from pincite.workspace.database.sqlite import SqliteWorkspaces
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


_GROWS = re.compile(r"SCAN (documents|feed_documents|document_sources|conversations|turns)\b")
_COUNTS_ALL = "SELECT 'job', state, count(*)"  # for the metrics


class Planned(sqlite3.Connection):
    """Keeps how SQLite carries out each statement."""

    plans: ClassVar[dict[str, list[str]]] = {}

    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        if sql.startswith(("SELECT", "UPDATE", "DELETE", "INSERT", "WITH")):
            steps = super().execute(f"EXPLAIN QUERY PLAN {sql}", *values)
            self.plans[sql] = [step for *_, step in steps]
        return super().execute(sql, *values)


class OnSqlite:
    """Opens a file of each test's own. No statement may read all rows of a table that grows."""

    @pytest.fixture(autouse=True)
    def _place(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        self.path = tmp_path / "workspaces.db"
        monkeypatch.setattr(sqlite3, "connect", partial(sqlite3.connect, factory=Planned))
        Planned.plans.clear()
        yield
        assert Planned.plans
        for sql, steps in Planned.plans.items():
            assert sql.startswith(_COUNTS_ALL) or not any(map(_GROWS.search, steps)), (sql, steps)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Workspaces]:
        clock = self.clock  # type: ignore[attr-defined]
        workspaces = SqliteWorkspaces(self.path, clock, losses=3)
        await workspaces.migrate()
        try:
            yield workspaces
        finally:
            await workspaces.close()
