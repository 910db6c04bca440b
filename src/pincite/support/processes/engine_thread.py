"""An asynchronous engine with an event loop in a thread of its own, for callers without a loop."""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import ExitStack, aclosing, suppress
from functools import partial
from queue import SimpleQueue
from typing import Any, Generic, NoReturn, Protocol, TypeVar
from weakref import WeakSet

from anyio.from_thread import BlockingPortal, start_blocking_portal

from pincite.errors import UsageError
from pincite.support.processes.caller import CANCEL_S, Call, Caller, closed, next_of


class Engine(Protocol):
    """The methods that `EngineThread` needs of its engine."""

    async def close(self) -> None:
        """Release all resources of the engine."""


E = TypeVar("E", bound=Engine)
T = TypeVar("T")


class EngineThread(Generic[E]):
    """Runs the calls of `engine` in an event loop of its own. Several threads may call it. A forked
    process continues with an engine that `renew` makes from it: neither the loop nor the
    connections of the parent may be used there."""

    def __init__(self, engine: E, renew: Callable[[E], E]) -> None:
        self.engine = engine
        self._renew = renew
        self._start()

    def _start(self) -> None:
        self._stack = ExitStack()
        self._portal: BlockingPortal | None = self._stack.enter_context(start_blocking_portal())
        self._loop = self._portal.call(asyncio.get_running_loop)
        self._thread_id = self._portal.call(threading.get_ident)
        self._tasks: set[asyncio.Task[Any]] = set()
        self._is_forked = False
        _OPEN.add(self)

    def __reduce__(self) -> NoReturn:
        """Raise TypeError: a thread cannot be copied."""
        raise TypeError("an open index cannot be copied or pickled: open it again by its path")

    def leave_to_parent(self) -> None:
        """Forget the loop and engine of the process that this one was forked from."""
        if self._portal is None:
            return
        with suppress(StopIteration, RuntimeError):  # nothing waits for its thread from now on
            self._portal.stop().send(None)
        _OF_PARENT.append((self.engine, self._stack, self._loop, self._tasks))
        self.engine = self._renew(self.engine)
        self._portal, self._is_forked = None, True

    def close(self) -> None:
        """Cancel running work, close the engine and end the thread. A second call does nothing.
        Raises UsageError in the thread of the loop."""
        self._refuse_inside()
        portal, self._portal, self._is_forked = self._portal, None, False
        if portal is not None:
            with self._stack:
                portal.call(self._end)

    async def _end(self) -> None:
        if self._tasks:
            for task in self._tasks:
                task.cancel()
            await asyncio.wait(self._tasks, timeout=CANCEL_S)
        await self.engine.close()

    def call(self, work: Callable[[], Awaitable[T]]) -> T:
        """Run `work` in the loop and return its result. Raises UsageError after `close`, and in the
        thread of the loop. KeyboardInterrupt cancels the work."""
        return self.call_from(lambda _: work())

    def call_from(self, work: Callable[[Caller], Awaitable[T]]) -> T:
        """Like `call`, for work that runs some of its functions in the calling thread."""
        caller = Caller()
        return caller.serve(self._made(partial(work, caller)))

    def _made(self, work: Callable[[], Awaitable[T]]) -> Call[T]:
        """Return the call for the loop; a forked process first starts its own loop. Raises
        UsageError."""
        if self._is_forked:
            with _STARTING:
                if self._is_forked:
                    self._start()
        if self._portal is None:
            raise closed()
        self._refuse_inside()
        return Call(self._loop, work, self._tasks)

    def _refuse_inside(self) -> None:
        """Raise UsageError in the thread of the loop, which would wait for itself."""
        if self._portal is not None and threading.get_ident() == self._thread_id:
            raise UsageError(
                "a function that this Pincite runs in its event loop cannot call it",
                hint="call it when the function has returned, or from another thread",
            )

    def iterate(self, opening: Callable[[], AsyncGenerator[T, None]]) -> Generator[T, None, None]:
        """Yield the items of an async generator of the engine, which runs ahead in the thread of
        the loop. Leaving it early cancels the rest. Raises UsageError as `call` does."""
        found: SimpleQueue[tuple[T, ...] | None] = SimpleQueue()

        async def fill() -> None:
            async with aclosing(opening()) as items:
                async for one in items:
                    found.put((one,))

        work = self._made(fill)
        work.ended.add_done_callback(lambda _: found.put(None))
        try:
            work.start()
            while (item := next_of(found, work)) is not None:
                yield item[0]
            work.result()
        finally:
            work.cancel()


#: All open ones. A program that ends without closing one would wait for its loop forever: the
#: thread of the loop no longer runs when Python destroys the objects.
_OPEN: WeakSet[EngineThread[Any]] = WeakSet()
_STARTING = threading.Lock()
#: Engines of the parent of a forked process. Closing a connection of one would remove its
#: descriptor from a selector that the parent still uses.
_OF_PARENT: list[object] = []


@atexit.register
def _close_all() -> None:
    for one in list(_OPEN):
        with suppress(Exception):  # nobody could handle it
            one.close()


def _begin_forked() -> None:
    global _STARTING
    _STARTING = threading.Lock()
    for one in list(_OPEN):
        one.leave_to_parent()


if hasattr(os, "register_at_fork"):  # Windows has no fork
    os.register_at_fork(after_in_child=_begin_forked)
