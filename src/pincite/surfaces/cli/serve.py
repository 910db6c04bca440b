"""`pincite serve` and `pincite worker`."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import click

from pincite.errors import ConfigError
from pincite.support.counted import counted
from pincite.support.processes.signals import on_signals
from pincite.surfaces.cli.options import index_option
from pincite.surfaces.cli.output import say
from pincite.surfaces.cli.run import settings_here

lexical_option = click.option(
    "--lexical", is_flag=True, help="Create a keyword index, without a dense model."
)


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8700,
    show_default=True,
    help="Port; 0 for any.",
)
@click.option("--allow-host", multiple=True, help="An additional allowed Host header.")
@click.option("--allow-origin", multiple=True, help="An origin of web pages that may connect.")
@click.option(
    "--worker/--no-worker",
    default=True,
    show_default=True,
    help="Index uploads in a second process; otherwise run `pincite worker`.",
)
@click.option(
    "--page/--no-page",
    default=True,
    show_default=True,
    help="Serve the page for browsers at /ui.",
)
@lexical_option
@index_option
def serve(
    host: str,
    port: int,
    allow_host: tuple[str, ...],
    allow_origin: tuple[str, ...],
    worker: bool,
    page: bool,
    lexical: bool,
    index: Path | None,
) -> None:
    """Serve workspaces over HTTP to users with keys, until interrupted.

    The API is described at http://HOST:PORT/openapi.json. Users and keys: `pincite workspace`.
    """
    _require_libraries()
    from pincite.surfaces.http.listening import listen
    from pincite.surfaces.tracing import server_says, watched
    from pincite.surfaces.web.address import Address

    settings = settings_here(index)
    address = Address(host, port, allow_host, allow_origin, "pincite serve")
    told = server_says(settings, say)

    def ready(url: str) -> None:
        told(f"serving {settings.index} at {url}")

    with watched(settings, told):
        serving = listen(settings, address, ready, worker=worker, lexical=lexical, page=page)
        asyncio.run(serving)


@click.command()
@click.option(
    "--lease",
    "lease_s",
    type=click.FloatRange(0.5, 3_600),
    default=60.0,
    show_default=True,
    help="Seconds without a heartbeat until another worker restarts the document.",
)
@click.option("--beside", is_flag=True, hidden=True, help="End when stdin ends, without messages.")
@lexical_option
@index_option
def worker(lease_s: float, beside: bool, lexical: bool, index: Path | None) -> None:
    """Index uploads of workspace users until interrupted.

    You can run several, also on other machines that reach the same database, files and store.
    """
    from pincite.surfaces.tracing import server_says, watched
    from pincite.workspace.deployment import open_deployment
    from pincite.workspace.worker.deps import WorkerConfig, WorkerDeps
    from pincite.workspace.worker.loop import work

    settings = settings_here(index)
    told = (lambda _: None) if beside else server_says(settings, say)

    async def until_interrupted() -> int:
        ending = asyncio.Event()
        on_signals(("SIGINT", "SIGTERM"), ending.set)
        if beside:
            _when_stdin_ends(ending.set)
        async with open_deployment(settings, lexical=lexical) as opened:
            told(f"working on {settings.index}")
            deps = WorkerDeps.of(opened)
            return await work(deps, WorkerConfig(lease_s=lease_s), ending)

    with watched(settings, told):
        count = asyncio.run(until_interrupted())
    told(f"ended after {counted(count, 'document')}")


def _when_stdin_ends(act: Callable[[], None]) -> None:
    """Call `act` in the running event loop when the other end of stdin closes."""
    loop = asyncio.get_running_loop()

    def read() -> None:
        while os.read(sys.stdin.fileno(), 4_096):  # unbuffered: a lock could block the exit
            pass
        with suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(act)

    threading.Thread(target=read, daemon=True).start()


def _require_libraries() -> None:
    if not all(map(find_spec, ("litestar", "prometheus_client", "uvicorn"))):
        raise ConfigError(
            "the HTTP server needs libraries that are not installed",
            hint="pip install 'pincite[serve]'",
        )
