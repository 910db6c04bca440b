"""Who writes to a file of SQLite: in the order in which they asked, whatever is cancelled."""

from __future__ import annotations

import asyncio
import threading
from functools import partial
from pathlib import Path

import pytest

from pincite.errors import UsageError
from pincite.testing.workspaces import NOBODY
from pincite.workspace.database.sqlite import SqliteWorkspaces
from pincite.workspace.database.turns import Turns, turns_of
from pincite.workspace.ports import Session

pytestmark = pytest.mark.anyio


async def test_turns_come_in_the_order_in_which_they_were_asked_for() -> None:
    turns, seen = Turns(), list[int]()
    end = await turns.hold()
    later = [asyncio.create_task(turns.take(partial(seen.append, n))) for n in range(20)]
    await asyncio.sleep(0)
    assert seen == []
    end()
    await asyncio.gather(*later)
    assert seen == list(range(20))


async def test_who_is_cancelled_before_their_turn_does_nothing_and_holds_up_nobody() -> None:
    turns, seen = Turns(), list[str]()
    end = await turns.hold()
    taking = asyncio.create_task(turns.take(lambda: seen.append("cancelled")))
    holding = asyncio.create_task(turns.hold())
    await asyncio.sleep(0)
    for one in (taking, holding):
        one.cancel()
    await asyncio.wait([taking, holding])
    end()
    await turns.take(lambda: seen.append("next"))
    assert seen == ["next"]


async def test_who_is_cancelled_in_their_turn_waits_for_its_end() -> None:
    turns, begun, go_on = Turns(), threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        go_on.wait()

    task = asyncio.create_task(turns.take(work))
    await asyncio.to_thread(begun.wait)
    task.cancel()
    await asyncio.sleep(0.01)
    assert not task.done()
    go_on.set()
    await asyncio.wait([task])
    assert task.cancelled()


def test_a_loop_that_ends_in_its_turn_gives_it_back(tmp_path: Path) -> None:
    turns = turns_of(tmp_path / "a.db")
    assert turns_of(tmp_path / "b" / ".." / "a.db") is turns

    async def held_for_ever() -> None:
        await turns.hold()

    asyncio.run(held_for_ever())
    assert asyncio.run(turns.take(lambda: 1)) == 1


async def test_a_change_that_fails_changes_nothing_and_the_next_one_does(tmp_path: Path) -> None:
    workspaces = SqliteWorkspaces(tmp_path / "workspaces.db")
    await workspaces.migrate()
    try:
        async with workspaces.administration() as operator:
            user = await operator.add_user("Ada")

        async def twice(session: Session) -> None:
            await session.add_space("one")
            await session.add_space("\n")

        async def waits(session: Session) -> None:
            await session.add_space("two")
            await asyncio.sleep(0)

        with pytest.raises(UsageError):
            await workspaces.change(user.id, twice)
        with pytest.raises(RuntimeError, match="awaits its session"):
            await workspaces.change(user.id, waits)
        made = await workspaces.change(user.id, lambda session: session.add_space("three"))
        async with workspaces.of(user.id) as session:
            assert {one.name for one in await session.spaces()} == {"Ada", made.name}
        with pytest.raises(UsageError):
            await workspaces.change("no id", lambda session: session.user())
        assert await workspaces.change(NOBODY, lambda session: session.spaces()) == ()
    finally:
        await workspaces.close()


async def test_changes_and_sessions_of_two_that_have_the_file_open_lose_nothing(
    tmp_path: Path,
) -> None:
    pair = [SqliteWorkspaces(tmp_path / "workspaces.db") for _ in range(2)]
    await pair[0].migrate()
    try:
        async with pair[0].administration() as operator:
            user = await operator.add_user("Ada")

        async def within(number: int) -> None:
            async with pair[number % 2].of(user.id) as session:
                await session.add_space(f"within {number}")

        async def at_once(number: int) -> None:
            await pair[number % 2].change(user.id, lambda s: s.add_space(f"at once {number}"))

        await asyncio.gather(*(one(number) for number in range(20) for one in (within, at_once)))
        async with pair[1].of(user.id) as session:
            assert len(await session.spaces()) == 41
    finally:
        for one in pair:
            await one.close()
