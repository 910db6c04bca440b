"""Interrupt a long run if files change meanwhile, so that their words are indexed first.

What it has finished stays. The next run begins with the words of the latest changes, so an edit is
found while a large folder is still being embedded.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

#: A run goes on for so many times the time of its look, which the next one repeats, and for so many
#: seconds: constant edits must not keep it from its work.  # guess, unmeasured
_SHARE: Final = 2
_LEAST_S: Final = 2.0
_DOUBLINGS: Final = 10  # half an hour


class Interruption:
    """Calls `stop` once in a run, when files have changed and the run has gone on for a while. It
    is twice as long after each run that was interrupted, so that runs come to their end at last."""

    def __init__(self, stop: Callable[[], None], interrupted: int = 0) -> None:
        """`interrupted` is the number of runs before this one that were, in succession."""
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
        """Handle a result of the run; with the first one, its look is over."""
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
