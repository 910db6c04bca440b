"""Workspaces in PostgreSQL, for several machines: the extra `postgres`.

Row level security in the database decides what a user sees and changes: a query without a condition
on the user still returns only that user's rows. Users, the operator and migrations connect as three
roles. A connection has no state beyond its transaction and no prepared statements, so a pooler in
transaction mode can be used.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from functools import lru_cache, partial
from typing import Any, Final, TypeVar

import psycopg
import psycopg_pool
from psycopg import errors
from psycopg.types.string import TextLoader

from pincite.catalog.postgres_schema import steps_left as index_steps_left
from pincite.catalog.postgres_schema import take_steps as take_index_steps
from pincite.errors import ConfigError, Forbidden, ReadOnlyDatabase, WorkspaceUnavailable
from pincite.support.databases.postgres import (
    OPTIONS,
    RECONNECT_S,
    WAIT_S,
    Connection,
    Statement,
    begin,
    bounded,
    first_line,
    has_table,
    require_utf8,
    rolled_back,
    send,
    take_step,
)
from pincite.workspace.checks import require_id
from pincite.workspace.database import jobs
from pincite.workspace.database.administration import DatabaseAdministration
from pincite.workspace.database.postgres_roles import (
    GROUPS,
    ConnectedDatabase,
    key,
    require_bound,
    require_one,
)
from pincite.workspace.database.schema_steps import TAKEN, Step, steps_after, steps_of
from pincite.workspace.database.session import DatabaseSession
from pincite.workspace.database.transaction import Row, time_of, utc_now
from pincite.workspace.ports import Administration, Session

T = TypeVar("T")
CONNECTIONS: Final = 16  # of each role and process: guess, unmeasured
_LONGEST_S: Final = 90.0  # of a transaction, waiting for locks included; guess, unmeasured
_LOCK: Final = 0x50494E57
_NAME: Final = re.compile(r"(?<![:\w]):([a-z_]+)")
_START: Final = (
    "SELECT set_config('app.user_id', %(user)s, true), set_config('search_path', 'pincite', true),"
    " set_config('lock_timeout', '30s', true),"
    " set_config('idle_in_transaction_session_timeout', '60s', true)"
)


class PostgresWorkspaces:
    """Implements `Workspaces` for any number of processes and machines. `address` is for users,
    with a role that is a member of `pincite_app` and of nothing more. `operator` is for a member of
    `pincite_operator`, `owner` for the role that runs migrations. Addresses are secret and never
    part of a message. Raise ConfigError for a call whose address is missing. `clock` is for tests;
    leases are measured with the clock of the database."""

    def __init__(
        self,
        address: str,
        *,
        operator: str = "",
        owner: str = "",
        clock: Callable[[], datetime] | None = None,
        losses: int = jobs.LOSSES,
    ) -> None:
        self._addresses = {"database": address, "operator": operator, "owner": owner}
        self._pools: dict[str, psycopg_pool.AsyncConnectionPool] = {}
        self._clock = clock
        self._losses = losses

    @asynccontextmanager
    async def of(self, user_id: str) -> AsyncIterator[Session]:
        """See `Workspaces.of`."""
        require_id("user", user_id)
        async with self._transaction("database", user_id) as transaction:
            yield DatabaseSession(user_id, transaction, self._clock or utc_now)

    @asynccontextmanager
    async def administration(self) -> AsyncIterator[Administration]:
        """See `Workspaces.administration`."""
        async with self._transaction("operator", "") as transaction:
            yield DatabaseAdministration(transaction, self._clock or utc_now, self._losses)

    async def change(self, user_id: str, work: Callable[[Session], Awaitable[T]]) -> T:
        """See `Workspaces.change`."""
        async with self.of(user_id) as session:
            return await work(session)

    async def administer(self, work: Callable[[Administration], Awaitable[T]]) -> T:
        """See `Workspaces.administer`."""
        async with self.administration() as operator:
            return await work(operator)

    async def migrate(self) -> tuple[str, ...]:
        """See `Workspaces.migrate`. Connects as the owner. Creates the schema and the roles
        `pincite_app` and `pincite_operator` if they are missing."""
        async with self._connected("owner") as connection:
            taken = [
                step.name
                for step in steps_of("postgres")
                if await take_step(connection, _LOCK, partial(_take, connection, step))
            ]
            return (*taken, *await take_index_steps(connection))

    async def pending(self) -> tuple[str, ...]:
        """See `Workspaces.pending`."""
        role = "owner" if self._addresses["owner"] else "database"
        async with self._connected(role) as connection:
            left = tuple(step.name for step in await _steps_left(connection))
            return (*left, *(step.name for step in await index_steps_left(connection)))

    async def require_roles(self) -> None:
        """See `Workspaces.require_roles`. Connects as each role anew."""
        users, operator = await self._bound("database"), await self._bound("operator")
        if users.place != operator.place:  # the server may have been restarted in between
            users = await self._bound("database")
        require_one(users, operator)

    async def require_room(self) -> None:
        """See `Workspaces.require_room`. The disk is that of the database server."""

    async def close(self) -> None:
        """See `Workspaces.close`."""
        pools, self._pools = self._pools, {}
        for pool in pools.values():
            await pool.close()

    @asynccontextmanager
    async def _transaction(self, role: str, user_id: str) -> AsyncIterator[_Transaction]:
        async with _translated(role):
            pool = self._pools.get(role) or await self._open(role)
            async with pool.connection() as connection:
                with bounded(connection, _LONGEST_S):
                    try:
                        yield _Transaction(connection, role, user_id, self._clock)
                        await connection.commit()
                    except BaseException:
                        await rolled_back(connection)
                        raise

    async def _bound(self, role: str) -> ConnectedDatabase:
        async with self._connected(role) as connection:
            return await require_bound(connection, role)

    async def _open(self, role: str) -> psycopg_pool.AsyncConnectionPool:
        """Return a pool for a role, after checking that row level security applies to the role. The
        pool is opened on first use, and again if the database was unreachable."""
        async with await self._connect(role) as connection:
            if left := await _steps_left(connection):
                raise WorkspaceUnavailable(
                    f"the database of workspaces lacks {len(left)} steps of its schema",
                    hint="pincite workspace migrate",
                )
            await require_bound(connection, role)
        pool = psycopg_pool.AsyncConnectionPool(
            self._addresses[role],
            open=False,
            min_size=0,
            max_size=CONNECTIONS,
            timeout=WAIT_S,
            reconnect_timeout=RECONNECT_S,
            kwargs=dict(OPTIONS),
            check=begin,
            configure=_read_ids_as_texts,
        )
        await pool.open()
        if role in self._pools:  # another task was faster
            await pool.close()
        return self._pools.setdefault(role, pool)

    @asynccontextmanager
    async def _connected(self, role: str) -> AsyncIterator[Connection]:
        async with _translated(role), await self._connect(role) as connection:
            yield connection

    async def _connect(self, role: str) -> Connection:
        address = self._addresses[role]
        if not address:
            raise ConfigError(
                f"{key(role)} is not set: PostgreSQL has a separate role for that",
                hint=f"set {key(role)} to the address that this role connects to",
            )
        try:
            connection = await psycopg.AsyncConnection.connect(address, **OPTIONS)
        except psycopg.ProgrammingError as error:  # its message may contain the whole address
            raise ConfigError(
                f"{key(role)} is not an address of PostgreSQL",
                hint="postgresql://USER@HOST/DATABASE",
            ) from _Unsaid(type(error).__name__)
        try:
            require_utf8(connection)
        except ConfigError:
            await connection.close()
            raise
        return connection


class _Unsaid(Exception):
    """Replaces a cause whose message has a secret in it."""


class _Transaction:
    """Implements `Transaction`. Statements without a result are sent together with the next one
    that has a result, because each round trip waits for the network."""

    def __init__(
        self,
        connection: Connection,
        role: str,
        user_id: str,
        clock: Callable[[], datetime] | None,
    ) -> None:
        """The connection must have an open transaction."""
        self._connection = connection
        self._role = role
        self._clock = clock
        self._waiting: list[Statement] = [(_START, {"user": user_id})]

    async def rows(self, sql: str, **values: object) -> list[Row]:
        """See `Transaction.rows`."""
        async with _translated(self._role, within=True):
            return await (await self._send((_named(sql), values))).fetchall()

    async def run(self, sql: str, **values: object) -> None:
        """See `Transaction.run`."""
        async with _translated(self._role, within=True):
            await self._send((_named(sql), values))

    async def attempt(self, sql: str, **values: object) -> bool:
        """See `Transaction.attempt`. Uses a savepoint, so that the transaction can continue after a
        failure."""
        async with _translated(self._role, within=True):
            point = "SAVEPOINT attempt"
            try:
                await self._send((point, None), (_named(sql), values), (f"RELEASE {point}", None))
            except (errors.ForeignKeyViolation, errors.UniqueViolation):
                await self._send((f"ROLLBACK TO {point}", None))
                return False
            return True

    async def write(self) -> None:
        """See `Transaction.write`. Every transaction may write, and each statement reads the latest
        state."""

    async def lock(self, name: str) -> None:
        """See `Transaction.lock`."""
        self._waiting.append(
            ("SELECT pg_advisory_xact_lock(hashtextextended(%s, %s))", (name, _LOCK))
        )

    async def now(self) -> datetime:
        """See `Transaction.now`. Returns the time of the database, which all machines share."""
        if self._clock is not None:
            return self._clock()
        return time_of((await self.rows("SELECT clock_timestamp()"))[0][0])

    async def _send(self, *statements: Statement) -> psycopg.AsyncCursor[Any]:
        waiting, self._waiting = self._waiting, []
        return await send(self._connection, *waiting, *statements)


_FIRST: Final = """
    CREATE SCHEMA IF NOT EXISTS pincite;
    CREATE TABLE schema_steps (
        number integer PRIMARY KEY, name text NOT NULL, taken timestamptz NOT NULL);
"""


async def _read_ids_as_texts(connection: Connection) -> None:
    """Return UUIDs as texts: 100,000 `uuid` objects would be made for nothing."""
    connection.adapters.register_loader("uuid", TextLoader)


@lru_cache(maxsize=512)
def _named(sql: str) -> str:
    """Convert named values to the syntax of psycopg. All SQL texts are constants of this package
    and never contain values."""
    return _NAME.sub(r"%(\1)s", sql)


async def _steps_left(connection: Connection) -> tuple[Step, ...]:
    if not await has_table(connection, "pincite", "schema_steps"):
        return steps_of("postgres")
    counted = await connection.execute(TAKEN.format("pincite.schema_steps").encode())
    done, needed = await counted.fetchone() or (0, 0)
    return steps_after(int(done), int(needed), steps_of("postgres"))


async def _take(connection: Connection, step: Step) -> bool:
    """Take a step in a transaction. Return False if another process took it before."""
    if step not in await _steps_left(connection):
        return False
    await connection.execute("SET LOCAL search_path = pincite")
    if step.number == 1:
        await connection.execute(_FIRST)
    await connection.execute(step.sql.encode())
    await connection.execute(
        "INSERT INTO schema_steps VALUES (%s, %s, now())", (step.number, step.name)
    )
    return True


@asynccontextmanager
async def _translated(role: str, *, within: bool = False) -> AsyncIterator[None]:
    """Translate errors of the library into those of this package. `within` a transaction of users,
    the rules of the database refuse what a user may not do."""
    try:
        yield
    except errors.InsufficientPrivilege as error:
        if within and role == "database":
            raise Forbidden("your role in the space does not allow that") from error
        group = GROUPS.get(role)
        raise ConfigError(
            f"{key(role)} connects with a role that lacks a right: {first_line(error)}",
            hint=f"GRANT {group} TO that role" if group else "use the owner of the database",
        ) from error
    except psycopg_pool.PoolTimeout as error:
        raise WorkspaceUnavailable(
            f"no connection to the database of workspaces was free within {WAIT_S:g} s",
            hint="check that PostgreSQL runs and accepts more connections",
        ) from error
    except (errors.DeadlockDetected, errors.SerializationFailure, errors.LockNotAvailable) as error:
        raise WorkspaceUnavailable(
            "another transaction changed the same rows of the database of workspaces; nothing"
            " was changed",
            hint="run the same command again",
        ) from error
    except errors.ReadOnlySqlTransaction as error:
        raise ReadOnlyDatabase(
            f"the database of workspaces is read-only: {first_line(error)}",
            hint="use the primary server, and reset default_transaction_read_only",
        ) from error
    except psycopg.Error as error:
        raise WorkspaceUnavailable(
            f"the database of workspaces cannot be used: {first_line(error)}",
            hint="check that PostgreSQL runs, and that the address and role are right",
        ) from error
