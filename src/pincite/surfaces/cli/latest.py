"""Search while the user types, and show only the result for the latest text."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from pincite.errors import PinciteError

T = TypeVar("T")


class Latest(Generic[T]):
    """Calls `search` after a pause in typing of `pause_s` seconds, and `show` with its result or
    error, unless the text has changed meanwhile. For a blank text, `show` gets None at once."""

    def __init__(
        self,
        search: Callable[[str], Awaitable[T]],
        show: Callable[[str, T | PinciteError | None], None],
        pause_s: float,
    ) -> None:
        self._search = search
        self._show = show
        self._pause_s = pause_s
        self._wanted = ""
        self._changed = asyncio.Event()

    def ask(self, text: str) -> None:
        """Set the current text."""
        self._wanted = text
        self._changed.set()

    async def run(self) -> None:
        """Answer until cancelled. At most one search runs at a time."""
        while True:
            await self._changed.wait()
            await self._quiet()
            text = self._wanted
            if not text.strip():
                self._show(text, None)
                continue
            found: T | PinciteError
            try:
                found = await self._search(text)
            except PinciteError as error:
                found = error
            if not self._changed.is_set():
                self._show(text, found)

    async def _quiet(self) -> None:
        while self._changed.is_set():
            self._changed.clear()
            if not self._wanted.strip():
                return
            try:
                async with asyncio.timeout(self._pause_s):
                    await self._changed.wait()
            except TimeoutError:
                return
