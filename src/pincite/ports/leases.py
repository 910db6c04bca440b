"""Leases: the right to write to a collection."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Protocol

import msgspec

from pincite.model import Notice


class Waiting(msgspec.Struct, frozen=True):
    """Seconds to wait for other writers, 0 for no waiting, and the callback for notices."""

    limit_s: float
    on_notice: Callable[[Notice], None] = lambda _: None


class Leases(Protocol):
    """The right to write to a collection. One writer holds it at a time; waiting writers get it in
    order of arrival. The lease of a dead writer is free at once."""

    def take(
        self, collection: str, what: str, waiting: Waiting
    ) -> AbstractAsyncContextManager[None]:
        """Wait for the lease of a collection and hold it until the block ends. `what` tells waiting
        writers the reason, such as "indexing docs". Raises IndexUnavailable if the wait is over or
        writing is impossible, DiskFull, UsageError for an invalid collection name."""

    def is_any_taken(self) -> bool:
        """Does any writer hold a lease, even if it is waiting for something?"""
