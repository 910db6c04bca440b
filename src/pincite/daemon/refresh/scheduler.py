"""Keep the index up to date: decide when to look at sources, start the indexing, and report the
status.

The daemon looks at folders by size and time, briefly, when a search arrives and the last look is
old, and after file events. Differences are indexed by a separate process, one at a time
(`pincite.maintenance.refresh`). It is a client like others and never waits for a lease.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from pincite.daemon.refresh.attempts import Attempts
from pincite.daemon.refresh.counting import Counting
from pincite.daemon.refresh.events import matters, parts_of, were_folders
from pincite.daemon.refresh.freshness import Freshness, RunRequest, Wish
from pincite.daemon.refresh.glance import Glance, Limits, glance_at
from pincite.daemon.refresh.in_background import in_background
from pincite.daemon.refresh.indexer import Indexer
from pincite.daemon.refresh.interruption import Interruption
from pincite.daemon.refresh.known_sources import HasSources, Key, sources_of
from pincite.daemon.refresh.look_around import LookedAround, look_around
from pincite.daemon.refresh.source_states import RunResults, SourceStates
from pincite.daemon.refresh.watcher import Watcher
from pincite.errors import PinciteError
from pincite.index.documents import records_at
from pincite.model import SourceRecord
from pincite.ports import CollectionInfo
from pincite.support.fields import replace
from pincite.support.local_time import local_now

WAIT_S: Final = 0.08  # seconds that a search waits for a look; the limit is 100 ms
_GLANCE_S: Final = 0.08  # of one look at all sources; searches share Python's lock with it
_WATCHED_EVERY_S: Final = 60.0  # interval with file events, which may be missed (a network disk)
_REST_SHARE: Final = 10  # complete looks take at most a tenth of the time
#: Paths of a burst that are looked at one by one. With many more, the queue of the system
#: overflows.
_SIFTED: Final = 50
_WATCH_S: Final = 0.05  # from the first source that a run has looked at until folders are watched


class Refreshing:
    """The freshness of the index in `root`, and the work to keep it up to date."""

    def __init__(self, root: Path, index: HasSources, environ: Mapping[str, str]) -> None:
        self._root, self._index = root, index
        self._wish = Wish(auto=False)
        self._states = SourceStates(root)
        self._work: asyncio.Task[None] | None = None
        self._looked = asyncio.Event()
        self._hurry = asyncio.Event()
        self._sifting: asyncio.Task[None] | None = None
        self._starting: asyncio.Task[None] | None = None
        self._watcher: Watcher | None = None
        self._indexer = Indexer(root, environ)
        self._heard_of: set[str] = set()  # paths of events that were not filtered yet
        self._paths: set[str] = set()  # relevant paths that no look has covered yet
        self._checked_s = -float("inf")
        self._counting = Counting(index, self._states)
        self._again = self._whole = self._indexing = self._told_of_events = False
        self._gave_way = False  # the last run stopped before its end
        self._certain = False  # the last look saw everything
        self._interruption: Interruption | None = None  # of the current run over everything
        self._interrupted = 0  # runs over everything, in succession
        self._watching: asyncio.TimerHandle | None = None
        #: When the indexing process last looked at everything, and how long that took.
        self._looked_s, self._took_s = -float("inf"), 0.0
        self._wanted = self._done = 0
        self._attempts = Attempts(self._try_again)

    @property
    def busy(self) -> bool:
        """Return whether a look or an indexing run is going on."""
        return self._work is not None and not self._work.done()

    def state(self) -> Freshness:
        """Return the current freshness."""
        watcher = self._watcher
        return self._states.freshness(
            auto=self._wish.auto,
            indexing=self._indexing,
            watching=watcher.standing if watcher else "",
            wanted=self._wanted,
            done=self._done,
        )

    async def look(self, wish: Wish) -> Freshness:
        """Look at the folders if a look is due, wait a moment for its result, and return the
        freshness."""
        if wish.auto or not self._wish.auto or wish.now:
            self._wish = replace(wish, now=False, auto=wish.auto or self._wish.auto)
        if wish.now:
            self._wanted += 1
            self._whole = True
            self._hurry.set()
            self._begin()
        elif wish.auto and self._is_due():
            self._begin()
        asked = wish.auto or wish.now
        if asked and self.busy and not self._looked.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(WAIT_S):
                    await self._looked.wait()
        if asked and self._indexing and self._states.pending:
            await self._counting.soon(self._wish.every_s, WAIT_S)
        return self.state()

    def _is_due(self) -> bool:
        if self._wish.watch and self._watcher is None:
            return True  # no events were requested until now
        heard = self._certain and self._watcher is not None and self._watcher.active
        every_s = max(self._wish.every_s, _WATCHED_EVERY_S) if heard else self._wish.every_s
        return time.monotonic() - self._checked_s >= every_s

    def _begin(self, paths: frozenset[str] = frozenset()) -> None:
        """Start a look at these paths, or at everything."""
        self._paths |= paths
        self._again |= not paths
        if not self.busy:
            self._looked.clear()
            self._work = in_background(self._until_done())

    def _heard(self, paths: frozenset[str]) -> None:
        """Handle file events, which may be irrelevant. Without a path, everything may have
        changed."""
        if not self._wish.auto:
            return
        self._heard_of |= paths
        if not paths or len(self._heard_of) > _SIFTED:
            self._heard_of.clear()
            self._edited()
        elif self._sifting is None:
            self._sifting = in_background(self._sift())

    def _edited(self, paths: frozenset[str] = frozenset()) -> None:
        """Handle relevant file events."""
        self._told_of_events = True
        self._begin(paths)
        if self._interruption is not None:
            self._interruption.edited()

    async def _sift(self) -> None:
        """Drop irrelevant paths, so that a log that is written all the time does not cause constant
        looks."""
        try:
            while self._heard_of:
                paths = frozenset(self._heard_of)
                self._heard_of.clear()
                sources = await sources_of(self._index)
                records = [record for record, _ in sources.values()]
                shown = (key for key in sources if self._states.may_show(key))
                showing = [sources[key][0] for key in shown]
                limits = Limits.of_daemon(_GLANCE_S)
                if await asyncio.to_thread(
                    matters, paths, records, showing, limits
                ) or await were_folders(self._index, sources.values(), paths):
                    self._edited(paths)
        finally:
            self._sifting = None

    def source_written(self) -> None:
        """Handle the end of a run: there may be folders that are not watched yet."""
        if self._wish.auto:
            self._begin()

    def _try_again(self) -> None:
        if self._wish.auto:
            self._whole = True
            self._begin()

    async def _until_done(self) -> None:
        while self._again or self._whole or self._paths:
            await self._pause()
            paths, self._paths = frozenset(self._paths), set()
            if not (self._again or self._whole) and await self._caught_up(paths):
                self._looked.set()
                continue
            self._again, whole, self._whole, wanted = False, self._whole, False, self._wanted
            heard, self._told_of_events = self._told_of_events, False
            if heard:  # most likely needed in a moment
                self._starting = asyncio.create_task(self._start_early())
            seen = await self._look_around()
            self._looked.set()
            young = time.monotonic() - self._looked_s < _REST_SHARE * self._took_s
            if whole or seen.changed or (seen.unknown and (heard or not young)):
                await self._index_all()
            if not self._gave_way:
                self._done = max(self._done, wanted)
        self._looked.set()

    async def _caught_up(self, paths: frozenset[str]) -> bool:
        """Look at the paths of events and index only those. Return False if everything has to be
        looked at: too little is known yet, or more may have changed than these paths."""
        changed: dict[str, dict[str, tuple[str, ...]]] = {}
        for key, (record, members) in (await sources_of(self._index)).items():
            ours = parts_of(paths, record)
            if ours is None or (ours and not self._is_known(key, record, members)):
                return False
            if not ours:
                continue
            if self._starting is None or self._starting.done():
                self._starting = asyncio.create_task(self._start_early())
            seen = await self._look_at(key, record, members[0], ours)
            gone = list(seen.named.values()).count("gone")
            if seen.state not in ("same", "changed") or gone * 2 > members[0].documents:
                return False
            if seen.state == "changed":
                self._states.differ(key, seen.named)
                everything = sorted({*ours, *self._states.shows[key]})
                changed.setdefault(key[0], {})[key[1]] = tuple(everything)
        if changed:
            await self._index_all(changed)
        return True

    def _is_known(self, key: Key, record: SourceRecord, members: Sequence[CollectionInfo]) -> bool:
        """Return whether enough is known of a source to look at a part of it."""
        whole = len(members) == 1 and record.complete
        return whole and self._states.are_known(key, _SIFTED)

    async def _look_at(
        self, key: Key, record: SourceRecord, info: CollectionInfo, paths: tuple[str, ...]
    ) -> Glance:
        """Look at a part of a source. Folders in it are watched before the look whose result is
        used."""
        records = await records_at(self._index, info.spec.name, record.source.name, paths)
        settled = frozenset(self._states.settled(key))
        watched: frozenset[str] = frozenset()
        while True:
            limits = Limits.of_daemon(_GLANCE_S)
            seen = await asyncio.to_thread(glance_at, record, records, paths, limits, settled)
            fresh = frozenset(seen.folders) - watched
            if not fresh or self._watcher is None or not self._watcher.active:
                return seen
            if not self._watcher.also(fresh):
                return Glance("unknown")
            self._states.also_folders(key, fresh)
            watched |= fresh

    async def _start_early(self) -> None:
        with suppress(OSError):  # the run will report the cause
            await self._indexer.start(self._wish)

    async def _pause(self) -> None:
        """Wait until the next look may begin, or until a look is requested."""
        pause_s = self._attempts.pause_s
        if pause_s > 0:
            self._looked.set()
            with suppress(TimeoutError):
                async with asyncio.timeout(pause_s):
                    await self._hurry.wait()
        self._hurry.clear()

    async def _look_around(self) -> LookedAround:
        """Look at every source, and watch its folders."""
        seen = await look_around(self._index, self._states, Limits.of_daemon(_GLANCE_S))
        self._checked_s, self._certain = time.monotonic(), not seen.unknown
        if not seen.unknown:
            self._states.kept.checked_at = local_now()
        if self._watch() and not seen.changed:
            self._again = True  # events between the look and the watch were missed
        return seen

    def _watch(self) -> bool:
        """Watch the known folders. Return True if some are new."""
        if not (self._wish.watch and self._wish.auto):
            if self._watcher is not None:
                self._watcher.close()
            return False
        if self._watcher is None:
            self._watcher = Watcher(self._heard)
        return self._watcher.watch(
            one for folders in self._states.folders.values() for one in folders
        )

    def _watch_now(self) -> None:
        """Watch the folders that a run has seen, while it is in progress."""
        self._watching = None
        self._again |= self._watch()

    async def _index_all(self, paths: dict[str, dict[str, tuple[str, ...]]] | None = None) -> None:
        """Let the indexing process look at everything, or at these paths, and index the
        differences."""
        whole = not paths
        self._indexing = True
        started_s, started_at = time.monotonic(), local_now()
        results = RunResults(self._states)
        interruption = Interruption(self._indexer.stop, self._interrupted)
        self._interruption = interruption if whole else None
        try:
            asked = RunRequest(self._wish.remote, paths or {})
            async for found in self._indexer.run(asked, self._wish):
                interruption.looked()
                results.add(found)
                if found.folders and not found.paths and self._watching is None:
                    later = asyncio.get_running_loop().call_later
                    self._watching = later(_WATCH_S, self._watch_now)
        except (OSError, PinciteError, msgspec.MsgspecError) as error:
            results.fail(f"the indexing process failed: {error}")
        finally:
            self._indexing, self._interruption = False, None
            interruption.close()
        results.end(whole=whole)
        self._gave_way = results.gave_way
        took_s = time.monotonic() - started_s
        changing = bool(self._paths or self._heard_of or self._told_of_events)
        self._attempts.ended(
            0.0 if interruption.made else took_s,
            results.failure,
            passing=results.passing,
            changing=changing,
        )
        self._states.kept.write(self._root)
        if whole:
            self._took_s = took_s - results.encode_s
            self._looked_s = started_s + self._took_s
            self._interrupted = self._interrupted + 1 if interruption.made else 0
            if not self._gave_way:
                self._checked_s, self._certain = started_s, True
                self._states.kept.checked_at = started_at
            self._again |= self._watch()
        self._whole |= self._gave_way

    async def close(self) -> None:
        """Stop listening to events and start no more work."""
        if self._watcher is not None:
            self._watcher.close()
        self._attempts.cancel()
        if self._watching is not None:
            self._watching.cancel()
        for task in (self._sifting, self._starting, self._work):
            if task is not None:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
        await self._counting.close()
        await self._indexer.close()
