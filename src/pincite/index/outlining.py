"""Make the outlines of documents while nobody searches or writes.

An index run does not make them: keyword search works without them, and estimating the tokens of all
texts takes 2 % of a run. Documents of earlier versions get theirs in the same way.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Generator
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Final, TypeVar

from pincite.errors import EnginePanicked, PinciteError

if TYPE_CHECKING:
    from pincite.ports import Store
    from pincite.ports.outlines import OutlineCatalog

log = logging.getLogger("pincite.index.local")

Made = TypeVar("Made")

_AT_ONCE: Final = 200  # documents that are looked up together: 1 ms
_WAIT_S: Final = 0.2  # until a busy index is looked at again


class Outlining:
    """Makes missing outlines in the background. Failures are logged, and the next run tries
    again."""

    def __init__(
        self,
        store: Store,
        catalog: OutlineCatalog,
        writing: Callable[[str], AbstractAsyncContextManager[object]],
        is_quiet: Callable[[], bool],
        panicked: Callable[[EnginePanicked], None],
    ) -> None:
        """`writing` locks a collection against other writes; `is_quiet` returns whether nobody
        uses the index; `panicked` is called if the engine panics."""
        self._store = store
        self._catalog = catalog
        self._writing = writing
        self._is_quiet = is_quiet
        self._panicked = panicked
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._again: set[str] = set()  # collections that were written while a task was under way
        self._stopped = False

    def begin(self, collection: str) -> None:
        """Start to make the missing outlines of a collection. If that is under way, look again from
        the first document afterwards. Has no effect after `stop`."""
        if self._stopped:
            return
        if collection in self._tasks:
            self._again.add(collection)
        else:
            task = asyncio.create_task(self._outline(collection))
            self._tasks[collection] = task
            task.add_done_callback(lambda done: self._ended(collection, done))

    @property
    def busy(self) -> bool:
        """Whether missing outlines are still being made."""
        return bool(self._tasks)

    async def stop(self) -> None:
        """Cancel the work and wait until it has ended. No other work begins."""
        self._stopped = True
        tasks = tuple(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _outline(self, collection: str) -> None:
        after = ("", "")
        try:
            while True:
                await self._quiet()
                found = await self._catalog.without_outline(collection, after, _AT_ONCE)
                for source, path, revision in found:
                    await self._quiet()
                    async with self._writing(collection):
                        await self._outline_one(collection, (source, path), revision)
                    after = (source, path)
                if len(found) == _AT_ONCE:
                    continue
                if collection not in self._again:
                    return
                self._again.discard(collection)
                after = ("", "")
        except EnginePanicked as error:
            self._panicked(error)
        except PinciteError as error:  # the collection may have been removed
            log.info("the outlines of %s were not made: %s", collection, error)
        except Exception:
            log.exception("the outlines of %s were not made", collection)

    def _ended(self, collection: str, task: asyncio.Task[None]) -> None:
        del self._tasks[collection]
        wanted = collection in self._again  # after the last look, or the work failed
        self._again.discard(collection)
        if wanted and not task.cancelled():
            self.begin(collection)

    async def _quiet(self) -> None:
        await asyncio.sleep(0)  # requests that have arrived go first
        while not self._is_quiet():  # noqa: ASYNC110 - requests are not events here
            await asyncio.sleep(_WAIT_S)

    async def _outline_one(self, collection: str, place: tuple[str, str], revision: str) -> None:
        """Store the outline of a revision, unless its chunks differ from those of the catalog."""
        held = await self._catalog.revisions_of(collection, [place])
        ids = (await self._catalog.chunk_ids(collection, [place])).get(place, ())
        if held.get(place) != revision or not ids:
            return
        chunks = await self._store.of_revision(collection, revision)
        if tuple(one.id for one in chunks) == ids:
            # a late import: runs end, and daemons start, sooner
            from pincite.index.outline import outline_steps

            outline = await _between_requests(outline_steps(chunks))
            await self._catalog.put_outline(collection, revision, outline)


async def _between_requests(steps: Generator[None, None, Made]) -> Made:
    """Do some work step by step, and let requests that have arrived go first."""
    while True:
        try:
            next(steps)
        except StopIteration as done:
            made: Made = done.value
            return made
        await asyncio.sleep(0)
