"""How long searches wait while something else goes on."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

from pincite.errors import PinciteError

_EVERY_S = 0.1
_AT_ONCE = 16  # more searches than that wait in the client: they would only make it worse


class Waits:
    """Milliseconds from when a search was due until it came back, by what went on meanwhile.

    Searches are due every 100 ms, whether or not those before them have come back: one that blocks
    the daemon for a second is seen by ten of them. A search that has not begun when the body
    ends counts with its wait until then.
    """

    def __init__(self, search: Callable[[], Awaitable[object]], every_s: float = _EVERY_S) -> None:
        self._search = search
        self._every_s = every_s
        self.found: dict[str, list[float]] = {}

    @asynccontextmanager
    async def during(self, name: str) -> AsyncIterator[None]:
        """Search as long as the body runs."""
        over = asyncio.Event()
        searching = asyncio.create_task(self._until(over, self.found.setdefault(name, [])))
        try:
            yield
        finally:
            over.set()
            await searching

    async def _until(self, over: asyncio.Event, found: list[float]) -> None:
        room = asyncio.Semaphore(_AT_ONCE)
        start_s = time.perf_counter()
        running = []
        number = 0
        while not over.is_set():
            due_s = start_s + number * self._every_s
            await asyncio.sleep(max(0.0, due_s - time.perf_counter()))
            running.append(asyncio.create_task(self._one(due_s, room, over, found)))
            number += 1
        await asyncio.gather(*running)

    async def _one(
        self, due_s: float, room: asyncio.Semaphore, over: asyncio.Event, found: list[float]
    ) -> None:
        async with room:
            if not over.is_set() or not found:
                with suppress(PinciteError):  # no answer in time: the wait says it
                    await self._search()
            found.append((time.perf_counter() - due_s) * 1000)
