"""How long a run waits for a file whose parser does not end."""

from __future__ import annotations

from threading import Lock
from typing import Final

_LEAST_S: Final = 10.0  # guess, unmeasured: a PDF of 150 pages with tables takes that long


class Patience:
    """The time limits of one run. Each file that exceeds its limit halves all of them, down to ten
    seconds: a hundred files that hang cost 20 minutes then, and not 3 hours. Safe to use from
    several threads."""

    def __init__(self) -> None:
        self._halved = 0
        self._lock = Lock()

    def limit_s(self, usual_s: float) -> float:
        """Return the time for a file that usually has `usual_s`."""
        return max(min(usual_s, _LEAST_S), usual_s * 0.5**self._halved)

    def lose(self) -> None:
        """A file has exceeded its limit."""
        with self._lock:
            self._halved += 1
