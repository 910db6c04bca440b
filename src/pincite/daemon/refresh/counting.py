"""Count the files of sources that differ from the index again while a run is in progress."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Collection, Mapping
from typing import Final

from pincite.daemon.refresh.glance import Differing, Limits, changes_in, glance
from pincite.daemon.refresh.in_background import in_background
from pincite.daemon.refresh.known_sources import (
    MOST_DOCUMENTS,
    HasSources,
    Key,
    records_of,
    sources_of,
)
from pincite.daemon.refresh.source_states import SourceStates

_COUNT_S: Final = 2.0  # of counting a source; .4 s for 6,500 files
_REST_SHARE: Final = 10  # counts take at most a tenth of the time


class Counting:
    """Counts the files that still differ. A run may be waiting for another writer, such as a first
    `pincite index`, which indexes the same files."""

    def __init__(self, index: HasSources, states: SourceStates) -> None:
        self._index, self._states = index, states
        self._task: asyncio.Task[None] | None = None
        self._counted_s = -float("inf")
        self._took_s = 0.0

    async def soon(self, every_s: float, wait_s: float) -> None:
        """Count again if the last count is older than `every_s` seconds, and wait up to `wait_s`
        seconds for it."""
        rest_s = max(every_s, _REST_SHARE * self._took_s)
        old = time.monotonic() - self._counted_s >= rest_s
        if old and (self._task is None or self._task.done()):
            self._task = in_background(self._count())
            await asyncio.wait((self._task,), timeout=wait_s)

    async def _count(self) -> None:
        left = {key: self._states.settled(key) for key in self._states.pending}
        begun_s, generation = time.monotonic(), self._states.generation
        try:
            async for key, files in still_differing(self._index, left, _COUNT_S):
                self._states.counted(key, files, generation)
        finally:
            self._counted_s = time.monotonic()
            self._took_s = self._counted_s - begun_s

    async def close(self) -> None:
        """Stop counting."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)


async def still_differing(
    index: HasSources, wanted: Mapping[Key, Collection[Differing]], limit_s: float
) -> AsyncIterator[tuple[Key, int]]:
    """Yield the number of new, changed and removed files of each source of `wanted`, in files, 0
    or more. Its values are differences that an earlier run has settled. A source that is too large
    for one look of `limit_s` seconds, or is gone, is left out."""
    for key, (record, members) in (await sources_of(index)).items():
        if key not in wanted or sum(one.documents for one in members) > MOST_DOCUMENTS:
            continue
        records = await records_of(index, members, record.source.name)
        limits, settled = Limits.of_daemon(limit_s), frozenset(wanted[key])
        seen = await asyncio.to_thread(glance, record, records, limits, settled)
        if seen.state in ("same", "changed"):
            yield key, changes_in(seen.named)
