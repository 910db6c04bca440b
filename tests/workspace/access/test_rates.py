"""How often a key may ask, over all processes: never more than `workspace/access/rates.py` says."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar, cast

import psycopg
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pincite.errors import ConfigError, WorkspaceUnavailable
from pincite.surfaces.http.rates import KeyRates
from pincite.testing.workspace_rates import KEY, OTHER, WorkspaceRatesContract, take
from pincite.testing.workspaces import Clock
from pincite.workspace.access.rates import LIFE_S, Rate, Taken
from pincite.workspace.database.postgres import PostgresWorkspaces
from pincite.workspace.database.sqlite import SqliteWorkspaces
from pincite.workspace.ports import Administration, Workspaces
from tests.quick_folder import quick_folder
from tests.workspace.database.openers import BehindPgbouncer, OnPostgres, OnSqlite
from tests.workspace.postgres_server import Database

T = TypeVar("T")


class TestRatesOnSqlite(OnSqlite, WorkspaceRatesContract):
    """What a key may send."""


class TestRatesOnPostgres(OnPostgres, WorkspaceRatesContract):
    """What a key may send."""


class TestRatesBehindPgbouncer(BehindPgbouncer, WorkspaceRatesContract):
    """What a key may send."""


def too_many(passed: list[float], rate: Rate) -> list[tuple[int, float]]:
    """Windows in which more requests passed than the law lets: how many, in how many seconds."""
    ordered, found = sorted(passed), []
    for first, begin in enumerate(ordered):
        for last in range(first, len(ordered)):
            seconds = ordered[last] - begin
            most = rate.burst + (seconds + LIFE_S) * 1e6 / rate.each_us
            if last - first + 1 > most + 1e-3:
                found.append((last - first + 1, seconds))
    return found


class Counted:
    """Workspaces that count how often they are asked."""

    def __init__(self, inner: Workspaces) -> None:
        self.inner = inner
        self.asked = 0

    async def administer(self, work: Callable[[Administration], Awaitable[T]]) -> T:
        self.asked += 1
        return await self.inner.administer(work)


class Time:
    """One clock for the database and for the processes, which tests set."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds

    def now(self) -> datetime:
        return datetime(2026, 1, 2, tzinfo=UTC) + timedelta(seconds=self.seconds)


STEPS = st.tuples(
    st.sampled_from((0.0, 0.01, 0.3, LIFE_S - 0.01, LIFE_S, 5.0, 61.0)),  # later
    st.integers(0, 2),  # the process
    st.integers(1, 8),  # requests at once
)


#: Two processes take more than they spend, and a minute later all three spend what they can.
KEPT_TOO_LONG = [
    *((later, one, 8) for one in (0, 1) for later in (61.0, 0.0)),
    (61.0, 2, 8),
    *((0.0, one, 8) for one in (2, 2, 2, 0, 0, 1, 1)),
]


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from((3, 60, 600, 6_000)),
    st.integers(1, 30),
    st.lists(STEPS, min_size=1, max_size=25),
)
@example(600, 30, KEPT_TOO_LONG)
@example(600, 1, [(0.0, 0, 8), (LIFE_S - 0.01, 1, 8), (0.01, 0, 8)])
@example(6_000, 30, [(0.0, 0, 1)] + [(0.3, 0, 8)] * 6 + [(LIFE_S - 0.01, 1, 8)] * 3)
def test_no_window_has_more_than_burst_and_rate_let(
    per_minute: int, burst: int, steps: list[tuple[float, int, int]]
) -> None:
    rate, time = Rate(per_minute, burst), Time()

    async def run(folder: Path) -> list[float]:
        passed = []
        workspaces = SqliteWorkspaces(folder / "workspaces.db", time.now)
        await workspaces.migrate()
        processes = [KeyRates(workspaces, rate, time) for _ in range(3)]
        try:
            for later, process, count in steps:
                time.seconds += later
                asked = [processes[process].take(KEY) for _ in range(count)]
                waits = await asyncio.gather(*asked)
                passed += [time.seconds] * waits.count(0.0)
        finally:
            await workspaces.close()
        return passed

    with quick_folder() as folder:
        passed = asyncio.run(run(folder))
    assert passed  # the first one always
    assert too_many(passed, rate) == []


async def made(folder: Path, time: Time) -> SqliteWorkspaces:
    workspaces = SqliteWorkspaces(folder / "workspaces.db", time.now)
    await workspaces.migrate()
    return workspaces


def test_most_requests_of_a_busy_key_ask_nobody() -> None:
    async def run(folder: Path) -> tuple[int, int]:
        time = Time()
        counted = Counted(await made(folder, time))
        rates = KeyRates(cast("Workspaces", counted), Rate(600, 600), time)
        for _ in range(200):  # ten a second, as many as may be
            assert await rates.take(KEY) == 0.0
            time.seconds += 0.1
        busy = counted.asked
        for _ in range(600):
            await rates.take(OTHER)
        refused = counted.asked
        for _ in range(1_000):
            assert await rates.take(OTHER) > 0.0
        await cast("SqliteWorkspaces", counted.inner).close()
        return busy, counted.asked - refused

    with quick_folder() as folder:
        busy, refused = asyncio.run(run(folder))
    assert busy <= 20
    assert refused <= 2


def test_a_key_that_asks_now_and_then_is_never_refused_by_what_lapses() -> None:
    """Ten processes, each asked every three seconds: a third of the rate."""

    async def run(folder: Path) -> list[float]:
        time = Time()
        workspaces = await made(folder, time)
        processes = [KeyRates(workspaces, Rate(600, 20), time) for _ in range(10)]
        waits = []
        for _ in range(20):
            for one in processes:
                waits.append(await one.take(KEY))
                time.seconds += 0.3
        await workspaces.close()
        return waits

    with quick_folder() as folder:
        assert set(asyncio.run(run(folder))) == {0.0}


def test_a_database_that_is_away_lets_nothing_pass() -> None:
    class Away:
        async def administer(self, work: object) -> Taken:
            raise WorkspaceUnavailable("it is away")

    async def run() -> None:
        rates = KeyRates(cast("Workspaces", Away()), Rate(600, 600))
        for _ in range(2):
            with pytest.raises(WorkspaceUnavailable):
                await rates.take(KEY)

    asyncio.run(run())


def test_rates_that_are_none_are_refused() -> None:
    for wrong in ((0, 1), (1, 0), (-1, 1), (10**7, 1)):
        with pytest.raises(ConfigError, match="rate limit"):
            Rate(*wrong)


def start(place: str, operator: str, rate: Rate, seconds: float) -> subprocess.Popen[str]:
    asked = (place, operator, KEY, str(rate.per_minute), str(rate.burst), str(seconds))
    return subprocess.Popen(
        [sys.executable, "-m", "tests.workspace.access.rates_process", *asked],
        stdout=subprocess.PIPE,
        text=True,
    )


def together(place: str, operator: str) -> None:
    """Two processes that ask for all they can get have what one may have."""
    rate, seconds = Rate(per_minute=600, burst=15), 3.0
    processes = [start(place, operator, rate, seconds) for _ in range(2)]
    passed: list[float] = []
    for one in processes:
        said, _ = one.communicate(timeout=60)
        assert one.returncode == 0
        passed += map(float, said.split())
    assert too_many(passed, rate) == []
    assert len(passed) > rate.burst + seconds / 2 * 10 / 2  # and it is no law that nothing passes


def test_two_processes_share_the_rate_of_a_key_in_sqlite() -> None:
    with quick_folder() as folder:
        place = folder / "workspaces.db"
        workspaces = SqliteWorkspaces(place)

        async def migrate() -> None:
            await workspaces.migrate()
            await workspaces.close()

        asyncio.run(migrate())
        together(str(place), "")


def test_two_processes_share_the_rate_of_a_key_in_postgresql(database: Database) -> None:
    together(database.app, database.operator)


def test_who_waited_for_the_row_takes_no_wait_for_a_clock_that_was_set_back(
    database: Database,
) -> None:
    rate, clock = Rate(per_minute=60, burst=2), Clock()

    async def run() -> Taken:
        workspaces = PostgresWorkspaces(database.app, operator=database.operator, clock=clock)
        other = await psycopg.AsyncConnection.connect(database.superuser)
        try:
            await take(workspaces, 2, rate=rate)
            await other.execute("SELECT 1 FROM pincite.key_rates FOR UPDATE")
            taking = asyncio.create_task(take(workspaces, rate=rate))
            for _ in range(3_000):
                await other.execute("SELECT pg_stat_clear_snapshot()")
                found = await other.execute(
                    "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                    " AND datname = current_database()"
                )
                if taking.done() or await found.fetchone():
                    break
                await asyncio.sleep(0.01)
            clock.forward(20)  # meanwhile others took all that there was
            await other.execute("UPDATE pincite.key_rates SET full_us = full_us + 20000000")
            await other.commit()
            return await taking
        finally:
            await other.close()
            await workspaces.close()

    taken = asyncio.run(run())
    assert (taken.count, taken.wait_s) == (0, 1.0)
