"""Whether there is work is asked all the time, and read from indexes alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from pincite.workspace.database import jobs
from pincite.workspace.database.sqlite import SqliteWorkspaces

pytestmark = pytest.mark.anyio


async def test_the_look_for_work_reads_no_job_that_is_not_due(tmp_path: Path) -> None:
    workspaces = SqliteWorkspaces(tmp_path / "workspaces.db")
    await workspaces.migrate()
    try:
        async with workspaces._transaction(None) as transaction:
            sql = f"EXPLAIN QUERY PLAN {jobs._ANY}"
            plan = [str(row[-1]) for row in await transaction.rows(sql, now="1", soon="2")]
    finally:
        await workspaces.close()
    assert sum("SEARCH jobs USING" in step for step in plan) == 2
    assert not any("SCAN" in step for step in plan)
