"""Work that goes on side by side, work that fails by itself, work that must not be cut off."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Coroutine, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from pincite.errors import StoreError

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


async def run_to_completion(work: Coroutine[Any, Any, T]) -> T:
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


async def gather(works: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
    """The results of all, in their order. One by itself needs no task and no turn of the loop,
    which is a tenth of a millisecond."""
    if len(works) == 1:
        return [await works[0]]
    return list(await asyncio.gather(*works))


async def gather_outcomes(works: Sequence[Coroutine[Any, Any, T]]) -> list[T | BaseException]:
    """As `gather`, with the errors among the results."""
    if len(works) == 1:
        try:
            return [await works[0]]
        except Exception as error:  # noqa: BLE001 - handed to the caller
            return [error]
    return list(await asyncio.gather(*works, return_exceptions=True))


async def with_timeout(name: str, work: Coroutine[Any, Any, T], timeout_s: float) -> T:
    """What a collection answers. Raises StoreError after `timeout_s`."""
    try:
        async with within(timeout_s):
            return await work
    except TimeoutError as error:
        raise StoreError(f"{name} gave no answer within {timeout_s:g} s") from error
