"""Work that goes on side by side, work that fails by itself, work that must not be cut off."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Coroutine, Iterable, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

from pincite.errors import EnginePanicked, PinciteError, RateLimited, StoreError
from pincite.model import Notice

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


def split_failures(
    names: Iterable[str], results: Sequence[T | BaseException]
) -> tuple[dict[str, T], dict[str, Notice]]:
    """The answers of collections by name, and what is to be said of those that failed. Raises the
    first error if there is no answer, and at once what is no failure of one collection."""
    answered: dict[str, T] = {}
    failed: dict[str, PinciteError] = {}
    for name, result in zip(names, results, strict=True):
        if isinstance(result, PinciteError) and not isinstance(result, EnginePanicked):
            failed[name] = result
        elif isinstance(result, BaseException):
            raise result
        else:
            answered[name] = result
    if failed and not answered:
        raise next(iter(failed.values()))
    return answered, {name: failure_notice(name, error) for name, error in failed.items()}


def failure_notice(name: str, error: PinciteError) -> Notice:
    """That a collection took no part, and why."""
    return Notice("collection_failed", f"{name} was left out: {error.message}")


def rate_notices(error: BaseException) -> tuple[Notice, ...]:
    """That something was left out because a model is asked too often, where that is the reason."""
    return (Notice("rate_limited", error.message),) if isinstance(error, RateLimited) else ()
