"""Run methods of a session in one thread, from their first statement to their last.

Each step from a thread to the event loop and back waits for the other work of the loop. A writing
transaction blocks other writers meanwhile: with a step for each of its ten statements, fifty
clients waited a second for each other. So a whole method runs in a thread. It returns to the loop
only to wait for the lock, so that waiting uses no thread.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Coroutine, Generator
from typing import Any, Final, Protocol

_RUNNING: Final = object()


class Pause:
    """Awaited by code in a thread: the code resumes after the event loop has done the requested
    work."""

    def __await__(self) -> Generator[Pause, None, None]:
        yield self


class Steps(Protocol):
    """A transaction that can be used within one thread."""

    async def in_thread(self, work: Callable[..., Any], *args: object) -> Any:
        """Run work in a thread of the transaction; its statements run directly in that thread."""

    async def resume(self) -> None:
        """Wait on the event loop until the work that a `Pause` requests is done."""


def ended(work: Coroutine[Any, Any, Any]) -> Any:
    """Run a coroutine that never suspends, in the calling thread, and return its result."""
    try:
        if (result := _advance(work)) is _RUNNING:
            raise RuntimeError("a change awaits its session and nothing else")
        return result
    finally:
        work.close()


class Stepped:
    """A session whose methods run in a thread. Other attributes are unchanged."""

    def __init__(self, session: object, steps: Steps) -> None:
        self._session = session
        self._steps = steps

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._session, name)
        if not inspect.iscoroutinefunction(found):
            return found

        def stepped(*args: object, **keywords: object) -> Awaitable[Any]:
            return _driven(found(*args, **keywords), self._steps)

        return stepped


async def _driven(work: Coroutine[Any, Any, Any], steps: Steps) -> Any:
    try:
        while (result := await steps.in_thread(_advance, work)) is _RUNNING:
            await steps.resume()
        return result
    finally:
        work.close()


def _advance(work: Coroutine[Any, Any, Any]) -> Any:
    try:
        work.send(None)
    except StopIteration as ended:
        return ended.value
    return _RUNNING
