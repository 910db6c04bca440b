"""After a failed run, another one follows by itself if the reason may pass."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from pincite.daemon.refresh import attempts
from pincite.daemon.refresh.attempts import Attempts
from tests.time_limits import HANGS_S


def checked(check: Callable[[Attempts, asyncio.Event], object]) -> None:
    async def run() -> None:
        again = asyncio.Event()
        await check(Attempts(again.set), again)  # type: ignore[misc]

    asyncio.run(run())


def test_another_run_follows_a_failure_that_may_pass() -> None:
    async def check(known: Attempts, again: asyncio.Event) -> None:
        known.ended(0.0, "the disk is full", passing=True, changing=False)
        assert 0 < known.pause_s <= 0.25
        async with asyncio.timeout(HANGS_S):
            await again.wait()

    checked(check)


def test_none_follows_a_success_or_a_failure_that_lasts() -> None:
    async def check(known: Attempts, again: asyncio.Event) -> None:
        known.ended(0.0, "a model costs money", passing=False, changing=False)
        await asyncio.sleep(0.5)
        known.ended(0.0, "", passing=False, changing=False)
        assert known.pause_s <= 0
        known.ended(0.0, "", passing=True, changing=False)  # nothing failed
        await asyncio.sleep(0.1)
        assert not again.is_set()

    checked(check)


def test_pauses_grow_to_a_minute_but_not_while_files_change() -> None:
    async def check(known: Attempts, again: asyncio.Event) -> None:
        pauses = []
        for _ in range(7):
            known.ended(0.0, "failed", passing=True, changing=False)
            pauses.append(round(known.pause_s, 1))
        assert pauses[1:] == [1.0, 4.0, 16.0, 60.0, 60.0, 60.0]
        known.ended(0.0, "failed", passing=True, changing=True)
        assert round(known.pause_s, 1) == 1.0
        known.cancel()

    checked(check)


def test_a_daemon_that_nobody_uses_does_not_try_forever(monkeypatch: pytest.MonkeyPatch) -> None:
    async def check(known: Attempts, again: asyncio.Event) -> None:
        for _ in range(attempts._MOST + 1):
            known.ended(0.0, "failed", passing=True, changing=False)
        await asyncio.sleep(0.1)
        assert not again.is_set()

    monkeypatch.setattr(attempts, "_PAUSE_S", 0.0)
    checked(check)
