"""Run asynchronous tests without a plugin."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from functools import wraps
from typing import Any, Protocol, TypeVar

S = TypeVar("S", covariant=True)


class Opens(Protocol[S]):
    """A suite that opens what it tests."""

    def opened(self) -> AbstractAsyncContextManager[S]: ...


def contract(test: Callable[[Any, Any], Awaitable[None]]) -> Callable[[Any], None]:
    """A test of a suite: gets what `opened` yields, on an event loop of its own."""

    @wraps(test)
    def run(self: Opens[Any]) -> None:
        async def session() -> None:
            async with self.opened() as subject:
                await test(self, subject)

        asyncio.run(session())

    del run.__wrapped__  # pytest would take its arguments for fixtures
    return run
