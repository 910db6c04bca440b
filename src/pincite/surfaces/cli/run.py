"""Run a command on the engine of an index folder; exit codes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pincite.support.terminal import one_line
from pincite.surfaces.cli.output import say

if TYPE_CHECKING:
    from pincite.engine import AsyncPincite
    from pincite.settings.load import Settings

T = TypeVar("T")
OK, ERROR, USAGE, NOTHING, INTERRUPTED = 0, 1, 2, 3, 130


def settings_here(index: Path | None) -> Settings:
    """Return the settings of the index folder, by default of the nearest one. If a file needs
    trust, ask the user on a terminal. Raises UntrustedConfig if input is not interactive, or if the
    answer is no."""
    from pincite.errors import UntrustedConfig
    from pincite.settings.of_index import settings_for
    from pincite.support.trusted_files import remember_trust
    from pincite.surfaces.cli.confirm import confirmed

    try:
        return settings_for(index)
    except UntrustedConfig as error:
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise
        say(f"{one_line(error.config)} has settings that need your trust:")
        for key, value, why, *_ in error.claims:
            say(f"  {one_line(key)} = {one_line(value)}  ({why})")
        if not confirmed("Trust this file until it changes?"):
            raise
        remember_trust(Path(error.config), error.digest)
    return settings_for(index)


def run(
    work: Callable[[AsyncPincite], Coroutine[Any, Any, T]],
    index: Path | None,
    *,
    measured: bool = False,
    settings: Settings | None = None,
) -> T:
    """Run `work` on the engine of the index folder, and return its result. With `measured`, the
    index does not update itself meanwhile. `settings` are by default those of `settings_here`.
    Raises the errors of `work`."""
    import asyncio

    from pincite.engine import AsyncPincite
    from pincite.support.fields import replace
    from pincite.surfaces.tracing import watched

    settings = settings or settings_here(index)
    given = settings.refresh
    settings = replace(settings, refresh=given.off() if measured else given.by_itself())

    async def session() -> T:
        async with AsyncPincite(settings) as engine:
            return await work(engine)

    with watched(settings, say):
        return asyncio.run(session())
