"""Schedule the next indexing run, with delays after failures."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from typing import Final

log = logging.getLogger("pincite.daemon")

#: Seconds after a failed run: most often a folder was moved while it was read, and the next run
#: succeeds. Each further failure in a row waits four times as long. Failures while files change
#: count as at most two: they are of the first kind, however many there are.
_PAUSE_S: Final = 0.25
_LONGER: Final = 4
_WHILE_CHANGING: Final = 2
_LONGEST_PAUSE_S: Final = 60.0
#: Failed runs in a row, about half an hour, after which no run follows by itself: a daemon that
#: nobody uses must be able to end. A search or a file event causes the next run.
_MOST: Final = 30


class Attempts:
    """Counts the runs that have failed in a row. `again` starts the next run, after a pause in
    which the daemon may rest or end."""

    def __init__(self, again: Callable[[], None]) -> None:
        self._again = again
        self._failures = 0
        self._not_before_s = 0.0
        self._next: asyncio.TimerHandle | None = None

    @property
    def pause_s(self) -> float:
        """Return the seconds until the next run may begin; it may be negative."""
        return self._not_before_s - time.monotonic()

    def ended(self, took_s: float, failure: str, *, passing: bool, changing: bool) -> None:
        """Handle the end of a run that took `took_s` seconds. `failure` is why nothing was written,
        empty if it succeeded. Another run follows a failure by itself if the reason for anything
        that could not be indexed is `passing`. `changing`: files changed during the run."""
        self._failures = self._failures + 1 if failure else 0
        if failure and changing:
            self._failures = min(self._failures, _WHILE_CHANGING)
        pause_s = min(1.0, took_s / 4)
        follows = bool(failure) and passing and self._failures <= _MOST
        if failure:
            exponent = min(self._failures - 1, 10)
            pause_s = max(pause_s, min(_LONGEST_PAUSE_S, _PAUSE_S * _LONGER**exponent))
            then = f"next attempt in {pause_s:g} s" if follows else "no attempt without a change"
            log.info("the index was not brought up to date; %s: %s", then, failure)
        self._not_before_s = time.monotonic() + pause_s
        self.cancel()
        if follows:
            self._next = asyncio.get_running_loop().call_later(pause_s, self._again)

    def cancel(self) -> None:
        """Cancel the scheduled run."""
        if self._next is not None:
            self._next.cancel()
            self._next = None
