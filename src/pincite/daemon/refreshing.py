"""The index keeps itself up to date: when to look, who indexes, and what the status shows.

The daemon looks at folders by size and time, briefly, when a search comes and the last look is old,
and when file events come. What differs is indexed by a process of its own, one at a time
(`pincite.maintenance.refresh`), which is a client like others and waits for nobody's turn.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import time
from collections import deque
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Final, Protocol

import msgspec

from pincite.daemon.freshness import (
    REMEMBERED,
    Change,
    Found,
    Freshness,
    Pending,
    Trouble,
    Wish,
)
from pincite.daemon.glance import CHANGES, Differing, Glance, Limits, glance, matters
from pincite.daemon.watching import Watcher
from pincite.errors import PinciteError
from pincite.model import DocumentRecord, SourceRecord
from pincite.ports import CollectionInfo

log = logging.getLogger("pincite.daemon")

WAIT_S: Final = 0.08  # a search waits for a look so long; the limit is 100 ms
_GLANCE_S: Final = 0.08  # of one look at all sources, in which searches share Python's lock
_MOST_DOCUMENTS: Final = 20_000  # reading their records takes 10 ms for a thousand
_WATCHED_EVERY_S: Final = 60.0  # where events are heard, and might be missed (a network disk)
_PAUSE_S: Final = 2.0  # after a run that failed or found others writing
_LONGEST_PAUSE_S: Final = 60.0
_REST_SHARE: Final = 10  # a process that looks at everything runs for a tenth of the time at most
_LEFT: Final = 10_000  # files that differ and were looked at, remembered for a source
_STATE: Final = "refresh.json"
_SIFTED: Final = 50  # paths of a burst that are looked at one by one
_LONGEST_LINE: Final = 64 * 1024 * 1024
_PROGRAM: Final = "pincite.maintenance.refresh"

Key = tuple[str, str]  #: a collection, as users call it, and a source of it


class HasSources(Protocol):
    """The index, as far as it is read here."""

    async def collections(self) -> tuple[CollectionInfo, ...]: ...

    async def documents(
        self, collection: str, source: str | None = None
    ) -> tuple[DocumentRecord, ...]: ...


class _Kept(msgspec.Struct):
    """What outlives the daemon."""

    checked_at: str = ""
    changed_at: str = ""
    left: dict[str, list[Differing]] = {}


class Refreshing:
    """How old the index in `root` is, and what is done about it."""

    def __init__(self, root: Path, index: HasSources, environ: Mapping[str, str]) -> None:
        self._root, self._index, self._environ = root, index, environ
        self._wish = Wish(auto=False)
        self._kept = _read(root / _STATE)
        self._work: asyncio.Task[None] | None = None
        self._looked = asyncio.Event()
        self._hurry = asyncio.Event()
        self._sifting: asyncio.Task[None] | None = None
        self._watcher: Watcher | None = None
        self._folders: dict[Key, tuple[str, ...]] = {}
        self._pending: dict[Key, int] = {}
        self._troubles: dict[Key, str] = {}
        self._changes: deque[Change] = deque(maxlen=REMEMBERED)
        self._told: dict[Key, frozenset[Differing]] = {}
        self._checked_s = -float("inf")
        self._again = self._whole = self._indexing = self._told_of_events = False
        self._indexed_s, self._took_s = -float("inf"), 0.0
        self._wanted = self._done = self._number = 0
        self._failures = 0
        self._not_before_s = 0.0

    @property
    def busy(self) -> bool:
        """Is something looked at or indexed?"""
        return self._work is not None and not self._work.done()

    def state(self) -> Freshness:
        """What is known now."""
        watcher = self._watcher
        return Freshness(
            auto=self._wish.auto,
            checked_at=self._kept.checked_at,
            changed_at=self._kept.changed_at,
            indexing=self._indexing,
            pending=tuple(Pending(*key, files) for key, files in sorted(self._pending.items())),
            troubles=tuple(Trouble(*key, why) for key, why in sorted(self._troubles.items())),
            watching=watcher.standing if watcher else "",
            wanted=self._wanted,
            done=self._done,
            changes=tuple(self._changes),
        )

    async def look(self, wish: Wish) -> Freshness:
        """Look at the folders if that is due, and wait a moment for what there is to see."""
        if wish.auto or not self._wish.auto or wish.now:
            self._wish = msgspec.structs.replace(wish, now=False, auto=wish.auto or self._wish.auto)
        if wish.now:
            self._wanted += 1
            self._whole = True
            self._hurry.set()
            self._begin()
        elif wish.auto and self._is_due():
            self._begin()
        if self.busy and not self._looked.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(WAIT_S):
                    await self._looked.wait()
        return self.state()

    def _is_due(self) -> bool:
        if self._wish.watch and self._watcher is None:
            return True  # nobody wanted events until now
        heard = self._watcher is not None and self._watcher.active
        every_s = max(self._wish.every_s, _WATCHED_EVERY_S) if heard else self._wish.every_s
        return time.monotonic() - self._checked_s >= every_s

    def _begin(self) -> None:
        self._again = True
        if not self.busy:
            self._looked.clear()
            self._work = asyncio.create_task(self._until_done())
            self._work.add_done_callback(_say_failure)

    def _heard(self, paths: frozenset[str]) -> None:
        """File events came, of which some may be of interest. Without a path, all may be."""
        if not self._wish.auto:
            return
        if not paths or len(paths) > _SIFTED or self._sifting is not None:
            self._told_of_events = True
            self._begin()
            return
        self._sifting = asyncio.create_task(self._sift(paths))
        self._sifting.add_done_callback(_say_failure)

    async def _sift(self, paths: frozenset[str]) -> None:
        """A log that is written all the time must not have everything looked at all the time."""
        try:
            records = [record for record, _ in (await self._sources()).values()]
            if await asyncio.to_thread(matters, paths, records):
                self._told_of_events = True
                self._begin()
        finally:
            self._sifting = None

    def source_written(self) -> None:
        """A run has ended: there may be folders that are not watched yet."""
        if self._wish.auto:
            self._begin()

    async def _until_done(self) -> None:
        while self._again or self._whole:
            await self._pause()
            self._again, whole, self._whole, wanted = False, self._whole, False, self._wanted
            heard, self._told_of_events = self._told_of_events, False
            changed, unknown = await self._look_around()
            self._looked.set()
            young = time.monotonic() - self._indexed_s < _REST_SHARE * self._took_s
            if whole or changed or (unknown and (heard or not young)):
                await self._index_all()
            self._done = max(self._done, wanted)
        self._looked.set()

    async def _pause(self) -> None:
        """Until the next look may begin, or somebody wants it now."""
        pause_s = self._not_before_s - time.monotonic()
        if pause_s > 0:
            self._looked.set()
            with suppress(TimeoutError):
                async with asyncio.timeout(pause_s):
                    await self._hurry.wait()
        self._hurry.clear()

    async def _look_around(self) -> tuple[bool, bool]:
        """Look at every source: does one differ, and is there one of which nobody can tell?"""
        limits = Limits.of_daemon(_GLANCE_S)
        changed = unknown = False
        pending: dict[Key, int] = {}
        troubles: dict[Key, str] = {}
        looked: set[Key] = set()
        for key, (record, members) in (await self._sources()).items():
            looked.add(key)
            documents = sum(info.documents for info in members)
            seen = Glance("unknown")
            if documents <= _MOST_DOCUMENTS:
                records = await self._records(members, record.source.name)
                left = self._kept.left.get(_name(key), ())
                settled = frozenset(left)
                seen = await asyncio.to_thread(glance, record, records, limits, settled)
            if seen.state == "gone":
                troubles[key] = seen.detail
            if seen.folders and seen.state != "unknown":
                self._folders[key] = tuple(seen.folders)
            if seen.state == "changed":
                told = frozenset(seen.differing)
                before = self._troubles.get(key) or self._troubles.get((key[0], ""))
                if before and told == self._told.get(key):  # it was tried
                    troubles[key] = before
                    continue
                self._note(key, seen.named)
                self._told[key] = told
                if files := _changes(seen.named):
                    pending[key] = files
            changed |= seen.state == "changed"
            unknown |= seen.state == "unknown"
        for gone in set(self._folders) - looked:
            del self._folders[gone]
        self._pending, self._troubles = pending, troubles
        self._checked()
        if self._watch() and not changed:
            self._again = True  # what came between the look and the watch was not seen
        return changed, unknown

    async def _sources(self) -> dict[Key, tuple[SourceRecord, list[CollectionInfo]]]:
        found: dict[Key, tuple[SourceRecord, list[CollectionInfo]]] = {}
        for info in await self._index.collections():
            if info.foreign or info.spec.pending or info.broken:
                continue
            for record in info.sources:
                if record.source.kind != "records":
                    key = (info.spec.public_name, record.source.name)
                    members = found[key][1] if key in found else []
                    found[key] = (record, [*members, info])
        return found

    async def _records(
        self, members: Sequence[CollectionInfo], source: str
    ) -> list[DocumentRecord]:
        return [
            record
            for info in members
            for record in await self._index.documents(info.spec.name, source)
        ]

    def _note(self, key: Key, named: Mapping[str, str]) -> None:
        """Remember what was found to differ, for those who watch."""
        now = _now()
        for path, what in sorted(named.items())[:REMEMBERED]:
            if what not in ("left out", "not read"):
                self._number += 1
                self._changes.append(Change(self._number, now, *key, what, path))

    def _watch(self) -> bool:
        """Watch the folders that are known; True where some are new."""
        if not (self._wish.watch and self._wish.auto):
            if self._watcher is not None:
                self._watcher.close()
            return False
        if self._watcher is None:
            self._watcher = Watcher(self._heard)
        return self._watcher.watch(one for folders in self._folders.values() for one in folders)

    def _checked(self) -> None:
        self._checked_s = time.monotonic()
        self._kept.checked_at = _now()

    async def _index_all(self) -> None:
        """Let another process look at everything and index what differs."""
        self._indexing = True
        started_s = time.monotonic()
        failed = False
        troubles: dict[Key, str] = {}
        changed: set[Key] = set()
        try:
            async for found in self._run():
                key = (found.collection, found.source)
                if found.folders:
                    self._folders[key] = found.folders
                if found.trouble:
                    troubles[key] = found.trouble
                    failed = True
                    self._pending.pop(key, None)
                elif found.written:
                    self._pending.pop(key, None)
                    if key in changed:
                        self._kept.changed_at = _now()
                    self._kept.left[_name(key)] = [one for one in found.left if one[1] >= 0][:_LEFT]
                elif found.state == "changed":
                    files = _changes(found.files)
                    if files or "at another commit" in found.files.values():
                        changed.add(key)
                    if key not in self._pending:
                        self._note(key, found.files)
                        self._pending |= {key: files} if files else {}
        except (OSError, PinciteError, msgspec.MsgspecError) as error:
            failed = True
            troubles[("", "")] = f"the process that indexes failed: {error}"
        finally:
            self._indexing = False
        self._pending = {}
        self._troubles = troubles
        self._failures = self._failures + 1 if failed else 0
        pause_s = min(_LONGEST_PAUSE_S, _PAUSE_S * 2**self._failures) if failed else 0.0
        ended_s = self._indexed_s = time.monotonic()
        self._took_s = ended_s - started_s
        self._not_before_s = ended_s + max(pause_s, min(1.0, (ended_s - started_s) / 4))
        self._checked()
        self._write()
        self._again |= self._watch()

    async def _run(self) -> AsyncIterator[Found]:
        wish = self._wish
        environ = {**self._environ, "PINCITE_OFFLINE": "1", "PINCITE_REFRESH": "manual"}
        environ.pop("PINCITE_CONFIG", None)
        if wish.config:
            environ["PINCITE_CONFIG"] = wish.config
        if wish.models:
            environ["PINCITE_MODELS"] = wish.models
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-m", _PROGRAM, str(self._root)),
            "remote" if wish.remote else "local",
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            env=environ,
            limit=_LONGEST_LINE,
        )
        try:
            while process.stdout and (line := await process.stdout.readline()):
                yield msgspec.json.decode(line, type=Found)
            code = await process.wait()
            if code:
                yield Found("", "", "trouble", trouble=f"what indexes ended with {code}")
        finally:
            with suppress(ProcessLookupError):
                process.terminate()

    def _write(self) -> None:
        fresh = self._root / f"{_STATE}.new"
        with suppress(OSError):  # a full disk: the next daemon looks once more than it had to
            fresh.write_bytes(msgspec.json.encode(self._kept))
            fresh.replace(self._root / _STATE)

    async def close(self) -> None:
        """Hear and do nothing any more."""
        if self._watcher is not None:
            self._watcher.close()
        for task in (self._sifting, self._work):
            if task is not None:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)


def _read(file: Path) -> _Kept:
    """What was kept. A damaged file is none: then there is one look more."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=_Kept)
    except (OSError, msgspec.MsgspecError):
        return _Kept()


def _changes(named: Mapping[str, str]) -> int:
    """How many files differ from what is indexed, as far as is known."""
    return sum(what in CHANGES for what in named.values())


def _name(key: Key) -> str:
    return "\n".join(key)


def _now() -> str:
    return datetime.now().astimezone().isoformat(timespec="seconds")


def _say_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()):
        log.error("the index could not be brought up to date", exc_info=error)
