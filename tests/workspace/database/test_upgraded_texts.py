"""Documents that had been uploaded before the database knew which texts were replaced."""

from __future__ import annotations

import sqlite3
from functools import partial
from pathlib import Path

import psycopg
import pytest

from pincite.support.fields import replace
from pincite.workspace.database import postgres as postgres_module
from pincite.workspace.database import sqlite_file
from pincite.workspace.database.postgres import PostgresWorkspaces
from pincite.workspace.database.postgres_schema import WORKSPACE_SCHEMA
from pincite.workspace.database.schema_steps import steps_of
from pincite.workspace.database.sqlite import SqliteWorkspaces
from pincite.workspace.ports import Workspaces
from tests.workspace.postgres_server import Server

pytestmark = pytest.mark.anyio

ID = "00000000-0000-4000-8000-{:012d}"
#: Status, version and indexed version before the step, and the text version after it.
DOCUMENTS = (
    ("pending", 1, 0, 0),
    ("pending", 3, 1, 3),
    ("indexing", 2, 1, 2),
    ("ready", 4, 4, 0),
    ("failed", 2, 1, 0),
)
ROWS = (
    f"INSERT INTO users VALUES ('{ID.format(1)}', 'Ada', '', '2026-01-01T00:00:00+00:00')",
    f"INSERT INTO spaces VALUES ('{ID.format(2)}', 'Ada', '{ID.format(1)}',"
    " '2026-01-01T00:00:00+00:00')",
    *(
        "INSERT INTO documents (id, space_id, user_id, filename, content_hash, bytes, status,"
        f" version, indexed_version, given, created, updated) VALUES ('{ID.format(10 + number)}',"
        f" '{ID.format(2)}', '{ID.format(1)}', 'a.md', 'h', 1, '{status}', {version}, {indexed},"
        " '{}', '2026-01-01T00:00:00+00:00', '2026-01-01T00:00:00+00:00')"
        for number, (status, version, indexed, _) in enumerate(DOCUMENTS)
    ),
    f"UPDATE jobs SET state = 'done' WHERE document_id = '{ID.format(14)}'",
)
READ = "SELECT text_version FROM documents ORDER BY id"


async def test_what_waits_for_the_index_counts_as_new_in_sqlite(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "workspaces.db"
    with monkeypatch.context() as former:
        former.setattr(sqlite_file, "steps_of", lambda kind: steps_of(kind)[:10])
        workspaces = SqliteWorkspaces(path)
        await workspaces.migrate()
        await workspaces.close()
    with sqlite3.connect(path) as db:
        db.create_function("app_user_id", 0, partial(ID.format, 1))
        db.create_function("app_new_id", 0, iter(map(ID.format, range(50, 60))).__next__)
        for row in ROWS:
            db.execute(row)
    db.close()
    workspaces = SqliteWorkspaces(path)
    await workspaces.migrate()
    with sqlite3.connect(path) as db:
        assert [one for (one,) in db.execute(READ)] == [one[3] for one in DOCUMENTS]
    db.close()
    await _retries(workspaces)
    await workspaces.close()


async def _retries(workspaces: Workspaces) -> None:
    """The one that failed is queued again, once, and its new content counts as new."""
    async with workspaces.administration() as operator:
        counts = await operator.counts()
        assert counts.documents["failed"] == 1
    for found in (1, 0):
        assert await workspaces.administer(lambda one: one.retry_failed_before(200)) == found
    async with workspaces.administration() as operator:
        counts = await operator.counts()
        assert counts.documents["failed"] == 0
        assert await operator.replaced([ID.format(14)]) == {ID.format(14)}
        jobs = {one.document_id: one.state for one in await operator.open_jobs()}
        assert jobs[ID.format(14)] == "waiting"


async def test_what_waits_for_the_index_counts_as_new_in_postgresql(
    postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = postgres.database()
    workspaces = PostgresWorkspaces(found.app, operator=found.operator, owner=found.owner)
    former_steps = replace(WORKSPACE_SCHEMA, steps=lambda: steps_of("postgres")[:10])
    with monkeypatch.context() as former:
        former.setattr(postgres_module, "_SCHEMAS", (former_steps,))
        await workspaces.migrate()
    with psycopg.connect(found.superuser) as connection:
        connection.execute(b"SET search_path = pincite")
        for row in ROWS:
            connection.execute(row.encode())
    await workspaces.migrate()
    with psycopg.connect(found.superuser) as connection:
        connection.execute(b"SET search_path = pincite")
        assert [one for (one,) in connection.execute(READ.encode())] == [
            one[3] for one in DOCUMENTS
        ]
        (forced,) = connection.execute(
            "SELECT relforcerowsecurity FROM pg_class WHERE oid = 'documents'::regclass"
        ).fetchone() or (None,)
    assert forced
    await _retries(workspaces)
    await workspaces.close()
