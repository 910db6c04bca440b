"""Run the live view over an index. The daemon keeps the index open between searches."""

from __future__ import annotations

import asyncio
import shutil
import sys
from contextlib import suppress
from pathlib import Path

from prompt_toolkit.input import create_input
from prompt_toolkit.output import create_output

from pincite.asking import SearchOptions
from pincite.engine import AsyncPincite
from pincite.errors import PinciteError
from pincite.settings.terminal import terminal_settings
from pincite.support.fields import replace
from pincite.surfaces.cli.live import LiveView, ShownPack
from pincite.surfaces.cli.run import settings_here
from pincite.surfaces.text.pack_output import Wanted, look_of


def search_live(options: SearchOptions, here: str, index: Path | None, *, colour: bool) -> None:
    """Run the view until the user leaves. `options` are those of every question, without its text.
    Raises IndexNotFound and ConfigError before the terminal is changed."""
    asyncio.run(_search_live(options, here, index, colour=colour))


async def _search_live(
    options: SearchOptions, here: str, index: Path | None, *, colour: bool
) -> None:
    settings = settings_here(index)
    silent = replace(settings, log=replace(settings.log, enabled=False))  # text may be incomplete
    known = terminal_settings()
    async with AsyncPincite(silent) as engine:
        engine.client()  # report a missing index at once, like other searches
        warming = asyncio.create_task(_warm(engine))

        async def search(text: str) -> ShownPack:
            pack = await engine.find(replace(options, text=text))
            columns = shutil.get_terminal_size().columns
            wanted = Wanted(width=columns, here=here, whole=bool(options.context))
            return ShownPack(pack, look_of(pack, wanted, await engine.collections()))

        view = LiveView(
            search,
            known.editor,
            stdin=create_input(sys.__stdin__),
            stdout=create_output(stdout=sys.__stdout__),  # its output is already escaped
            colour=colour and known.colour,
        )
        try:
            await view.run()
        finally:
            warming.cancel()
            with suppress(asyncio.CancelledError):
                await warming


async def _warm(engine: AsyncPincite) -> None:
    with suppress(PinciteError):  # the first search reports the error
        await engine.warm()
