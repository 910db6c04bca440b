"""Cache the results of a function for many recurring arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Remembered(dict[K, V]):
    """The results of `make` by its argument: `known[key]` calls it for unknown keys only. A known
    key needs no call of Python code. All results are dropped together when there are `most` keys;
    those for which `keeps` is false are never stored. Threads may share it if they may share
    `make`."""

    __slots__ = ("_keeps", "_make", "_most")

    def __init__(
        self, make: Callable[[K], V], most: int, keeps: Callable[[K], bool] | None = None
    ) -> None:
        self._make, self._most, self._keeps = make, most, keeps

    def __missing__(self, key: K) -> V:
        found = self._make(key)
        if self._keeps is None or self._keeps(key):
            if len(self) >= self._most:
                self.clear()
            self[key] = found
        return found
