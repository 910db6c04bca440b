"""Tests of what `Administration` promises for rates."""

from __future__ import annotations

import pytest

from pincite.errors import NotFound, UsageError
from pincite.testing.running import contract
from pincite.testing.workspaces import NO_IDS, Clock
from pincite.workspace.access.rates import Rate, Taken
from pincite.workspace.ports import Workspaces

KEY = "00000000-0000-4000-8000-000000000001"
OTHER = "00000000-0000-4000-8000-000000000002"
RATE = Rate(per_minute=120, burst=10)  # one every half second, four in a block


async def take(workspaces: Workspaces, wanted: int = 1, key: str = KEY, rate: Rate = RATE) -> Taken:
    """Take requests as a process does."""
    return await workspaces.administer(lambda one: one.take_requests(key, wanted, rate))


class WorkspaceRatesContract:
    """Derive from it and let `opened` yield workspaces with a schema and without users, which take
    the time from `clock`."""

    clock: Clock

    def setup_method(self) -> None:
        self.clock = Clock()

    @contract
    async def test_a_burst_is_let_pass_and_then_no_more(self, workspaces: Workspaces) -> None:
        assert [(await take(workspaces)).count for _ in range(11)] == [1] * 10 + [0]
        assert (await take(workspaces)).wait_s == 0.5
        assert (await take(workspaces, key=OTHER)).count == 1

    @contract
    async def test_who_wants_more_than_there_are_gets_the_rest(
        self, workspaces: Workspaces
    ) -> None:
        taken = [(await take(workspaces, 4)).count for _ in range(5)]
        assert taken == [4, 4, 2, 0, 0]

    @contract
    async def test_requests_come_back_at_an_even_pace(self, workspaces: Workspaces) -> None:
        for _ in range(10):
            await take(workspaces)
        self.clock.forward(0.49)
        refused = await take(workspaces)
        assert (refused.count, round(refused.wait_s, 6)) == (0, 0.01)
        self.clock.forward(0.01)
        assert [(await take(workspaces)).count for _ in range(2)] == [1, 0]
        self.clock.forward(1.5)
        assert [(await take(workspaces, 4)).count for _ in range(2)] == [3, 0]
        self.clock.forward(3_600)
        assert [(await take(workspaces)).count for _ in range(11)] == [1] * 10 + [0]

    @contract
    async def test_a_clock_that_is_set_back_closes_no_key(self, workspaces: Workspaces) -> None:
        for _ in range(10):
            await take(workspaces)
        self.clock.forward(-3_600)
        assert [(await take(workspaces)).count for _ in range(11)] == [1] * 10 + [0]
        self.clock.forward(-1)  # a small change of the clock: wait for it
        refused = await take(workspaces)
        assert (refused.count, refused.wait_s) == (0, 1.5)

    @contract
    async def test_what_cannot_be_taken_is_refused(self, workspaces: Workspaces) -> None:
        for wanted in (0, -1, RATE.block + 1, 2**70):
            with pytest.raises(UsageError, match="wanted"):
                await take(workspaces, wanted)
        for wrong in NO_IDS:
            if wrong != "00000000-0000-4000-8000-000000000000":
                with pytest.raises(NotFound):
                    await take(workspaces, key=wrong)
        assert (await take(workspaces, RATE.block)).count == RATE.block
