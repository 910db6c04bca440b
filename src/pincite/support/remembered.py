"""Remember what a function gives, for many arguments that recur."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Remembered(dict[K, V]):
    """What `make` gives for each key, called for those that are not known: `known[key]`. It takes
    no call of Python for a known key. What it holds is forgotten together as soon as there are
    `most` keys; those that `keeps` refuses are never held. Safe to share between threads if `make`
    is."""

    __slots__ = ("_keeps", "_make", "_most")

    def __init__(
        self, make: Callable[[K], V], most: int, keeps: Callable[[K], bool] | None = None
    ) -> None:
        """`most` is at least 1."""
        self._make, self._most, self._keeps = make, most, keeps

    def __missing__(self, key: K) -> V:
        found = self._make(key)
        if self._keeps is None or self._keeps(key):
            if len(self) >= self._most:
                self.clear()
            self[key] = found
        return found
