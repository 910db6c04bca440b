"""Workspaces in one SQLite file keep what `Workspaces` promises."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

import pytest

from pincite.testing.workspace_documents import WorkspaceDocumentsContract
from pincite.testing.workspace_jobs import WorkspaceJobsContract
from pincite.testing.workspaces import WorkspacesContract
from pincite.workspace.database.sqlite import SqliteWorkspaces
from pincite.workspace.ports import Workspaces

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


class TestSqlite(OnSqlite, WorkspacesContract):
    """What is seen and changed."""


class TestDocumentsOnSqlite(OnSqlite, WorkspaceDocumentsContract):
    """Documents, feeds and what an access comes to."""


class TestJobsOnSqlite(OnSqlite, WorkspaceJobsContract):
    """What workers do."""
