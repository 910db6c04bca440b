"""Who may write to a collection."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from pincite.model import Notice


@dataclass(frozen=True, slots=True)
class Waiting:
    """For how many seconds to wait for others, 0 for not at all, and who hears of it."""

    limit_s: float
    on_notice: Callable[[Notice], None] = lambda _: None


class Leases(Protocol):
    """The right to write to a collection. One writer has it at a time, and those who wait get it
    in the order in which they came. The lease of a writer that has died is free at once."""

    def take(
        self, collection: str, what: str, waiting: Waiting
    ) -> AbstractAsyncContextManager[None]:
        """Wait for the lease of a collection and hold it until the block ends; `what` tells those
        who wait what is done meanwhile, as in "indexing docs". Raises IndexUnavailable where the
        wait is over or nothing can be written, DiskFull, UsageError for a name that no collection
        can have."""

    def is_any_taken(self) -> bool:
        """Is there a writer, whatever it is waiting for right now?"""
