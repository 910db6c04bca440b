"""Threads for work that may hang. They do not prevent the process from ending."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TypeVar

_IDLE_S = 10.0  # guess, unmeasured
_T = TypeVar("_T")
_Queue = SimpleQueue[Callable[[], None]]


class SpareThreads:
    """Runs work in a free thread, or in a new one if none is free. A thread that has done its work
    waits for more, because starting one takes longer than checking the files of ten results. It
    ends after `idle_s` seconds without work."""

    def __init__(self, name: str, idle_s: float = _IDLE_S) -> None:
        self._name = name
        self._idle_s = idle_s
        self._free: list[_Queue] = []
        self._process = os.getpid()

    def start(self, work: Callable[[], None]) -> None:
        """Run `work`, which raises nothing, in a thread."""
        if self._process != os.getpid():  # no thread survives a fork
            self._free, self._process = [], os.getpid()
        try:
            queue = self._free.pop()
        except IndexError:
            queue = SimpleQueue()
            Thread(target=self._serve, args=(queue,), name=self._name, daemon=True).start()
        queue.put(work)

    async def result(self, work: Callable[[], _T], limit_s: float) -> _T:
        """Run `work` in a thread and return its result. Raises the error of `work`, and
        TimeoutError after `limit_s` seconds; the thread then continues on its own."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[_T] = loop.create_future()

        def end(result: _T | None, error: BaseException | None) -> None:
            if not done.done():
                done.set_exception(error) if error else done.set_result(result)  # type: ignore[arg-type]

        def run() -> None:
            result, error = None, None
            try:
                result = work()
            except BaseException as raised:  # noqa: BLE001 - handed to who waits
                error = raised
            with suppress(RuntimeError):  # the loop has ended meanwhile
                loop.call_soon_threadsafe(end, result, error)

        self.start(run)
        async with asyncio.timeout(limit_s):
            return await done

    def _serve(self, queue: _Queue) -> None:
        while True:
            try:
                work = queue.get(timeout=self._idle_s)
            except Empty:
                try:
                    self._free.remove(queue)
                except ValueError:
                    work = queue.get()  # it was taken at the last moment
                else:
                    return
            work()
            del work
            self._free.append(queue)
