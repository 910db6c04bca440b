"""Helpers for asyncio: concurrent work, independent failures, and work that must not be
cancelled."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from concurrent.futures import Executor
from contextlib import asynccontextmanager
from contextvars import ContextVar
from typing import Any, Final, Literal, TypeVar, cast
from weakref import WeakKeyDictionary

import msgspec

from pincite.errors import StoreError

T = TypeVar("T")
U = TypeVar("U")
#: Requests of one event loop to stores at the same time, for each step of a search: more would only
#: wait inside their time limits. Guess: 200 searches at once took 1.3 s of processor time, but 46
#: or more of them exceeded 10 s.
STORE_TURNS: Final = 16
StoreStep = Literal["probe", "search", "load"]
_Turns = dict[StoreStep, asyncio.Semaphore]
_TURNS: WeakKeyDictionary[asyncio.AbstractEventLoop, _Turns] = WeakKeyDictionary()
_END_S: ContextVar[float] = ContextVar("end_s", default=math.inf)


@asynccontextmanager
async def within(seconds: float) -> AsyncIterator[None]:
    """Limit the block to `seconds`, as `asyncio.timeout` does. Code inside can call `left_s` and
    skip a wait that would take too long."""
    token = _END_S.set(min(_END_S.get(), asyncio.get_running_loop().time() + seconds))
    try:
        async with asyncio.timeout(seconds):
            yield
    finally:
        _END_S.reset(token)


def left_s() -> float:
    """Return the seconds until the first of all surrounding `within` blocks ends, infinite outside
    of any."""
    return _END_S.get() - asyncio.get_running_loop().time()


async def run_to_completion(work: Coroutine[Any, Any, T]) -> T:
    """Return the result of `work`, which runs to its end even if the caller is cancelled; the
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
            task.exception()  # mark as retrieved, which avoids a warning
        raise cancelled
    return task.result()


async def run_in(executor: Executor, work: Callable[[], T]) -> T:
    """Return the result of `work` in a thread. A cancelled caller waits for its end; work that has
    not started never starts."""
    running = executor.submit(work)
    ended = asyncio.wrap_future(running)
    try:
        await asyncio.wait([ended])
    except asyncio.CancelledError:
        if not running.cancel():
            await asyncio.wait([ended])
            ended.exception()  # mark as retrieved, which avoids a warning
        raise
    return ended.result()


class _Turn(msgspec.Struct):
    lock: asyncio.Lock = msgspec.field(default_factory=asyncio.Lock)
    asking: int = 0


class OnePerName:
    """Run one piece of work at a time for each name, so that no name uses all the threads. Work
    under other names runs concurrently. Use it from one event loop."""

    def __init__(self) -> None:
        self._turns: dict[str, _Turn] = {}

    @asynccontextmanager
    async def of(self, name: str) -> AsyncIterator[None]:
        """Wait for the turn, and hold it while the block runs."""
        turn = self._turns.setdefault(name, _Turn())
        turn.asking += 1
        try:
            async with turn.lock:
                yield
        finally:
            turn.asking -= 1
            if not turn.asking:
                del self._turns[name]


async def gather(works: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
    """Return the results of all, in order. A single one needs no task and no turn of the loop,
    which saves a tenth of a millisecond."""
    if len(works) == 1:
        return [await works[0]]
    return list(await asyncio.gather(*works))


async def both(one: Coroutine[Any, Any, T], other: Coroutine[Any, Any, U]) -> tuple[T, U]:
    """Return the results of two concurrent coroutines. If one fails, the other has ended before the
    error is raised, so that nothing is left to close."""
    first, second = await asyncio.gather(one, other, return_exceptions=True)
    for found in (first, second):
        if isinstance(found, BaseException):
            raise found
    return cast("tuple[T, U]", (first, second))


async def gather_outcomes(works: Sequence[Coroutine[Any, Any, T]]) -> list[T | BaseException]:
    """Return results as `gather` does, with errors among them."""
    if len(works) == 1:
        try:
            return [await works[0]]
        except Exception as error:  # noqa: BLE001 - handed to the caller
            return [error]
    return list(await asyncio.gather(*works, return_exceptions=True))


def limited_s(limit_s: float, left_ms: float | None) -> float:
    """Return the time limit, in seconds, or the rest of the time budget if that is less. `left_ms`
    is the rest, None without a budget. Negative if the budget is exceeded."""
    return limit_s if left_ms is None else min(limit_s, left_ms / 1000)


async def with_timeout(
    name: str, work: Coroutine[Any, Any, T], timeout_s: float, left_s: float | None = None
) -> T:
    """Return the answer of a collection. Raises StoreError after `left_s`, by default the whole
    `timeout_s`, which the message names."""
    try:
        async with within(timeout_s if left_s is None else left_s):
            return await work
    except TimeoutError as error:
        raise StoreError(
            f"{name} gave no answer within {timeout_s:g} s",
            hint="search again; on a busy machine or a slow server, increase retrieve.timeout_s",
        ) from error


@asynccontextmanager
async def store_turn(step: StoreStep) -> AsyncIterator[None]:
    """Hold one of the turns of this event loop to ask stores in a step of a search. Wait for it
    outside of any time limit: in a burst of searches, a store is not slow because many of them
    wait. Hold it for nothing else, such as a provider, because all searches share the turns. Each
    step has turns of its own, so that a search which has hits does not queue behind new ones."""
    turns = _turns_of(asyncio.get_running_loop())
    if step not in turns:
        turns[step] = asyncio.Semaphore(STORE_TURNS)
    async with turns[step]:
        yield


def _turns_of(loop: asyncio.AbstractEventLoop) -> _Turns:
    """Return the turns of a loop. Those of closed loops are removed: a semaphore for which somebody
    has waited refers to its loop, so that neither would ever be freed."""
    turns = _TURNS.get(loop)
    if turns is None:
        for known in _TURNS.keyrefs():
            other = known()
            if other is not None and other.is_closed():
                _TURNS.pop(other, None)
        turns = _TURNS.setdefault(loop, {})
    return turns
