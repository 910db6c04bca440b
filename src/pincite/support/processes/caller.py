"""Run a call of the engine in another thread, while the caller's thread serves its callbacks and
generators."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Future, wait
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar

from pincite.errors import UsageError

T = TypeVar("T")

_LISTEN_S = 0.5  # Windows notices Ctrl-C only between two waits
CANCEL_S = 10.0  # guess, unmeasured: for the rest of a batch that is being written


class Caller:
    """The calling thread, from the view of its call in the loop."""

    def __init__(self) -> None:
        self._asked: SimpleQueue[Callable[[], object] | None] = SimpleQueue()

    async def run(self, function: Callable[[], T]) -> T:
        """Call the function in the calling thread and return its result."""
        reply = Future[T]()

        def answer() -> None:
            if reply.set_running_or_notify_cancel():
                try:
                    reply.set_result(function())
                except Exception as error:  # noqa: BLE001 - the call gets it
                    reply.set_exception(error)

        self._asked.put(answer)
        return await asyncio.wrap_future(reply)

    def told(self, function: Callable[[T], object] | None) -> Callable[[T], None] | None:
        """Return a function that passes a value to `function` in the calling thread without
        waiting. An error of `function` ends the call. None, or a value that is not a function, is
        returned unchanged."""
        if not callable(function):
            return function

        def tell(value: T) -> None:
            self._asked.put(partial(function, value))

        return tell

    def serve(self, call: Call[T]) -> T:
        """Start the call, run the functions that it asks for until it ends, and return its result.
        Raises the error of the call. On any other error, such as KeyboardInterrupt, the call is
        cancelled first."""
        call.ended.add_done_callback(lambda _: self._asked.put(None))
        try:
            call.start()
            while (asked := next_of(self._asked, call)) is not None:
                asked()
        except BaseException:
            call.cancel()
            wait((call.ended,), CANCEL_S)
            raise
        return call.result()


class Reading(Iterable[object]):
    """The records of a caller, whose thread reads them."""

    def __init__(self, records: Any, caller: Caller) -> None:
        self.records = records
        self.caller = caller

    def __iter__(self) -> Iterator[object]:
        return iter(self.records)


class Call(Generic[T]):
    """Work for an event loop, from another thread. `tasks` has it while it runs."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        work: Callable[[], Awaitable[T]],
        tasks: set[asyncio.Task[Any]],
    ) -> None:
        self.ended = Future[T]()
        self._loop = loop
        self._work = work
        self._tasks = tasks
        self._task: asyncio.Task[T] | None = None

    def start(self) -> None:
        """Begin the work. Raises UsageError if the loop has ended."""
        try:
            self._loop.call_soon_threadsafe(self._begin)
        except RuntimeError:
            if not self._loop.is_closed():
                raise
            raise closed() from None

    def cancel(self) -> None:
        """Cancel the work, unless it has ended."""
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._cancel)

    def is_lost(self) -> bool:
        """Return whether the loop ended before the work could end."""
        return self._loop.is_closed() and not self.ended.done()

    def result(self) -> T:
        """Return the result of the work. Raises its error, and UsageError if it was cancelled."""
        try:
            return self.ended.result()
        except CancelledError:
            raise closed() from None

    def _begin(self) -> None:
        async def run() -> T:
            return await self._work()

        self._task = self._loop.create_task(run())
        self._tasks.add(self._task)
        self._task.add_done_callback(self._end)

    def _cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()
        else:  # the interrupt came before the loop began the work
            self.ended.set_exception(CancelledError())

    def _end(self, task: asyncio.Task[T]) -> None:
        self._tasks.discard(task)
        if task.cancelled():
            self.ended.set_exception(CancelledError())
        elif (error := task.exception()) is not None:
            self.ended.set_exception(error)
        else:
            self.ended.set_result(task.result())


def next_of(queue: SimpleQueue[T], call: Call[Any]) -> T:
    """Return the next item of the queue. KeyboardInterrupt ends the wait on every system. Raises
    UsageError if the loop of the call has ended."""
    while True:
        try:
            return queue.get(timeout=_LISTEN_S)
        except Empty:
            if call.is_lost():
                raise closed() from None


def closed() -> UsageError:
    """Return the error for calls to a closed engine."""
    return UsageError(
        "this Pincite is closed", hint="make the call inside of `with Pincite(...) as pincite:`"
    )
