"""Leases in PostgreSQL: one writer at a time, and none that comes back too late."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import psycopg
import pytest

from pincite.catalog.postgres import PostgresCatalog
from pincite.errors import IndexUnavailable, UsageError
from pincite.index.database_leases import DatabaseLeases, Held
from pincite.model import Notice
from pincite.ports import Waiting
from pincite.support.databases.postgres import Pool
from pincite.testing.catalogs import record_of
from pincite.testing.points import DENSE_SPEC
from tests.time_limits import HANGS_S
from tests.workspace.conftest import anyio_backend, migrated, postgres
from tests.workspace.postgres_server import Database, Server, pooled

__all__ = ["anyio_backend", "migrated", "postgres"]

pytestmark = pytest.mark.anyio
LONG = Waiting(20.0)


@pytest.fixture
def database(postgres: Server, migrated: str) -> Database:
    return postgres.database(migrated)


class Machine:
    """One that writes to the index. `repaired` are the names that it had to repair."""

    def __init__(self, address: str, lost_s: float = 15.0) -> None:
        self.repaired: list[str] = []
        self.held = Held()
        self.pool = Pool(address)
        self.leases = DatabaseLeases(self.pool, self.held, self._repair, lost_s)
        self.catalog = PostgresCatalog(self.pool, self.held.guard)

    async def _repair(self, name: str) -> None:
        self.repaired.append(name)


@pytest.fixture
async def machines(database: Database) -> AsyncIterator[list[Machine]]:
    async with AsyncExitStack() as stack:
        made = [Machine(database.operator) for _ in range(3)]
        for one in made:
            stack.push_async_callback(one.pool.close)
        yield made


def cut(database: Database) -> None:
    """End the transactions in which locks are held, as the server does with those of a machine that
    is cut off."""
    with psycopg.connect(database.superuser, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_locks JOIN pg_database d ON d.oid = database"
            " WHERE locktype = 'advisory' AND d.datname = current_database()"
        )


async def test_one_writes_at_a_time_whoever_asks(machines: list[Machine]) -> None:
    inside, most, order = 0, 0, []

    async def write(machine: Machine, number: int) -> None:
        nonlocal inside, most
        async with machine.leases.take("main", f"writing {number}", LONG):
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0.02)
            inside -= 1
            order.append(number)

    await asyncio.gather(*(write(machines[n % 3], n) for n in range(9)))
    assert most == 1
    assert sorted(order) == list(range(9))
    assert [one.repaired for one in machines] == [[], [], []]


async def test_others_write_to_another_collection_meanwhile(machines: list[Machine]) -> None:
    async with (
        machines[0].leases.take("main", "writing", LONG),
        machines[1].leases.take("other", "writing", Waiting(0)),
    ):
        assert machines[0].leases.is_any_taken()
    assert not machines[0].leases.is_any_taken()


async def test_who_waits_for_too_long_hears_who_writes(machines: list[Machine]) -> None:
    heard: list[Notice] = []
    async with machines[0].leases.take("main", "indexing docs", LONG):
        with pytest.raises(IndexUnavailable, match=r"is indexing docs, since .* after 0 s"):
            async with machines[1].leases.take("main", "writing", Waiting(0)):
                pass
        with pytest.raises(IndexUnavailable, match=r"not free after 0\.3 s"):
            async with machines[1].leases.take("main", "writing", Waiting(0.3, heard.append)):
                pass
    assert ["indexing docs" in one.message for one in heard] == [True]


async def until_waiting(database: Database, count: int) -> None:
    """Return when so many stand in the queue."""
    sql = "SELECT count(*) FROM pincite_index.lease_tickets"
    async with (
        asyncio.timeout(HANGS_S),
        await psycopg.AsyncConnection.connect(database.superuser, autocommit=True) as connection,
    ):
        while (await (await connection.execute(sql)).fetchone()) != (count,):  # noqa: ASYNC110
            await asyncio.sleep(0.02)


async def test_those_who_wait_come_in_order(machines: list[Machine], database: Database) -> None:
    order: list[int] = []

    async def write(number: int) -> None:
        async with machines[number].leases.take("main", "writing", LONG):
            order.append(number)

    async with machines[0].leases.take("main", "writing", LONG):
        waiting = []
        for number in (2, 1, 0):
            waiting.append(asyncio.create_task(write(number)))
            await until_waiting(database, len(waiting))
    await asyncio.gather(*waiting)
    assert order == [2, 1, 0]


async def test_who_was_cut_off_changes_nothing_and_the_next_one_repairs(
    machines: list[Machine], database: Database
) -> None:
    late, next_one, _ = machines
    await late.catalog.put_spec(DENSE_SPEC)

    async def write() -> None:
        async with late.leases.take("main", "writing", LONG):
            await late.catalog.put("main", [record_of("a.md", "r1")])
            cut(database)
            async with next_one.leases.take("main", "writing", LONG):
                assert next_one.repaired == ["main"]
                await next_one.catalog.put("main", [record_of("a.md", "r2")])
                with pytest.raises(IndexUnavailable):
                    await late.catalog.put("main", [record_of("a.md", "r3")])
            with pytest.raises(IndexUnavailable):
                await late.catalog.delete("main", ["r2"])
            with pytest.raises(IndexUnavailable):
                await late.catalog.drop("main")
            await late.catalog.put("main", [record_of("a.md", "r4")])

    with pytest.raises(IndexUnavailable, match="did not renew its lease in time"):
        await write()
    assert [one.revision for one in await late.catalog.documents("main")] == ["r2"]
    async with late.leases.take("main", "writing", Waiting(0)):
        assert late.repaired == []


async def test_who_was_cut_off_goes_on_where_nobody_has_taken_over(
    machines: list[Machine], database: Database
) -> None:
    await machines[0].catalog.put_spec(DENSE_SPEC)
    async with machines[0].leases.take("main", "writing", LONG):
        cut(database)
        await machines[0].catalog.put("main", [record_of("a.md", "r1")])
    async with machines[1].leases.take("main", "writing", LONG):
        assert machines[1].repaired == []


async def test_who_failed_leaves_it_to_the_next_one_to_repair(machines: list[Machine]) -> None:
    with pytest.raises(RuntimeError):
        async with machines[0].leases.take("main", "writing", LONG):
            raise RuntimeError("a fault")
    for expected in (["main"], ["main"]):
        async with machines[1].leases.take("main", "writing", Waiting(0)):
            assert machines[1].repaired == expected


async def test_the_server_ends_the_lease_of_a_machine_that_gives_no_sign_of_life(
    database: Database,
) -> None:
    stopped, other = Machine(database.operator, lost_s=1.0), Machine(database.operator)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(stopped.pool.close)
        stack.push_async_callback(other.pool.close)
        taking = stopped.leases.take("main", "writing", LONG)
        await taking.__aenter__()
        for task in asyncio.all_tasks():  # as if all of the process stood still
            if "_stay" in repr(task.get_coro()):
                task.cancel()
        async with other.leases.take("main", "writing", LONG):
            assert other.repaired == ["main"]
        await taking.__aexit__(None, None, None)


async def test_what_is_written_after_a_lease_has_ended_is_held_against_it(
    machines: list[Machine],
) -> None:
    late, other, _ = machines
    await late.catalog.put_spec(DENSE_SPEC)
    begun, goes_on = asyncio.Event(), asyncio.Event()

    async def outlives() -> None:
        await goes_on.wait()
        await late.catalog.put("main", [record_of("a.md", "late")])

    async def write() -> None:
        async with late.leases.take("main", "writing", LONG):
            begun.set()
            await asyncio.Event().wait()

    left, writing = asyncio.create_task(outlives()), asyncio.create_task(write())
    await begun.wait()
    writing.cancel()
    await asyncio.wait([writing])
    assert not late.leases.is_any_taken()
    async with other.leases.take("main", "writing", LONG):
        assert other.repaired == ["main"]
        await other.catalog.put("main", [record_of("a.md", "new")])
        goes_on.set()
        with pytest.raises(IndexUnavailable):
            await left
    assert [one.revision for one in await late.catalog.documents("main")] == ["new"]
    async with late.leases.take("main", "writing", LONG):
        await late.catalog.put("main", [record_of("a.md", "newer")])
    assert [one.revision for one in await late.catalog.documents("main")] == ["newer"]


@pytest.mark.parametrize("in_thread", [False, True])
async def test_what_outlives_its_lease_does_not_write_under_one_that_its_process_took_anew(
    machines: list[Machine], in_thread: bool
) -> None:
    machine, _, _ = machines
    await machine.catalog.put_spec(DENSE_SPEC)
    goes_on = threading.Event()

    def wait_and_ask() -> tuple[str, int] | None:
        goes_on.wait(HANGS_S)
        return machine.held.of("main")

    async def outlives() -> tuple[str, int] | None:
        if in_thread:
            return await asyncio.to_thread(wait_and_ask)
        await asyncio.to_thread(goes_on.wait, HANGS_S)
        await machine.catalog.put("main", [record_of("a.md", "old")])
        return None

    async with AsyncExitStack() as stack:
        stack.callback(goes_on.set)  # also where the test fails: no thread is left
        async with machine.leases.take("main", "writing", LONG):
            left = asyncio.create_task(outlives())
            await asyncio.sleep(0)
        await stack.enter_async_context(machine.leases.take("main", "writing again", LONG))
        await machine.catalog.put("main", [record_of("a.md", "new")])
        goes_on.set()
        if in_thread:
            known, now = await left, machine.held.of("main")
            assert known is not None
            assert now is not None
            assert known[1] < now[1]
        else:
            with pytest.raises(IndexUnavailable):
                await left
        await machine.catalog.put("main", [record_of("a.md", "newer")])
    assert [one.revision for one in await machine.catalog.documents("main")] == ["newer"]


async def test_a_lost_lease_that_ends_takes_none_away_that_was_taken_anew(
    machines: list[Machine], database: Database
) -> None:
    machine, other, _ = machines
    await machine.catalog.put_spec(DENSE_SPEC)
    lost = machine.leases.take("main", "writing", LONG)
    await lost.__aenter__()
    cut(database)
    anew = machine.leases.take("main", "writing again", LONG)
    await anew.__aenter__()
    await lost.__aexit__(None, None, None)
    assert machine.leases.is_any_taken()
    fault = RuntimeError("a fault")
    assert not await anew.__aexit__(RuntimeError, fault, None)
    assert not machine.leases.is_any_taken()
    async with other.leases.take("main", "writing", LONG):
        assert other.repaired == ["main"]


async def test_a_member_is_written_under_the_lease_of_its_base() -> None:
    held = Held({"chunks": 3})
    assert held.of("chunks__lexical") == held.of("chunks") == ("chunks", 3)
    assert held.of("chunk") is None
    assert held.of("chunksy") is None


async def test_a_name_that_no_collection_can_have_is_refused(machines: list[Machine]) -> None:
    with pytest.raises(UsageError):
        async with machines[0].leases.take("../x", "writing", LONG):
            pass


async def test_leases_work_behind_a_pooler(postgres: Server, database: Database) -> None:
    name = database.operator.split("/")[3].split("?")[0]
    with pooled(postgres, name) as folder:
        address = postgres.address("works", name, folder, 6432)
        one, other = Machine(address), Machine(address)
        order = []
        async with one.leases.take("main", "writing", LONG):
            with pytest.raises(IndexUnavailable):
                async with other.leases.take("main", "writing", Waiting(0)):
                    pass
            order.append(1)
        async with other.leases.take("main", "writing", LONG):
            order.append(2)
        assert order == [1, 2]
        await one.pool.close()
        await other.pool.close()
