"""Run an HTTP server of a command until it is interrupted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from socket import socket

import uvicorn

from pincite.support.processes.signals import on_signals


class _Server(uvicorn.Server):
    """A server that does not handle signals: uvicorn would raise them again at its end."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture no signals."""
        yield


async def serve_until_signal(
    config: uvicorn.Config, listener: socket, ready: Callable[[], None]
) -> None:
    """Serve until SIGINT or SIGTERM. At the second signal, open connections are closed at once.
    `ready` is called when a signal ends the server in order; clients may connect before."""
    server = _Server(config)

    def stop() -> None:
        server.force_exit = server.should_exit
        server.should_exit = True

    on_signals(("SIGINT", "SIGTERM"), stop)
    ready()
    await server.serve([listener])
