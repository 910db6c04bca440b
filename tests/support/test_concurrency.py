"""OnePerName of names, and threads whose callers leave."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest

from pincite.support.concurrency import STORE_TURNS, OnePerName, run_in, store_turn


def test_one_name_has_one_turn_at_a_time_and_others_go_on() -> None:
    async def session() -> tuple[int, list[str]]:
        turns, free, done = OnePerName(), asyncio.Event(), list[str]()
        inside = most = 0

        async def work(name: str, wait: asyncio.Event | None = None) -> None:
            nonlocal inside, most
            async with turns.of(name):
                inside += name == "a"
                most = max(most, inside)
                if wait is not None:
                    await wait.wait()
                inside -= name == "a"
            done.append(name)

        slow = [asyncio.create_task(work("a", free)) for _ in range(3)]
        await asyncio.sleep(0)
        await work("b")
        slow[1].cancel()  # who gives up waiting holds up nobody
        free.set()
        await asyncio.gather(*slow, return_exceptions=True)
        await work("a")
        return most, done

    assert asyncio.run(session()) == (1, ["b", "a", "a", "a"])


def test_a_caller_that_leaves_waits_for_its_thread_and_not_for_what_has_not_begun() -> None:
    async def session() -> tuple[bool, list[str]]:
        begun, free, done = threading.Event(), threading.Event(), list[str]()

        def slow() -> None:
            begun.set()
            free.wait()
            done.append("slow")

        with ThreadPoolExecutor(1) as threads:
            first = asyncio.create_task(run_in(threads, slow))
            await asyncio.to_thread(begun.wait)
            second = asyncio.create_task(run_in(threads, lambda: done.append("never")))
            await asyncio.sleep(0)
            second.cancel()
            with pytest.raises(asyncio.CancelledError):
                await second
            first.cancel()
            await asyncio.sleep(0)
            waits = not first.done()
            free.set()
            with pytest.raises(asyncio.CancelledError):
                await first
        return waits, done

    assert asyncio.run(session()) == (True, ["slow"])


def test_what_a_thread_raises_is_raised() -> None:
    def fails() -> None:
        raise ValueError("no")

    async def session() -> None:
        with ThreadPoolExecutor(1) as threads:
            await run_in(threads, fails)

    with pytest.raises(ValueError, match="no"):
        asyncio.run(session())


def test_closed_loops_in_which_searches_waited_for_their_turn_are_freed() -> None:
    loops: list[weakref.ref[asyncio.AbstractEventLoop]] = []

    async def session() -> None:
        async def one() -> None:
            async with store_turn("search"):
                await asyncio.sleep(0)

        loops.append(weakref.ref(asyncio.get_running_loop()))
        await asyncio.gather(*(one() for _ in range(STORE_TURNS + 1)))

    for _ in range(5):
        asyncio.run(session())
    gc.collect()
    assert [loop() for loop in loops[:-1]] == [None] * 4
