"""A server of workspaces for tests: a real index, a real database, real files, and its users."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx

from pincite.settings.load import load_settings
from pincite.surfaces.http.app import Names, make_app
from pincite.surfaces.http.guard import GuardLimits
from pincite.surfaces.http.resources import RequestLimits, Resources
from pincite.workspace import KeyScope
from pincite.workspace.access.issuer_keys import IssuerKeys
from pincite.workspace.access.keys import make_key
from pincite.workspace.database.sqlite import SqliteWorkspaces
from pincite.workspace.files.file_store import FileStore
from pincite.workspace.files.folder import FolderFiles
from pincite.workspace.ports import Workspaces
from pincite.workspace.worker.deps import WorkerConfig, WorkerDeps
from pincite.workspace.worker.loop import work_once
from pincite.workspace.workspace import Workspace
from tests.quick_folder import quick_folder

HOST = "pincite.test"


@dataclass
class Person:
    """A user with a key. `client` sends it."""

    id: str
    personal: str
    client: httpx.AsyncClient
    key: str

    async def upload(self, name: str, text: str | bytes, **parameters: Any) -> dict[str, Any]:
        raw = text.encode() if isinstance(text, str) else text
        said = await self.client.post(
            "/v1/documents", content=raw, params={"filename": name, **parameters}
        )
        assert said.status_code == 202, said.text
        made: dict[str, Any] = said.json()
        return made

    async def found(self, question: str, **within: Any) -> set[str]:
        """The names of the files that are evidence, or nearest where there is none."""
        said = await self.client.post("/v1/search", json={"question": question, **within})
        assert said.status_code == 200, said.text
        pack = said.json()
        return {one["attributes"]["filename"] for one in (*pack["evidence"], *pack["closest"])}


@dataclass
class WorkspaceServer:
    """The server and who may ask it."""

    resources: Resources
    app: Any
    deps: WorkerDeps
    stack: AsyncExitStack
    now: datetime = field(default_factory=lambda: datetime.now(UTC))

    async def person(
        self,
        name: str,
        scopes: Iterable[KeyScope] = ("search", "write"),
        *,
        space_id: str | None = None,
        user_id: str | None = None,
        expires: datetime | None = None,
    ) -> Person:
        """A new user with a key, or another key of a user."""
        async with self.resources.workspaces.administration() as operator:
            if user_id is None:
                user_id = (await operator.add_user(name)).id
            new = make_key()
            await operator.add_key(
                *(user_id, name, new.hash, new.prefix, tuple(scopes)),
                space_id=space_id,
                expires=expires,
            )
        async with self.resources.workspaces.of(user_id) as session:
            personal = (await session.user()).personal
        return Person(user_id, personal, await self.client(new.text), new.text)

    async def client(self, key: str = "") -> httpx.AsyncClient:
        headers = {"authorization": f"Bearer {key}"} if key else {}
        return await self.stack.enter_async_context(
            httpx.AsyncClient(
                transport=httpx.ASGITransport(app=self.app, raise_app_exceptions=False),
                base_url=f"http://{HOST}",
                headers=headers,
                timeout=60,
            )
        )

    async def work(self) -> int:
        """Do all that is due; returns how many jobs."""
        count = 0
        while await work_once(self.deps, WorkerConfig()):
            count += 1
        return count

    def later(self, seconds: float) -> None:
        """The clock of the server goes on."""
        self.now += timedelta(seconds=seconds)


@asynccontextmanager
async def workspace_server(
    workspaces: Workspaces | None = None,
    limits: RequestLimits = RequestLimits(per_minute=100_000),
    guard: GuardLimits = GuardLimits(),
    issuer: IssuerKeys | None = None,
    files: FileStore | None = None,
) -> AsyncIterator[WorkspaceServer]:
    """A server with an empty database and index."""
    async with AsyncExitStack() as stack:
        folder: Path = stack.enter_context(quick_folder())
        settings = load_settings({"PINCITE_IDLE_S": "60", "PINCITE_OFFLINE": "1"}, folder)
        given = workspaces or SqliteWorkspaces(folder / "workspaces.db")
        await given.migrate()
        stack.push_async_callback(given.close)
        workspace = await stack.enter_async_context(Workspace(settings, given, lexical=True))
        files = files or FolderFiles(folder / "files")
        made: WorkspaceServer
        resources = Resources(workspace, given, files, limits, lambda: made.now, issuer=issuer)
        stack.push_async_callback(resources.showing.close)
        made = WorkspaceServer(
            resources,
            make_app(resources, Names((HOST,)), guard),
            WorkerDeps("w1", given, workspace, files, lambda: 0.5),
            stack,
        )
        yield made
