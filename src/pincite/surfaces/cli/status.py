"""`pincite status` and `pincite stop`."""

from __future__ import annotations

import os
from pathlib import Path

import click

from pincite.surfaces.cli.options import index_option, json_option
from pincite.surfaces.cli.output import say, show
from pincite.surfaces.cli.run import run


@click.command()
@json_option
@index_option
def status(json_: bool, index: Path | None) -> None:
    """Show what is indexed, how strong retrieval is, and how to improve it."""
    from pincite.diagnostics.status import status as status_of
    from pincite.diagnostics.status import status_table
    from pincite.surfaces.text import render

    found = run(status_of, index)
    show(render.to_json(found) if json_ else status_table(found))


@click.command()
@index_option
def stop(index: Path | None) -> None:
    """Stop the process that has the index open; the next command starts it again."""
    import asyncio

    from pincite.daemon.client.open_index import stop_daemon
    from pincite.settings.load import index_place

    ran = asyncio.run(stop_daemon(index_place(os.environ, None, index)))
    say("stopped" if ran else "no process has this index open, so none was stopped")
