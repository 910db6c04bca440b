"""`pincite push` and `pincite pull`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pincite.errors import UsageError
from pincite.support.counted import counted
from pincite.surfaces.cli.options import index_option, json_option, wait_option
from pincite.surfaces.cli.output import say, say_notice, show
from pincite.surfaces.cli.run import run

if TYPE_CHECKING:
    from pincite.maintenance.transfer import Moved


def _nothing_to_copy(place: str, *, remote: bool) -> UsageError:
    if remote:
        return UsageError(
            "pincite.toml names no server to copy to",
            hint='add [store] with url = "..." to pincite.toml, then: pincite push',
        )
    return UsageError(
        f"[store] still names the server {place}",
        hint="remove url from [store] in pincite.toml, then: pincite pull",
    )


def _move(index: Path | None, json_: bool, wait: float, *, remote: bool) -> None:
    from pincite.daemon.client.open_index import open_index
    from pincite.engine import AsyncPincite
    from pincite.maintenance.transfer import move
    from pincite.ports import Waiting
    from pincite.surfaces.cli.progress import CountLine
    from pincite.surfaces.text import render

    line = CountLine(sys.stderr, "copying")

    async def work(engine: AsyncPincite) -> tuple[Moved, ...]:
        settings = engine.settings
        if bool(settings.store.url) != remote:
            raise _nothing_to_copy(settings.store.place, remote=remote)
        try:
            waiting = Waiting(wait, say_notice)
            return await move(settings, open_index(settings), os.environ, line.count, waiting)
        finally:
            line.done()

    moved = run(work, index)
    if json_:
        show(render.to_json(moved))
        return
    for one in moved:
        show(
            f"{one.collection}: {counted(one.points, 'point')}, {one.copied:,} copied,"
            f" {one.compared:,} compared"
        )
    say("the old points were kept in their place" if moved else "the points are already there")


@click.command()
@wait_option
@json_option
@index_option
def push(wait: float, json_: bool, index: Path | None) -> None:
    """Copy this index to the server of [store], and use the copy from now on.

    The section [store] of pincite.toml names the server. Ids, vectors and texts are copied
    unchanged. An interrupted copy resumes. At the end, all points are counted and a sample is
    compared. The originals are kept.
    """
    _move(index, json_, wait, remote=True)


@click.command()
@wait_option
@json_option
@index_option
def pull(wait: float, json_: bool, index: Path | None) -> None:
    """Copy this index from its server to the local store of [store]; see `push`."""
    _move(index, json_, wait, remote=False)
