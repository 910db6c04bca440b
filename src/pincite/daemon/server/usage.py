"""Track whether a daemon is in use. An unused daemon may be replaced by a newer version."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

#: Requests of clients that check the version or only watch.
_GREETINGS = frozenset({"hello", "leave", "look", "condition"})


class Usage:
    """The requests in progress and the time of the last one."""

    def __init__(self) -> None:
        self._under_way = 0
        self._last_s = time.monotonic()

    @staticmethod
    def counts(name: str) -> bool:
        """Return whether a request of this name counts as use."""
        return name not in _GREETINGS

    @contextmanager
    def request(self, name: str) -> Iterator[None]:
        """Count a request as in progress while the block runs."""
        counts = self.counts(name)
        self._under_way += counts
        try:
            yield
        finally:
            self._under_way -= counts
            if counts:
                self._last_s = time.monotonic()

    @property
    def unused_s(self) -> float:
        """Return the seconds since the last request; 0 while one is in progress."""
        return 0.0 if self._under_way else time.monotonic() - self._last_s
