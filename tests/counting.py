"""Count what a program reads, or compare two sizes, where a clock would fail on a busy machine."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

_TRIES = 3
_LEAST_S = 0.004  # less is noise


class CountedList(list[str]):
    """A list that counts how many of its elements are read, one by one or in slices."""

    reads = 0

    def __getitem__(self, place: Any) -> Any:
        found = super().__getitem__(place)
        self.reads += len(found) if isinstance(place, slice) else 1
        return found

    def __iter__(self) -> Iterator[str]:
        for one in super().__iter__():
            self.reads += 1
            yield one


def grows_in_proportion(work: Callable[[int], object], size: int, factor: int = 8) -> bool:
    """Return whether `factor` times the size takes `work` about `factor` times as long, by the
    processor time of this thread; quadratic work takes `factor` times more. The first of three
    tries that passes decides."""
    work(size)  # what is built once
    for _ in range(_TRIES):
        if _took_s(work, size * factor) <= 3 * factor * max(_took_s(work, size), _LEAST_S):
            return True
    return False


def _took_s(work: Callable[[int], object], size: int) -> float:
    begun_s = time.thread_time()
    work(size)
    return time.thread_time() - begun_s
