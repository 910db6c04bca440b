"""A run over everything begins again for edits, and is never kept from its work by them."""

from __future__ import annotations

import asyncio

import pytest

from pincite.daemon.refresh import interruption
from pincite.daemon.refresh.interruption import Interruption


def test_an_edit_interrupts_once_when_the_look_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interruption, "_LEAST_S", 0.1)

    async def check() -> None:
        made = asyncio.Event()
        calls: list[bool] = []

        def stop() -> None:
            calls.append(one.made)
            made.set()

        one = Interruption(stop)
        one.edited()
        await asyncio.sleep(0.2)
        assert not one.made  # it is looking, and may see the edit
        one.looked()
        one.edited()
        assert not one.made  # looking took a fifth of a second, which work has to outlast
        await made.wait()
        one.edited()
        await asyncio.sleep(0.2)
        assert calls == [True]

    asyncio.run(check())


def test_a_run_without_edits_or_that_has_ended_is_not_interrupted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(interruption, "_LEAST_S", 0.05)

    async def check() -> None:
        calls: list[None] = []
        undisturbed = Interruption(lambda: calls.append(None))
        undisturbed.looked()
        ended = Interruption(lambda: calls.append(None))
        ended.looked()
        ended.edited()
        ended.close()
        await asyncio.sleep(0.2)
        assert (calls, undisturbed.made, ended.made) == ([], False, False)

    asyncio.run(check())


@pytest.mark.parametrize(("interrupted", "least_s"), [(0, 2.0), (1, 4.0), (4, 32.0), (99, 2048.0)])
def test_a_run_after_one_that_was_interrupted_lasts_twice_as_long(
    interrupted: int, least_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise constant edits of one file would keep the last collections waiting for ever."""

    async def check() -> None:
        loop = asyncio.get_running_loop()
        now_s = loop.time()
        monkeypatch.setattr(loop, "time", lambda: now_s)
        one = Interruption(lambda: None, interrupted)
        one.looked()
        one.edited()
        for passed_s, made in ((least_s - 0.1, False), (least_s + 0.1, True)):
            monkeypatch.setattr(loop, "time", lambda to_s=now_s + passed_s: to_s)
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            assert one.made == made
        one.close()

    asyncio.run(check())
