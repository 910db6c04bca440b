"""A workspace over each real database, with two users."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass

import pytest

from pincite.settings.load import load_settings
from pincite.workspace import Access, Document, User
from pincite.workspace.database.open import open_workspaces
from pincite.workspace.ports import Workspaces
from pincite.workspace.workspace import Workspace
from tests.quick_folder import quick_folder
from tests.workspace.memory import page
from tests.workspace.postgres_server import Database, Server


@dataclass
class Real:
    """A workspace over a database, with two users."""

    workspace: Workspace
    workspaces: Workspaces
    anna: User
    bert: User

    async def upload(self, user: User, space_id: str, text: str) -> Document:
        async with self.workspaces.of(user.id) as session:
            made = await session.add_document(space_id, "a.txt", "0" * 64, len(text))
        await self.workspace.index_document(made, page(text))
        return made

    async def found(self, access: Access, text: str) -> set[str]:
        pack = await self.workspace.search(access, text)
        return {item.path.rpartition("/")[2] for item in (*pack.evidence, *pack.closest)}


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest) -> Database | None:
    """None for a file beside the index."""
    if request.param == "sqlite":
        return None
    server: Server = request.getfixturevalue("postgres")
    return server.database(request.getfixturevalue("migrated"))


@pytest.fixture(params=["edge", "sqlite"])
async def real(request: pytest.FixtureRequest, database: Database | None) -> AsyncIterator[Real]:
    store = request.param
    with quick_folder() as folder:
        (folder / "pincite.toml").write_text(f'[store]\nkind = "{store}"\n')
        settings = load_settings({"PINCITE_IDLE_S": "60", "PINCITE_OFFLINE": "1"}, folder)
        workspaces = open_workspaces(folder)
        if database is not None:
            workspaces = open_workspaces(
                database.app, operator=database.operator, owner=database.owner
            )
        await workspaces.migrate()
        async with workspaces.administration() as operator:
            anna, bert = await operator.add_user("anna"), await operator.add_user("bert")
        async with Workspace(settings, workspaces, lexical=True) as workspace:
            yield Real(workspace, workspaces, anna, bert)
            await workspace._engine.stop()
        await workspaces.close()
