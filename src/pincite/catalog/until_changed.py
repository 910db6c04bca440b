"""Values that were read from a SQLite database, cached until it changes."""

from __future__ import annotations

import sqlite3
from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class UntilChanged(Generic[K, V]):
    """A cache of at most `most` in size, in the unit of `keep`. It is emptied after each change of
    the database, by this connection or another one, and when it is full."""

    def __init__(self, database: sqlite3.Connection, most: int) -> None:
        self._database = database
        self._most = most
        self._size = 0
        self._state: tuple[int, int] | None = None
        self._values: dict[K, V] = {}

    def current(self) -> dict[K, V]:
        """Return the cached values, none that were read before the last change. Raises
        sqlite3.Error."""
        # The first counts the changes of this connection, the second those of the others.
        changes = self._database.total_changes
        state = (changes, self._database.execute("PRAGMA data_version").fetchone()[0])
        if state != self._state:
            self._empty()
            self._state = state
        return self._values

    def keep(self, key: K, value: V, size: int) -> None:
        """Cache a value that was read since the last call of `current`."""
        if self._size + size > self._most:
            self._empty()
        if size <= self._most:
            self._values[key] = value
            self._size += size

    def _empty(self) -> None:
        self._values.clear()
        self._size = 0
