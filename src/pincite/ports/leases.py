"""Leases: the right to write to a collection."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol

import msgspec

from pincite.model import Notice


class Waiting(msgspec.Struct, frozen=True):
    """How long to wait for other writers, in seconds (0 for not at all), and the callback for
    notices."""

    limit_s: float
    on_notice: Callable[[Notice], None] = lambda _: None


class Leases(Protocol):
    """Grants the right to write to a collection. One writer holds it at a time. Waiting writers get
    it in order of arrival. The lease of a process that has died is free at once."""

    def take(
        self, collection: str, what: str, waiting: Waiting
    ) -> AbstractAsyncContextManager[None]:
        """Wait for the lease of a collection and hold it until the block ends. `what` describes the
        work to waiting writers, such as "indexing docs". Raises IndexUnavailable if the time limit
        is reached or writing is impossible, DiskFull, UsageError for an invalid collection name."""

    def is_any_taken(self) -> bool:
        """Return whether any writer holds a lease, even one that is waiting for something."""
