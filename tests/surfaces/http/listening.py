"""An application that listens on a port of this machine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn

from tests.surfaces.http.workspace_server import WorkspaceServer


@asynccontextmanager
async def listening(served: WorkspaceServer) -> AsyncIterator[int]:
    config = uvicorn.Config(served.app, port=0, http="h11", lifespan="off", log_level="critical")
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110 - it has no event for it
        await asyncio.sleep(0.01)
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        await task
