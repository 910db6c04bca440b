"""Run asynchronous tests without a plugin."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from functools import wraps
from typing import Any, Protocol, TypeVar

S = TypeVar("S", covariant=True)


class Opens(Protocol[S]):
    """A suite that opens the object under test."""

    def opened(self) -> AbstractAsyncContextManager[S]: ...


def contract(test: Callable[[Any, Any], Awaitable[None]]) -> Callable[[Any], None]:
    """Return a test of a suite. It gets the object that `opened` yields, in an event loop of its
    own."""

    @wraps(test)
    def run(self: Opens[Any]) -> None:
        async def session() -> None:
            async with self.opened() as subject:
                await test(self, subject)

        asyncio.run(session())

    del run.__wrapped__  # pytest would take its arguments for fixtures
    return run
