"""A server says whether it is ready, and its log says why it is not."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from pincite.errors import WorkspaceUnavailable
from pincite.workspace.database.schema_steps import steps_of
from pincite.workspace.database.sqlite import SqliteWorkspaces
from pincite.workspace.workspace import Workspace
from tests.disks import fill, small_disk
from tests.quick_folder import quick_folder
from tests.surfaces.http.workspace_server import workspace_server

pytestmark = pytest.mark.anyio
STEPS = len(steps_of("sqlite"))


async def test_a_server_is_ready_after_a_newer_version_added_and_not_after_it_took_away(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with quick_folder() as folder:
        path = folder / "workspaces.db"
        async with workspace_server(SqliteWorkspaces(path)) as served:
            anna = await served.person("Anna")
            assert (await anna.client.get("/readyz")).json() == {"ready": True}
            for number, name, expected in (
                (STEPS + 1, "more", []),
                (
                    STEPS + 2,
                    "less_contract",
                    ["the database has a later schema: upgrade this server"],
                ),
            ):
                db = sqlite3.connect(path)
                db.execute(
                    "INSERT INTO schema_steps VALUES (?, ?)", (number, f"{number:04}_{name}")
                )
                db.execute(f"PRAGMA user_version = {number}")
                db.commit()
                db.close()
                served.later(2)
                said = await anna.client.get("/readyz")
                assert said.status_code == (503 if expected else 200)
                assert said.json() == {"ready": not expected}
                logged = [one.getMessage() for one in caplog.records]
                assert logged == [f"not ready: {one}" for one in expected]
            assert (await anna.client.get("/v1/spaces")).status_code == 200  # it is in use still


async def test_reasons_are_logged_when_they_change_and_not_shown(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with workspace_server() as served:
        client = await served.client()
        states = iter((False, True, True, False))

        async def check(self: Workspace) -> None:
            if next(states):
                raise WorkspaceUnavailable("refused by 10.0.0.7")

        monkeypatch.setattr(Workspace, "check_index", check)
        answers = []
        for _ in range(4):
            served.later(2)
            said = await client.get("/readyz")
            answers.append((said.status_code, said.json()))
    up, failed = (200, {"ready": True}), (503, {"ready": False})
    assert answers == [up, failed, failed, up]
    logged = [one.getMessage() for one in caplog.records if one.name == "pincite.http"]
    assert logged == ["not ready: the index does not answer", "ready again"]


async def test_a_server_is_not_ready_while_the_disk_of_its_database_is_full(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with small_disk(tmp_path, 8) as disk:
        async with workspace_server(SqliteWorkspaces(disk / "workspaces.db")) as served:
            anna = await served.person("Anna")
            assert (await anna.client.get("/readyz")).status_code == 200
            fill(disk, 0)
            for _ in range(100):  # the journal has some room left
                served.later(2)
                said = await anna.client.get("/readyz")
                if said.status_code != 200:
                    break
            assert (said.status_code, said.json()) == (503, {"ready": False})
            served.resources.rates._blocks.clear()
            assert (await anna.client.get("/v1/spaces")).status_code == 507
            served.later(2)
            assert (await anna.client.get("/readyz")).status_code == 503
            (disk / "filler").unlink()
            served.later(2)
            assert (await anna.client.get("/readyz")).status_code == 200
            assert (await anna.client.get("/v1/spaces")).status_code == 200
            assert await served.resources.workspaces.pending() == ()
    logged = [one.getMessage() for one in caplog.records if one.name == "pincite.http"]
    assert logged[0] == "not ready: the disk of the database is full"
    assert logged[-1] == "ready again"
