"""Work that goes on side by side, and work that must not be cut off halfway."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

T = TypeVar("T")
_END_S: ContextVar[float] = ContextVar("end_s", default=math.inf)


@asynccontextmanager
async def within(seconds: float) -> AsyncIterator[None]:
    """As `asyncio.timeout`. What runs inside can ask `left_s` how long it has, so that it need not
    begin to wait for what would come too late."""
    token = _END_S.set(min(_END_S.get(), asyncio.get_running_loop().time() + seconds))
    try:
        async with asyncio.timeout(seconds):
            yield
    finally:
        _END_S.reset(token)


def left_s() -> float:
    """Seconds until the first of all blocks `within` around this ends, infinite outside of any."""
    return _END_S.get() - asyncio.get_running_loop().time()


async def to_the_end(work: Coroutine[Any, Any, T]) -> T:
    """The result of `work`, which goes on to its end even when the caller is cancelled; the
    cancellation is raised afterwards."""
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        if not task.cancelled():
            task.exception()  # looked at, so that nobody is told it was not
        raise cancelled
    return task.result()


async def together(works: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
    """The results of all, in their order. One by itself needs no task and no turn of the loop,
    which is a tenth of a millisecond."""
    if len(works) == 1:
        return [await works[0]]
    return list(await asyncio.gather(*works))


async def outcomes(works: Sequence[Coroutine[Any, Any, T]]) -> list[T | BaseException]:
    """As `together`, with the errors among the results."""
    if len(works) == 1:
        try:
            return [await works[0]]
        except Exception as error:  # noqa: BLE001 - handed to the caller
            return [error]
    return list(await asyncio.gather(*works, return_exceptions=True))
