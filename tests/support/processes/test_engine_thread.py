"""Calls from threads without an event loop: whose thread runs what, and what ends them."""

from __future__ import annotations

import _thread
import asyncio
import copy
import signal
import threading
import time
from collections.abc import AsyncGenerator, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NoReturn

import pytest

from pincite.errors import UsageError
from pincite.support.processes.caller import Caller
from pincite.support.processes.engine_thread import EngineThread

_LIMIT_S = 30


class Sleeper:
    """An engine whose work never ends by itself."""

    def __init__(self) -> None:
        self.begun, self.cancelled = threading.Event(), threading.Event()
        self.is_closed = False

    async def sleep(self) -> None:
        self.begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await asyncio.sleep(0.05)  # what has to be left in order
            self.cancelled.set()
            raise

    async def close(self) -> None:
        self.is_closed = True


@pytest.fixture
def opened() -> Iterator[EngineThread[Sleeper]]:
    thread = EngineThread(Sleeper(), lambda engine: engine)
    yield thread
    thread.close()


@pytest.fixture
def _interruptible() -> Iterator[None]:
    """A process that was started in the background ignores the signal."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def raising(error: BaseException) -> NoReturn:
    raise error


@pytest.mark.usefixtures("_interruptible")
def test_an_interrupted_call_is_cancelled_before_it_returns(opened: EngineThread[Sleeper]) -> None:
    engine = opened.engine

    def interrupt() -> None:
        assert engine.begun.wait(_LIMIT_S)
        _thread.interrupt_main()

    other = threading.Thread(target=interrupt)
    other.start()
    with pytest.raises(KeyboardInterrupt):
        opened.call(engine.sleep)
    assert engine.cancelled.is_set()
    other.join()
    assert opened.call(partial(asyncio.sleep, 0, "still open")) == "still open"


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit(3)])
def test_a_function_of_the_caller_that_is_interrupted_ends_the_call(
    opened: EngineThread[Sleeper], error: BaseException
) -> None:
    async def work(caller: Caller) -> None:
        try:
            await caller.run(partial(raising, error))
        finally:
            opened.engine.cancelled.set()

    with pytest.raises(type(error)):
        opened.call_from(work)
    assert opened.engine.cancelled.is_set()


def test_functions_of_the_caller_run_in_its_thread_and_in_their_order(
    opened: EngineThread[Sleeper],
) -> None:
    seen: list[tuple[object, int]] = []

    async def seven() -> int:
        return 7

    def see(one: object) -> int:
        again = opened.call(seven)  # the engine is free meanwhile
        seen.append((one, threading.get_ident()))
        return again

    async def work(caller: Caller) -> int:
        told = caller.told(see)
        assert told is not None
        told("told first")
        found: int = await caller.run(lambda: see("asked"))
        told("told last")
        return found

    assert opened.call_from(work) == 7
    me = threading.get_ident()
    assert seen == [("told first", me), ("asked", me), ("told last", me)]


def test_errors_of_the_caller_reach_the_work_and_then_the_caller(
    opened: EngineThread[Sleeper],
) -> None:
    error, heard = KeyError("mine"), []

    async def asking(caller: Caller) -> None:
        try:
            await caller.run(partial(raising, error))
        except KeyError as found:
            heard.append(found)
            raise

    async def telling(caller: Caller) -> None:
        told = caller.told(lambda _: raising(error))
        assert told is not None
        told(1)
        await opened.engine.sleep()

    for work in (asking, telling):
        with pytest.raises(KeyError) as raised:
            opened.call_from(work)
        assert raised.value is error
    assert heard == [error]
    assert opened.engine.cancelled.is_set()


def test_closing_ends_the_calls_of_other_threads(opened: EngineThread[Sleeper]) -> None:
    async def forever() -> AsyncGenerator[int, None]:
        yield 1
        await opened.engine.sleep()

    with ThreadPoolExecutor(2) as pool:
        call = pool.submit(opened.call, opened.engine.sleep)
        items = pool.submit(lambda: list(opened.iterate(forever)))
        assert opened.engine.begun.wait(_LIMIT_S)
        started_s = time.monotonic()
        opened.close()
        for one in (call, items):
            with pytest.raises(UsageError, match="is closed"):
                one.result(_LIMIT_S)
        assert time.monotonic() - started_s < 5
    assert opened.engine.is_closed
    with pytest.raises(UsageError, match="is closed"):
        opened.call(opened.engine.sleep)


def test_an_iterator_that_is_left_early_cancels_the_rest(opened: EngineThread[Sleeper]) -> None:
    async def forever() -> AsyncGenerator[int, None]:
        yield 1
        await opened.engine.sleep()

    items = opened.iterate(forever)
    assert next(items) == 1
    items.close()
    assert opened.engine.cancelled.wait(_LIMIT_S)


def test_a_function_that_runs_in_the_loop_cannot_wait_for_it(
    opened: EngineThread[Sleeper],
) -> None:
    async def inside() -> None:
        for forbidden in (partial(opened.call, opened.engine.sleep), opened.close):
            with pytest.raises(UsageError, match="cannot call it"):
                forbidden()

    opened.call(inside)
    assert not opened.engine.is_closed


def test_it_cannot_be_copied(opened: EngineThread[Sleeper]) -> None:
    with pytest.raises(TypeError, match="open it again by its path"):
        copy.deepcopy(opened)
