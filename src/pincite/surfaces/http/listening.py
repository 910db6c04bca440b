"""`pincite serve`: open everything and listen until a signal ends the process."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from typing import Final

import uvicorn
from uvicorn.config import LOGGING_CONFIG

from pincite.settings.load import Settings
from pincite.support.log_lines import escape_log_lines
from pincite.support.processes.signals import on_signals
from pincite.surfaces.http.app import Names, make_app
from pincite.surfaces.http.resources import Resources
from pincite.surfaces.http.worker_process import working_beside
from pincite.surfaces.web.address import LOOPBACK, Address, bracketed
from pincite.surfaces.web.connections import BACKLOG, HttpLimits, limited_protocol
from pincite.workspace.access.issuer_keys import issuer_of
from pincite.workspace.deployment import open_deployment

DRAIN_S: Final = 30  # for started requests to complete, after the signal to end
_END_S: Final = 2  # for the others to be ended then; guess, unmeasured


async def listen(
    settings: Settings,
    address: Address,
    ready: Callable[[str], None],
    *,
    worker: bool = True,
    lexical: bool = False,
    page: bool = True,
) -> None:
    """Serve until SIGINT or SIGTERM. Started requests are completed, unless a second signal
    arrives. `worker` indexes uploads in a process beside this one, `lexical` makes a new index for
    keyword search only, `page` is served at /ui. `ready` is called with the URL once clients can
    connect. Raises UsageError if the address is not available, and WorkspaceUnavailable."""
    async with AsyncExitStack() as stack:
        opened = await stack.enter_async_context(open_deployment(settings, lexical=lexical))
        listener = stack.enter_context(address.listen())
        port = listener.getsockname()[1]
        shown = bracketed(address.host)
        names = {*(f"{one}:{port}" for one in (*map(bracketed, LOOPBACK), shown))}
        issuer = issuer_of(settings.workspace.oidc)
        if issuer is not None:
            stack.push_async_callback(issuer.close)
        resources = Resources(opened.workspace, opened.workspaces, opened.files, issuer=issuer)
        stack.push_async_callback(resources.showing.close)
        app = make_app(resources, Names((*names, *address.hosts), address.origins), page=page)
        config = uvicorn.Config(
            app,
            backlog=BACKLOG,
            http=limited_protocol(HttpLimits(body_s=600.0)),
            lifespan="off",
            access_log=False,
            log_level="warning",
            log_config=None if settings.logging.format == "json" else LOGGING_CONFIG,
            server_header=False,
            timeout_graceful_shutdown=DRAIN_S + _END_S,
        )
        if settings.logging.format != "json":
            escape_log_lines()
        server = _Server(config, app.end)
        cut = None
        if worker:
            cut = await stack.enter_async_context(working_beside(settings, lexical=lexical))
        on_signals(("SIGINT", "SIGTERM", "SIGBREAK"), lambda: _end(server, cut))
        ready(f"http://{shown}:{port}")
        await server.serve([listener])


class _Server(uvicorn.Server):
    """A server that does not handle signals: after its end they are for the worker. On shutdown, it
    calls `end_requests` after DRAIN_S, and when it no longer waits for requests."""

    def __init__(self, config: uvicorn.Config, end_requests: Callable[[], None]) -> None:
        super().__init__(config)
        self._end_requests = end_requests

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        ending = asyncio.get_running_loop().call_later(DRAIN_S, self._end_requests)
        try:
            await super().shutdown(sockets)
        finally:
            ending.cancel()
            self._end_requests()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _end(server: uvicorn.Server, cut: Callable[[], None] | None) -> None:
    """End the server: gracefully at the first signal, at once at the second."""
    if server.should_exit:
        server.force_exit = True
        if cut is not None:
            cut()
    server.should_exit = True
