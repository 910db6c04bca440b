"""Plan batches: as few requests as possible, within limits and in order. Oversized ones are
split."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from pincite.errors import BadResponse, ConfigError, Invalid, TooLarge
from pincite.support.fields import replace

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one request: `items`, `tokens` of all items together, and tokens of one item; 0
    means that no limit is known. `concurrency` is the number of parallel requests."""

    items: int = 0
    tokens: int = 0
    item_tokens: int = 0
    concurrency: int = 4

    def __post_init__(self) -> None:
        if min(self.items, self.tokens, self.item_tokens) < 0 or self.concurrency < 1:
            raise ConfigError("limits must not be negative, and concurrency at least 1")


def plan(costs: Sequence[int], limits: Limits) -> list[range]:
    """Return the fewest consecutive ranges of items that are each within the limits.

    Filling each request before starting the next is optimal for consecutive ranges: no other plan
    covers more items with as many requests. An item that exceeds the limit alone gets its own
    request.
    """
    ranges, start = [], 0
    while start < len(costs):
        stop = _fill(lambda i: costs[i], start, len(costs), limits)
        ranges.append(range(start, stop))
        start = stop
    return ranges


def _fill(cost: Callable[[int], int], start: int, end: int, limits: Limits) -> int:
    """Return the end (exclusive) of the request that begins at `start`."""
    if limits.items:
        end = min(end, start + limits.items)
    if not limits.tokens:
        return end
    total = 0
    for position in range(start, end):
        total += cost(position)
        if total > limits.tokens and position > start:
            return position
    return end


#: A text that every model accepts.
PROBE: Final = "dimensions"


class Batches(Generic[T, R]):
    """Send items in batches. A request that is refused as too large is halved until it passes.

    `send` returns one result per item, in order. `cost` is the (estimated) number of tokens of an
    item. `shrink` shortens an item that is refused alone, and returns None if it cannot be
    shortened further; without `shrink` the item's TooLarge is raised.
    """

    def __init__(
        self,
        limits: Limits,
        send: Callable[[Sequence[T]], Awaitable[Sequence[R]]],
        cost: Callable[[T], int],
        shrink: Callable[[T, int], T | None] | None = None,
        *,
        probe: T | None = None,
        shortened: Callable[[T, T], None] = lambda _item, _shorter: None,
    ) -> None:
        """`shortened` is called with an item and what was accepted in its place.

        `probe` is an item that every model accepts. With it, a request that is refused as invalid
        is halved as well, until the refused item is alone: its error has it as `item`. That takes
        two requests per halving at most. If the probe is refused, too, the reason is not an item,
        and the error has none.
        """
        self._limits = limits
        self._send = send
        self._cost = cost
        self._shrink = shrink
        self._probe = probe
        self._shortened = shortened

    async def run(self, items: Sequence[T], take: Callable[[int, Sequence[R]], None]) -> None:
        """Pass the results to `take` with the position of the first one; requests may end in any
        order. At most `concurrency` requests run at a time. Raises the first error after all have
        ended. If it is about an item, the requests that are on their way are still taken."""
        ranges = self._ranges(items)
        refused: list[Invalid] = []

        async def work() -> None:
            for one in ranges:
                try:
                    await self._settle(items, one, take)
                except Invalid as error:
                    refused.append(error)
                if refused:
                    return

        tasks = [asyncio.create_task(work()) for _ in range(self._limits.concurrency)]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        if refused:
            raise refused[0]

    def _ranges(self, items: Sequence[T]) -> Iterator[range]:
        """Yield ranges as `plan` does, with the limits learned so far."""
        start = 0
        while start < len(items):
            stop = _fill(lambda i: self._cost(items[i]), start, len(items), self._limits)
            yield range(start, stop)
            start = stop

    async def _settle(
        self,
        items: Sequence[T],
        one: range,
        take: Callable[[int, Sequence[R]], None],
        probed: bool = False,
    ) -> bool:
        """Send one range, split if necessary; return whether it was accepted unsplit. `probed`:
        the probe was accepted, after a request with this range was refused."""
        try:
            results = await self._send(items[one.start : one.stop])
        except TooLarge as error:
            if len(one) == 1:
                take(one.start, [await self._shrunk(items[one.start], one.start, error)])
                return False
            middle = one.start + (len(one) + 1) // 2
            halves = range(one.start, middle), range(middle, one.stop)
            accepted = [await self._settle(items, half, take, probed) for half in halves]
            if all(accepted):  # the number of items was too large, not a single item
                smaller = min(self._limits.items or len(one), len(halves[0]))
                self._limits = replace(self._limits, items=smaller)
            return False
        except Invalid as error:
            if self._probe is None or not (probed or await self._accepts(self._probe)):
                raise
            if len(one) == 1:
                error.item = items[one.start]
                raise
            middle = one.start + (len(one) + 1) // 2
            for half in (range(one.start, middle), range(middle, one.stop)):
                await self._settle(items, half, take, probed=True)
            return False
        _check(results, len(one))
        take(one.start, results)
        return True

    async def _accepts(self, probe: T) -> bool:
        try:
            await self._send([probe])
        except Invalid:
            return False
        return True

    async def _shrunk(self, item: T, position: int, error: TooLarge) -> R:
        first, tries = item, 0
        while self._shrink is not None and (smaller := self._shrink(item, tries)) is not None:
            item, tries = smaller, tries + 1
            try:
                results = await self._send([item])
            except TooLarge as again:
                error = again
            else:
                _check(results, 1)
                self._shortened(first, item)
                return results[0]
        raise TooLarge(
            f"item {position} alone exceeds the limit: {error.message}",
            hint=error.hint or 'make chunks smaller, or set oversize = "cut" for this provider',
            item=first,
        ) from error


def _check(results: Sequence[object], expected: int) -> None:
    if len(results) != expected:
        raise BadResponse(f"expected {expected} results, got {len(results)}")
