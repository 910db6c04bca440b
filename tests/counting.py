"""Count what a program reads, where a clock would fail on a busy machine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


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
