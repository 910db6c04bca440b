"""Watch folders for file events. An event says that something happened in a folder, not what; the
receiver has to look.

Each folder is watched by itself, so that folders left out by an ignore file (`node_modules`) use
none of the system's limited watches. Lost events need no handling: the queue of the system
overflows only while there are other events, and these cause a look at everything.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Iterable
from threading import Event, Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from watchfiles._rust_notify import RustNotify

log = logging.getLogger("pincite.daemon")

MOST_FOLDERS = 20_000  # guess; Linux allows all programs of a user 8,192 to a million watches
_SETTLE_MS = 400  # a burst is reported at a pause, or after so long
_STEP_MS = 80
_MOST_MORE = 16  # further threads and queues for new folders; the system limits both


class Watcher:
    """Watches folders from a thread, and calls `heard` with paths in the loop that made it."""

    def __init__(self, heard: Callable[[frozenset[str]], None]) -> None:
        self._heard = heard
        self._loop = asyncio.get_running_loop()
        self._folders: frozenset[str] = frozenset()
        self._more = 0
        self._stop: Event | None = None
        #: A description of what is watched, or why nothing is; empty before the first call.
        self.standing = ""
        self.active = False

    def watch(self, folders: Iterable[str]) -> bool:
        """Watch these folders in place of the previous ones. Return False if none of them is
        new."""
        wanted = frozenset(folders)
        if wanted == self._folders and self._stop is not None:
            return False
        grown = bool(wanted - self._folders)
        self.close()
        self._folders = wanted
        there = sorted(folder for folder in wanted if os.path.isdir(folder))  # noqa: PTH112
        if not there:
            self.standing = "no folders"
            return False
        if len(there) > MOST_FOLDERS:
            self._refuse(f"{len(there):,} folders exceed the limit of {MOST_FOLDERS:,}")
            return False
        try:
            notify = _open(there)
        except (OSError, RuntimeError, ImportError) as error:
            self._refuse(str(error))
            return False
        self._stop = Event()
        Thread(target=self._listen, args=(notify, self._stop), daemon=True).start()
        self._more = 0
        self.standing = _standing(len(there))
        self.active = True
        return grown

    def also(self, folders: frozenset[str]) -> bool:
        """Watch these folders in addition to the previous ones, without missing their events: new
        folders, and folders that were moved or made again under their old names. Return False if
        all have to be watched again, because this was done too often or the system refuses."""
        there = sorted(folder for folder in folders if os.path.isdir(folder))  # noqa: PTH112
        stop, self._more = self._stop, self._more + 1
        if stop is None or self._more > _MOST_MORE or len(self._folders) > MOST_FOLDERS:
            self.close()
            return False
        if there:
            try:
                notify = _open(there)
            except (OSError, RuntimeError) as error:
                log.info("new folders cannot be watched; watching all again: %s", error)
                self.close()
                return False
            Thread(target=self._listen, args=(notify, stop), daemon=True).start()
        self._folders |= folders
        self.standing = _standing(len(self._folders))
        return True

    def _refuse(self, why: str) -> None:
        self.standing = f"nothing; searches look at the folders instead: {why}"
        log.warning("file events are not watched: %s", why)

    def _listen(self, notify: RustNotify, stop: Event) -> None:
        with notify:
            while not stop.is_set():
                try:
                    seen = notify.watch(_SETTLE_MS, _STEP_MS, 0, stop)
                except Exception as error:  # noqa: BLE001 - in a thread; the status reports it
                    self._tell(stop, self._lost, str(error))
                    return
                if isinstance(seen, set):
                    self._tell(stop, self._heard, frozenset(path for _, path in seen))

    def _tell(self, stop: Event, hear: Callable[..., None], what: object) -> None:
        if not stop.is_set() and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(hear, what)

    def _lost(self, why: str) -> None:
        self.close()
        self._refuse(why)
        self._heard(frozenset())

    def close(self) -> None:
        """Stop watching."""
        if self._stop is not None:
            self._stop.set()
        self._stop, self._folders, self.active = None, frozenset(), False
        self.standing = ""


def _standing(folders: int) -> str:
    return f"{folders:,} folder{'s' * (folders != 1)}"


def _open(folders: list[str]) -> RustNotify:
    from watchfiles._rust_notify import RustNotify

    return RustNotify(folders, False, False, 300, False, True)
