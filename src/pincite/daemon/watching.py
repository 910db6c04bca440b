"""File events of folders: that something happened there, never what. Whoever hears it looks.

Each folder is watched by itself, so that what an ignore file keeps out (`node_modules`) takes no
place among the watches that the system allows. Events that are lost need no care: the queue of the
system overflows only while there are others, and whoever hears these looks at everything.
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

MOST_FOLDERS = 20_000  # guess; Linux allows 8,192 to a million watches for all of a user's programs
_SETTLE_MS = 400  # a burst is told when it pauses, or after so long
_STEP_MS = 80


class Watcher:
    """Watches folders from a thread, and calls `heard` with paths in the loop that made it."""

    def __init__(self, heard: Callable[[frozenset[str]], None]) -> None:
        self._heard = heard
        self._loop = asyncio.get_running_loop()
        self._folders: frozenset[str] = frozenset()
        self._stop: Event | None = None
        #: What is watched, or why nothing is, in words; empty before anything was asked for.
        self.standing = ""
        self.active = False

    def watch(self, folders: Iterable[str]) -> bool:
        """Watch these folders in place of those before; False where nothing new is among them."""
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
            self._refuse(f"{len(there):,} folders are more than {MOST_FOLDERS:,}")
            return False
        try:
            notify = _open(there)
        except (OSError, RuntimeError, ImportError) as error:
            self._refuse(str(error))
            return False
        self._stop = Event()
        Thread(target=self._listen, args=(notify, self._stop), daemon=True).start()
        self.standing = f"{len(there):,} folder{'s' * (len(there) != 1)}"
        self.active = True
        return grown

    def _refuse(self, why: str) -> None:
        self.standing = f"nothing, so folders are looked at when a search comes: {why}"
        log.warning("file events are not heard: %s", why)

    def _listen(self, notify: RustNotify, stop: Event) -> None:
        with notify:
            while not stop.is_set():
                try:
                    seen = notify.watch(_SETTLE_MS, _STEP_MS, 0, stop)
                except Exception as error:  # noqa: BLE001 - a thread; it is said in the status
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
        """Watch nothing any more."""
        if self._stop is not None:
            self._stop.set()
        self._stop, self._folders, self.active = None, frozenset(), False
        self.standing = ""


def _open(folders: list[str]) -> RustNotify:
    from watchfiles._rust_notify import RustNotify

    return RustNotify(folders, False, False, 300, False, True)
