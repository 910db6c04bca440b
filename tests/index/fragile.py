"""A store or catalog whose process dies at a given call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable


class Crash(BaseException):
    """The process is gone: nothing after this happens."""


class Fuse:
    """Burns through at the given call, and stays so."""

    def __init__(self, calls: int) -> None:
        self.left = calls

    def burn(self) -> None:
        if self.left <= 0:
            raise Crash
        self.left -= 1


class Fragile:
    """A store or catalog in a process that dies before, or right after, one of its calls."""

    def __init__(self, inner: object, fuse: Fuse) -> None:
        self._inner, self._fuse = inner, fuse

    def __getattr__(self, name: str) -> Callable[..., Awaitable[object]]:
        method = getattr(self._inner, name)

        async def call(*args: object, **kwargs: object) -> object:
            self._fuse.burn()
            result = await method(*args, **kwargs)
            self._fuse.burn()
            return result

        return call
