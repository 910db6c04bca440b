"""Interrupt a long run if files change meanwhile, so that keyword search finds the changes soon.

What the run has finished stays. The next run begins with the keyword index of the latest changes,
so an edit is found while a large folder is still being embedded.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

#: A run continues for at least this multiple of the time of its look, which the next run repeats,
#: and for at least this many seconds, so that constant edits do not prevent progress. # guess,
#: unmeasured
_SHARE: Final = 2
_LEAST_S: Final = 2.0
_DOUBLINGS: Final = 10  # half an hour


class Interruption:
    """Calls `stop` once in a run, when files have changed and the run has gone on for a while. That
    time doubles after each interrupted run, so that a run reaches its end at last."""

    def __init__(self, stop: Callable[[], None], interrupted: int = 0) -> None:
        """`interrupted` is the number of consecutive interrupted runs before this one."""
        self._stop = stop
        self._least_s = _LEAST_S * 2 ** min(interrupted, _DOUBLINGS)
        self._loop = asyncio.get_running_loop()
        self._began_s = self._loop.time()
        self._from_s: float | None = None
        self._edited = False
        self._timer: asyncio.TimerHandle | None = None
        #: Whether `stop` was called.
        self.made = False

    def looked(self) -> None:
        """Handle a result of the run. The first result means that its look has ended."""
        if self._from_s is None:
            took_s = self._loop.time() - self._began_s
            self._from_s = self._began_s + max(self._least_s, _SHARE * took_s)
            self._schedule()

    def edited(self) -> None:
        """Handle a change of files."""
        self._edited = True
        self._schedule()

    def _schedule(self) -> None:
        if self._edited and self._from_s is not None and self._timer is None:
            self._timer = self._loop.call_at(self._from_s, self._make)

    def _make(self) -> None:
        self.made = True
        self._stop()

    def close(self) -> None:
        """Handle the end of the run."""
        if self._timer is not None:
            self._timer.cancel()
