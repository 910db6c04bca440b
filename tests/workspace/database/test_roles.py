"""A server whose database would not bind its users does not start, and is never ready."""

from __future__ import annotations

import pytest

from pincite.errors import ConfigError
from pincite.settings.load import load_settings
from pincite.workspace.database.postgres import PostgresWorkspaces
from pincite.workspace.deployment import open_deployment
from tests.quick_folder import quick_folder
from tests.surfaces.http.workspace_server import workspace_server
from tests.workspace.postgres_server import Database

pytestmark = pytest.mark.anyio
#: Which role connects as users, which one as the operator, and the address that is refused.
WRONG = [
    ("superuser", "operator", "database"),
    ("operator", "operator", "database"),
    ("owner", "operator", "database"),
    ("app", "superuser", "operator"),
    ("app", "owner", "operator"),
]


@pytest.mark.parametrize(("users", "operator", "refused"), WRONG)
async def test_a_server_does_not_start_with_a_role_that_bypasses_the_rules(
    database: Database, users: str, operator: str, refused: str
) -> None:
    with quick_folder() as folder:
        environ = {
            "PINCITE_DATABASE_URL": getattr(database, users),
            "PINCITE_DATABASE_OPERATOR_URL": getattr(database, operator),
            "PINCITE_OFFLINE": "1",
        }
        settings = load_settings(environ, folder, folder / "index")
        with pytest.raises(ConfigError, match=rf"\[workspace\] {refused} connects with a role"):
            async with open_deployment(settings, lexical=True):
                pass


@pytest.mark.parametrize(("users", "operator", "refused"), [*WRONG, ("app", "operator", "")])
async def test_a_server_is_ready_only_with_roles_that_are_bound(
    database: Database,
    users: str,
    operator: str,
    refused: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    workspaces = PostgresWorkspaces(
        getattr(database, users), operator=getattr(database, operator), owner=database.owner
    )
    async with workspace_server(workspaces) as served:
        said = await (await served.client()).get("/readyz")
    assert (said.status_code, said.json()) == (503 if refused else 200, {"ready": not refused})
    logged = [one.getMessage() for one in caplog.records if one.name == "pincite.http"]
    assert [f"not ready: [workspace] {refused}" in one for one in logged] == [True] * bool(refused)
