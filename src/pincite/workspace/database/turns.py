"""Order the writers of a SQLite file: one after the other, in the order of their requests.

SQLite polls for its lock, with up to 100 ms between tries. A worker that writes one short
transaction after the other would block a server in the same process for seconds.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeVar
from weakref import WeakValueDictionary

T = TypeVar("T")


class Turns:
    """One thread that runs all turns, for all event loops of the process."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, "writes")

    async def take(self, work: Callable[[], T]) -> T:
        """Run work in the thread when its turn has come. A caller that is cancelled before its turn
        does nothing; one that is cancelled later waits for the end."""
        asked = self._thread.submit(work)
        doing = asyncio.wrap_future(asked)
        try:
            return await asyncio.shield(doing)
        except asyncio.CancelledError:
            if not asked.cancel():
                while not doing.done():
                    with suppress(asyncio.CancelledError):
                        await asyncio.wait([doing])
                if not doing.cancelled():
                    doing.exception()  # mark as retrieved
            raise

    async def hold(self) -> Callable[[], None]:
        """Wait for a turn that lasts until the returned function is called."""
        loop = asyncio.get_running_loop()
        begun: asyncio.Future[None] = loop.create_future()
        ended = threading.Event()

        def begin() -> None:
            if not begun.done():
                begun.set_result(None)

        def turn() -> None:
            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(begin)
            while not loop.is_closed() and not ended.wait(1.0):
                pass

        asked = self._thread.submit(turn)
        try:
            await begun
        except asyncio.CancelledError:
            asked.cancel()
            ended.set()
            raise
        return ended.set


_OF: Final[WeakValueDictionary[str, Turns]] = WeakValueDictionary()
_FINDING: Final = threading.Lock()


def turns_of(path: Path) -> Turns:
    """Return the turns of a file, shared by the whole process."""
    with _FINDING:
        name = os.path.realpath(path)
        found = _OF.get(name)
        if found is None:
            found = _OF[name] = Turns()
        return found
