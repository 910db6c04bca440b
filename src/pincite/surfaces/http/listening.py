"""`pincite serve`: what is open, listening, until it is told to end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack

import uvicorn
from uvicorn.config import LOGGING_CONFIG

from pincite.settings.load import Settings
from pincite.surfaces.address import LOOPBACK, Address, bracketed
from pincite.surfaces.http.app import Names, make_app
from pincite.surfaces.http.serving import Desk
from pincite.surfaces.mcp.limits import HttpLimits, limited_protocol
from pincite.workspace.deployment import open_deployment
from pincite.workspace.worker import WorkerConfig, WorkerDeps, work

_DRAIN_S = 30


async def listen(
    settings: Settings,
    address: Address,
    ready: Callable[[str], None],
    *,
    worker: bool = True,
    lexical: bool = False,
) -> None:
    """Serve until SIGINT or SIGTERM; requests that have begun are answered. `worker` indexes
    uploads in this process, `lexical` makes a new index for words alone. `ready` is told the
    URL once clients can connect. Raises UsageError where the address cannot be had, and
    WorkspaceUnavailable."""
    async with AsyncExitStack() as stack:
        opened = await stack.enter_async_context(open_deployment(settings, lexical=lexical))
        listener = stack.enter_context(address.listen())
        port = listener.getsockname()[1]
        shown = bracketed(address.host)
        names = {*(f"{one}:{port}" for one in (*map(bracketed, LOOPBACK), shown))}
        desk = Desk(opened.workspace, opened.workspaces, opened.files)
        app = make_app(desk, Names((*names, *address.hosts), address.origins))
        config = uvicorn.Config(
            app,
            http=limited_protocol(HttpLimits(body_s=600.0)),
            lifespan="off",
            access_log=False,
            log_level="warning",
            log_config=None if settings.logging.format == "json" else LOGGING_CONFIG,
            server_header=False,
            timeout_graceful_shutdown=_DRAIN_S,
        )
        ending = asyncio.Event()
        working = None
        if worker:
            working = asyncio.create_task(work(WorkerDeps.of(opened), WorkerConfig(), ending))
        try:
            ready(f"http://{shown}:{port}")
            await uvicorn.Server(config).serve([listener])
        finally:
            ending.set()
            if working is not None:
                await working
