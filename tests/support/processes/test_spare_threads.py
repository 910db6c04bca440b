"""Threads that wait for more work, and that may hang."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Callable

import pytest

from pincite.support.processes.spare_threads import SpareThreads

_LIMIT_S = 60


def ended(threads: SpareThreads, work: Callable[[], None] = lambda: None) -> threading.Thread:
    """Run it to its end, and return the thread."""
    done, by = threading.Event(), []

    def run() -> None:
        work()
        by.append(threading.current_thread())
        done.set()

    threads.start(run)
    assert done.wait(_LIMIT_S)
    return by[0]


def until(met: Callable[[], bool]) -> None:
    limit = time.monotonic() + _LIMIT_S
    while not met():
        assert time.monotonic() < limit
        time.sleep(0.001)


def test_a_thread_that_is_done_is_used_again_and_none_that_hangs() -> None:
    threads, released = SpareThreads("spare", idle_s=_LIMIT_S), threading.Event()
    first = ended(threads)
    until(lambda: len(threads._free) == 1)
    assert ended(threads) is first
    until(lambda: len(threads._free) == 1)
    threads.start(lambda: (released.wait(_LIMIT_S), None)[1])  # the first one hangs
    second = ended(threads)
    assert second is not first
    assert second.daemon
    released.set()
    until(lambda: len(threads._free) == 2)


def test_a_thread_without_work_ends_and_work_that_meets_its_end_is_done() -> None:
    threads = SpareThreads("spare", idle_s=0.001)
    for _ in range(300):
        ended(threads)
        time.sleep(0.001)
    last = ended(threads)
    last.join(_LIMIT_S)
    assert not last.is_alive()
    until(lambda: not threads._free)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no processes fork here")
def test_a_fork_has_threads_of_its_own() -> None:
    threads = SpareThreads("spare", idle_s=_LIMIT_S)
    ended(threads)
    until(lambda: len(threads._free) == 1)
    child = os.fork()
    if child == 0:
        done = threading.Event()
        threads.start(done.set)
        os._exit(0 if done.wait(_LIMIT_S) else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_a_result_comes_back_and_so_does_an_error_but_not_what_takes_too_long() -> None:
    threads, go = SpareThreads("pincite-test"), threading.Event()

    def fail() -> int:
        raise KeyError("x")

    async def asked() -> None:
        assert await threads.result(lambda: 3, 30) == 3
        with pytest.raises(KeyError):
            await threads.result(fail, 30)
        with pytest.raises(TimeoutError):
            await threads.result(lambda: go.wait(30), 0.05)
        go.set()

    asyncio.run(asked())
