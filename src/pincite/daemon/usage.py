"""Is a daemon in use? One that is not makes room for a newer version."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

#: What clients say before they know with whom they speak, and while they only watch.
_GREETINGS = frozenset({"hello", "leave", "look", "condition"})


class Usage:
    """Who has asked for something, and when."""

    def __init__(self) -> None:
        self._under_way = 0
        self._last_s = time.monotonic()

    @staticmethod
    def counts(name: str) -> bool:
        """Does somebody who says this ask for something?"""
        return name not in _GREETINGS

    @contextmanager
    def request(self, name: str) -> Iterator[None]:
        """While a request is answered."""
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
        """For how long nobody has asked for anything; 0 while somebody waits for an answer."""
        return 0.0 if self._under_way else time.monotonic() - self._last_s
