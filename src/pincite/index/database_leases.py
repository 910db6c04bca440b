"""Leases for writing to a collection, if processes of several machines share an index.

A writer holds an advisory lock in a transaction that stays open. PostgreSQL releases it when the
process dies, and ends the transaction of a process that stops responding. Each writer also has a
number of its own. Every change checks that number in its own transaction (`Held.guard`), so a
writer that stalled, and continues after another one took over, changes nothing.

A waiting process has a ticket, and the oldest ticket is next. A writer that did not end normally
may have left an incomplete change: its successor repairs the collection first.
"""

from __future__ import annotations

import asyncio
import logging
import os
import random
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final

from pincite.errors import IndexUnavailable, PinciteError, StoreError
from pincite.model import Notice
from pincite.ports import Waiting
from pincite.stores.validate import check_name
from pincite.support.databases.postgres import Connection, Pool, bounded
from pincite.support.writing_until import may_write

log = logging.getLogger("pincite.leases")

_S: Final = "pincite_index"
_LOST_S: Final = 15.0  # seconds without a sign of life; guess, unmeasured
_LOOK_S: Final = 0.15
_ANSWER_S: Final = 5.0  # seconds for an answer of the server; guess, unmeasured
_FOREVER_S: Final = 86_400.0  # a lease is held as long as its work takes
_TICKET_S: Final = 10.0  # a ticket is removed after so many seconds without a sign of life
_LOCK: Final = 0x50494E59
_SHOWN_CHARS: Final = 200
_NEXT: Final = f"""
    WITH kept AS (
        UPDATE {_S}.lease_tickets SET due = clock_timestamp() + make_interval(secs => %(keep)s)
        WHERE number = %(number)s RETURNING number)
    SELECT (SELECT count(*) FROM kept), NOT EXISTS (
        SELECT FROM {_S}.lease_tickets
        WHERE name = %(name)s AND number < %(number)s AND due > clock_timestamp())
"""
_TAKE: Final = f"""
    INSERT INTO {_S}.leases VALUES
        (%(name)s, nextval('{_S}.lease_numbers'), %(holder)s, %(what)s, clock_timestamp(), false)
    ON CONFLICT (name) DO UPDATE SET number = excluded.number, holder = excluded.holder,
        what = excluded.what, since = excluded.since, whole = false
    RETURNING number
"""


@dataclass(slots=True, eq=False)
class Held:
    """The leases of this process: a number for each name. An `ended` lease is remembered, because a
    thread may write for longer than the task that started it. Tasks and threads that were started
    under a lease know its number themselves: if the process has taken a new lease since, they can
    no longer write."""

    numbers: dict[str, int] = field(default_factory=dict)
    ended: dict[str, int] = field(default_factory=dict)

    def of(self, collection: str) -> tuple[str, int] | None:
        """Return the lease under which a collection, or its base, is written or was last written.
        None if this process never had one."""
        own = {name: number for held, name, number in _STARTED_UNDER.get() if held is self}
        for known in (own, self.numbers, self.ended):
            for name, number in tuple(known.items()):
                if collection == name or collection.startswith(f"{name}__"):
                    return name, number
        return None

    def begin(self, name: str, number: int) -> None:
        """Record that this lease is held. Tasks and threads that are started from now on run under
        it."""
        self.numbers[name] = number
        _STARTED_UNDER.set((*_STARTED_UNDER.get(), (self, name, number)))

    def end(self, name: str, number: int) -> None:
        """Record the end of a lease. A lease of the same name with another number stays: this one
        was lost, and a new one was taken."""
        ended = (self, name, number)
        _STARTED_UNDER.set(tuple(one for one in _STARTED_UNDER.get() if one != ended))
        if self.numbers.get(name) == number:
            self.ended[name] = number
            del self.numbers[name]

    async def guard(self, connection: Connection, collection: str) -> None:
        """Raise IndexUnavailable if another process has taken over; otherwise none can until the
        transaction ends."""
        if (held := self.of(collection)) is not None:
            found = await connection.execute(GUARD.encode(), (held[0],))
            require_number(await found.fetchone(), held)


#: The leases under which the current work was started.
_STARTED_UNDER: ContextVar[tuple[tuple[Held, str, int], ...]] = ContextVar(
    "started_under", default=()
)
GUARD: Final = f"SELECT number FROM {_S}.leases WHERE name = %s FOR SHARE"


def require_number(row: Any, held: tuple[str, int]) -> None:
    """Raise IndexUnavailable unless the row of the lease has our number and the current work is
    still within its time limit."""
    if row is None or row[0] != held[1] or not may_write():
        raise IndexUnavailable(
            f"this process did not renew its lease in time, and {held[0]!r} writes there now;"
            " nothing was changed",
            hint="run the same command again",
        )


@dataclass(frozen=True, slots=True)
class DatabaseLeases:
    """`pincite.ports.Leases` in the database of an index. The new holder calls `repair` with the
    name of a lease whose previous holder did not end normally."""

    pool: Pool
    held: Held
    repair: Callable[[str], Awaitable[None]]
    lost_s: float = _LOST_S

    @asynccontextmanager
    async def take(self, collection: str, what: str, waiting: Waiting) -> AsyncIterator[None]:
        """See `Leases.take`."""
        check_name(collection)
        said = what.encode(errors="backslashreplace").decode().replace("\0", "")[:_SHOWN_CHARS]
        async with self.pool.connection(_FOREVER_S) as keeper:
            await self._wait(keeper, collection, waiting)
            alive = asyncio.create_task(self._stay(keeper))
            number = None
            try:
                number, before = await self._begin(collection, said)
                self.held.begin(collection, number)
                if before:
                    log.warning(
                        "the last writer of %s ended early with %r: repairing", before, collection
                    )
                    await self.repair(collection)
                yield
                await self._end(collection, number)
            finally:
                if number is not None:
                    self.held.end(collection, number)
                alive.cancel()
                with suppress(asyncio.CancelledError):
                    await alive
                with suppress(Exception), bounded(keeper, _ANSWER_S):
                    await keeper.rollback()  # if the connection is lost, so is its lock

    def is_any_taken(self) -> bool:
        """Return whether this process writes. Other processes do not matter for closing it."""
        return bool(self.held.numbers)

    async def _begin(self, name: str, what: str) -> tuple[int, str]:
        """Record the new writer. Waits for changes of the previous holder that are being committed.
        Return the number of the lease, and the name of a previous holder that did not end normally,
        else ""."""
        async with self.pool.transaction() as connection:
            found = await connection.execute(
                f"SELECT whole, holder FROM {_S}.leases WHERE name = %s".encode(), (name,)
            )
            before = await found.fetchone()
            values = {"name": name, "holder": this_process(), "what": what}
            row = await (await connection.execute(_TAKE.encode(), values)).fetchone()
        if row is None:
            raise StoreError("the database returned no number for a lease")
        return int(row[0]), "" if before is None or before[0] else str(before[1])

    async def _end(self, name: str, number: int) -> None:
        """Record a normal end: the collection is complete."""
        async with self.pool.connection() as connection:
            await connection.execute(
                f"UPDATE {_S}.leases SET whole = true WHERE (name, number) = (%s, %s)".encode(),
                (name, number),
            )

    async def _stay(self, keeper: Connection) -> None:
        """Give signs of life. If the connection is lost, each change checks whether the lease is
        lost, too."""
        while True:
            await asyncio.sleep(self.lost_s / 5)
            try:
                await _ask(keeper, "SELECT 1")
            except Exception as error:  # noqa: BLE001 - of any kind: the connection is lost
                log.warning("the connection of a lease was lost: %s", type(error).__name__)
                return

    async def _wait(self, keeper: Connection, name: str, waiting: Waiting) -> None:
        """Return with the lock, in an open transaction of `keeper`. Raises IndexUnavailable."""
        started_s, told = time.monotonic(), False
        ticket = await self._ticket(keeper, name)
        try:
            while True:
                values = {"keep": _TICKET_S, "number": ticket, "name": name}
                found = await (await _ask(keeper, _NEXT.encode(), values)).fetchone()
                if found is not None and not found[0]:  # this process was considered dead
                    ticket = await self._ticket(keeper, name)
                    continue
                if found is not None and found[1] and await self._lock(keeper, name):
                    return
                waited_s = time.monotonic() - started_s
                holder = await self._holder(keeper, name)
                if waited_s >= waiting.limit_s:
                    raise IndexUnavailable(
                        f"{holder}; collection {name!r} was not free after {waiting.limit_s:g} s",
                        hint=(
                            "wait for that process and run the same command again, or wait"
                            " longer: --wait SECONDS"
                        ),
                    )
                if not told:
                    told = True
                    said = f"{holder}; waiting for at most {waiting.limit_s:g} s"
                    waiting.on_notice(Notice("waiting", said))
                await asyncio.sleep(_LOOK_S * (0.5 + random.random()))
        finally:
            with suppress(PinciteError):
                async with self.pool.connection() as connection:
                    await connection.execute(
                        f"DELETE FROM {_S}.lease_tickets WHERE number = %s"
                        " OR due < clock_timestamp()".encode(),
                        (ticket,),
                    )

    async def _ticket(self, keeper: Connection, name: str) -> int:
        found = await _ask(
            keeper,
            f"INSERT INTO {_S}.lease_tickets (name, due) VALUES"
            " (%s, clock_timestamp() + make_interval(secs => %s)) RETURNING number".encode(),
            (name, _TICKET_S),
        )
        row = await found.fetchone()
        if row is None:
            raise StoreError("the database returned no place in the queue of writers")
        return int(row[0])

    async def _lock(self, keeper: Connection, name: str) -> bool:
        """Begin a transaction with the lock and return True, or return False without a
        transaction."""
        await _ask(keeper, "BEGIN")
        found = await _ask(
            keeper,
            "SELECT pg_try_advisory_xact_lock(hashtextextended(%s, %s)),"
            " set_config('idle_in_transaction_session_timeout', %s, true)",
            (name, _LOCK, f"{self.lost_s * 1000:.0f}ms"),
        )
        row = await found.fetchone()
        if row is not None and row[0]:
            return True
        await _ask(keeper, "ROLLBACK")
        return False

    async def _holder(self, keeper: Connection, name: str) -> str:
        found = await _ask(
            keeper,
            f"SELECT holder, what, since FROM {_S}.leases WHERE name = %s AND NOT whole".encode(),
            (name,),
        )
        row = await found.fetchone()
        if row is None:
            return f"another process is writing to collection {name!r}"
        return f"{row[0]} is {row[1]}, since {row[2].isoformat(timespec='seconds')}"


async def _ask(keeper: Connection, sql: str | bytes, values: Any = None) -> Any:
    with bounded(keeper, _ANSWER_S):
        return await keeper.execute(sql if isinstance(sql, bytes) else sql.encode(), values)


def this_process() -> str:
    """Return a description of this process for other processes."""
    return f"process {os.getpid()} of {socket.gethostname()}"
