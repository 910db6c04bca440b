"""`pincite serve`: what is open, listening, until it is told to end."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass

import uvicorn

from pincite.errors import ConfigError, UsageError
from pincite.settings.load import Settings
from pincite.surfaces.http.app import Names, make_app
from pincite.surfaces.http.serving import Desk
from pincite.surfaces.mcp.limits import HttpLimits, limited_protocol
from pincite.workspace.deployment import open_deployment
from pincite.workspace.worker import WorkerConfig, WorkerDeps, work

_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_DRAIN_S = 30


@dataclass(frozen=True, slots=True)
class Listening:
    """Where to listen, and which names clients may use for it. `hosts` are further values of the
    header Host, `origins` of the header Origin, complete and with their port."""

    host: str = "127.0.0.1"
    port: int = 8700
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    worker: bool = True
    lexical: bool = False

    def __post_init__(self) -> None:
        if self.host not in _LOOPBACK and not self.hosts:
            raise ConfigError(
                f"{self.host} can be reached from other machines, so say by which names",
                hint=f"pincite serve --host {self.host} --allow-host NAME:{self.port}",
            )


async def listen(settings: Settings, wanted: Listening, ready: Callable[[str], None]) -> None:
    """Serve until SIGINT or SIGTERM; requests that have begun are answered. `ready` is told the
    URL once clients can connect. Raises UsageError where the address cannot be had, and
    WorkspaceUnavailable."""
    async with AsyncExitStack() as stack:
        opened = await stack.enter_async_context(open_deployment(settings, lexical=wanted.lexical))
        family = socket.AF_INET6 if ":" in wanted.host else socket.AF_INET
        listener = stack.enter_context(socket.socket(family))
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((wanted.host, wanted.port))
        except OSError as error:
            raise UsageError(
                f"{wanted.host}:{wanted.port} cannot be listened on: {error.strerror}",
                hint="another --port, or 0 for any",
            ) from error
        port = listener.getsockname()[1]
        shown = f"[{wanted.host}]" if ":" in wanted.host else wanted.host
        names = {*(f"{one}:{port}" for one in ("localhost", "127.0.0.1", "[::1]", shown))}
        desk = Desk(opened.workspace, opened.workspaces, opened.files)
        app = make_app(desk, Names((*names, *wanted.hosts), wanted.origins))
        config = uvicorn.Config(
            app,
            http=limited_protocol(HttpLimits(body_s=600.0)),
            lifespan="off",
            access_log=False,
            log_level="warning",
            server_header=False,
            timeout_graceful_shutdown=_DRAIN_S,
        )
        server = _Server(config, lambda: ready(f"http://{shown}:{port}"))
        ending = asyncio.Event()
        working = None
        if wanted.worker:
            working = asyncio.create_task(work(WorkerDeps.of(opened), WorkerConfig(), ending))
        try:
            await server.serve([listener])
        finally:
            ending.set()
            if working is not None:
                await working


class _Server(uvicorn.Server):
    """Says when clients can connect."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen."""
        await super().startup(sockets)
        if self.started:
            self._ready()
