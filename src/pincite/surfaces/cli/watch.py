"""`pincite watch`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import click

from pincite.support.processes.signals import on_signals
from pincite.support.terminal import one_line
from pincite.surfaces.cli.options import index_option
from pincite.surfaces.cli.output import say, show_now
from pincite.surfaces.cli.run import OK, run

if TYPE_CHECKING:
    from pincite.daemon.refresh.freshness import Freshness
    from pincite.engine import AsyncPincite

_LOOK_S = 0.2


@click.command()
@index_option
def watch(index: Path | None) -> int:
    """Keep the index up to date until interrupted, and print changes.

    Prints a line for each new, changed or deleted file. Searches and MCP servers also update
    the index while they are used, so running this command is optional.
    """
    return run(_watch, index)


async def _watch(engine: AsyncPincite) -> int:
    from pincite.daemon.refresh.freshness import wish_of

    over = asyncio.Event()
    on_signals(("SIGINT", "SIGTERM"), over.set)
    wish = wish_of(engine.settings)
    if not wish.auto:
        say("refresh.mode is manual: this command watches until it ends")
    told = _Told()
    before = await engine.client().condition()
    told.number = max((one.number for one in before.freshness.changes), default=0)
    await engine.client().look(wish_of(engine.settings, now=True, auto=True))
    while not over.is_set():
        told.tell(await engine.client().look(wish_of(engine.settings, auto=True)))
        try:
            async with asyncio.timeout(_LOOK_S):
                await over.wait()
        except TimeoutError:
            continue
    return OK


class _Told:
    """Remembers printed messages, so that each is printed once."""

    def __init__(self) -> None:
        self.number = 0
        self._watching = ""
        self._troubles: frozenset[str] = frozenset()

    def tell(self, found: Freshness) -> None:
        """Print new messages."""
        if found.watching != self._watching and found.watching:
            self._watching = found.watching
            say(f"file events of {found.watching}")
        for one in found.changes:
            if one.number > self.number:
                self.number = one.number
                clock = one.at[11:19]
                show_now(one_line(f"{clock} {one.what:7} {one.source}: {one.path}"))
        troubles = frozenset(
            f"{one.source or one.collection or 'all'}: {one.message}" for one in found.troubles
        )
        for trouble in sorted(troubles - self._troubles):
            say(f"warning: {one_line(trouble)}")
        self._troubles = troubles
