"""Rate limits of keys: this process takes allowances from the database in blocks.

Most requests need no query. For a busy key, this process takes the allowance for several requests
at once. A refused key is refused without a query until its next request may pass.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from pincite.workspace.access.rates import LIFE_S, Rate
from pincite.workspace.ports import Workspaces

_KEPT: Final = 10_000  # keys with remembered state. Guess, unmeasured


@dataclass(slots=True)
class _Block:
    """The last block of a key: `size` were taken, `left` remain until `until_s`. Nothing is
    available before `closed_s`."""

    size: int = 1
    left: int = 0
    until_s: float = 0.0
    closed_s: float = 0.0
    asking: int = 0
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class KeyRates:
    """Rate limits of keys. Use it in one event loop. `clock` returns seconds."""

    def __init__(
        self, workspaces: Workspaces, rate: Rate, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._workspaces = workspaces
        self._rate = rate
        self._clock = clock
        self._blocks: dict[str, _Block] = {}

    async def take(self, key_id: str) -> float:
        """Let one request of a key pass and return 0.0, or return the seconds until one may pass.
        Raises WorkspaceUnavailable: requests that cannot be counted are refused."""
        block = self._of(key_id)
        if (found := self._here(block)) is not None:
            return found
        block.asking += 1
        try:
            async with block.lock:
                found = self._here(block)
                return await self._ask(key_id, block) if found is None else found
        finally:
            block.asking -= 1

    def _here(self, block: _Block) -> float | None:
        """Return the result of `take` from this process's state; None if the database is needed."""
        now_s = self._clock()
        if block.left and now_s < block.until_s:
            block.left -= 1
            return 0.0
        return block.closed_s - now_s if now_s < block.closed_s else None

    async def _ask(self, key_id: str, block: _Block) -> float:
        asked_s = self._clock()  # before the database counts, so that blocks never last too long
        wanted = self._wanted(block)
        taken = await self._workspaces.administer(
            lambda operator: operator.take_requests(key_id, wanted, self._rate)
        )
        if not taken.count:
            block.left, block.closed_s = 0, asked_s + taken.wait_s
            return taken.wait_s
        block.size, block.left = taken.count, taken.count - 1
        block.until_s = asked_s + LIFE_S
        return 0.0

    def _wanted(self, block: _Block) -> int:
        """Return the next block's size: the used part of the last block, doubled if all of it was
        used, and at least one for each waiting request."""
        used = block.size - block.left
        return min(self._rate.block, max(used if block.left else 2 * used, block.asking))

    def _of(self, key_id: str) -> _Block:
        found = self._blocks.get(key_id)
        if found is None:
            if len(self._blocks) >= _KEPT:
                self._forget()
            found = self._blocks[key_id] = _Block(size=max(1, self._rate.block // 8))
        return found

    def _forget(self) -> None:
        """Remove the keys whose state has expired."""
        now_s = self._clock()
        self._blocks = {
            id_: one
            for id_, one in self._blocks.items()
            if one.asking or now_s < max(one.closed_s, one.until_s if one.left else 0.0)
        }
