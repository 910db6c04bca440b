"""A server says why it is not ready."""

from __future__ import annotations

import sqlite3

import pytest

from pincite.workspace.schema_steps import steps_of
from pincite.workspace.sqlite import SqliteWorkspaces
from tests.places import quick_folder
from tests.surfaces.http.desks import office

pytestmark = pytest.mark.anyio
STEPS = len(steps_of("sqlite"))


async def test_a_server_is_ready_after_a_newer_version_added_and_not_after_it_took_away() -> None:
    with quick_folder() as folder:
        path = folder / "workspaces.db"
        async with office(SqliteWorkspaces(path)) as served:
            anna = await served.person("Anna")
            assert (await anna.client.get("/readyz")).json() == {"ready": True, "reasons": []}
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
                assert said.json()["reasons"] == expected
            assert (await anna.client.get("/v1/spaces")).status_code == 200  # it is in use still
