"""Optimise collections in the background."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from pincite.errors import EnginePanicked, PinciteError
from pincite.ports import Store

log = logging.getLogger("pincite.index.local")


class Optimising:
    """Optimises collections of a store in the background. Failures are logged, and the next writes
    try again; `panicked` is called if the engine panics."""

    def __init__(self, store: Store, panicked: Callable[[EnginePanicked], None]) -> None:
        self._store = store
        self._panicked = panicked
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self, collection: str) -> None:
        """Start to optimise a collection, if that is worthwhile."""
        task = asyncio.create_task(self._optimise(collection))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    @property
    def busy(self) -> bool:
        """Whether an optimisation is running."""
        return bool(self._tasks)

    async def stop(self) -> None:
        """Cancel all running optimisations and wait until they have ended."""
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _optimise(self, collection: str) -> None:
        try:
            if await self._store.optimise(collection):
                log.info("optimised %s", collection)
        except EnginePanicked as error:
            self._panicked(error)
        except PinciteError as error:
            log.warning("%s was not optimised: %s", collection, error)
        except Exception:
            log.exception("%s was not optimised", collection)
