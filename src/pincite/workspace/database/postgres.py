"""Workspaces in PostgreSQL, for several machines: the extra `postgres`.

Row level security in the database decides what a user sees and changes: a query without a condition
on the user still returns only that user's rows. Users, the operator and migrations connect as three
roles. A connection has no state beyond its transaction and no prepared statements, so a pooler in
transaction mode can be used.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Final, TypeVar

import psycopg
import psycopg_pool
from psycopg.types.string import TextLoader

from pincite.catalog.postgres_schema import INDEX_SCHEMA
from pincite.errors import ConfigError, WorkspaceUnavailable
from pincite.support.databases.postgres import (
    OPTIONS,
    RECONNECT_S,
    WAIT_S,
    Connection,
    begin,
    bounded,
    require_utf8,
    rolled_back,
)
from pincite.workspace.checks import require_id
from pincite.workspace.database import jobs
from pincite.workspace.database.administration import DatabaseAdministration
from pincite.workspace.database.postgres_roles import (
    ConnectedDatabase,
    key,
    require_bound,
    require_one,
)
from pincite.workspace.database.postgres_schema import WORKSPACE_SCHEMA
from pincite.workspace.database.postgres_transaction import (
    ENDED_FOR_ANOTHER,
    PostgresTransaction,
    translated,
)
from pincite.workspace.database.session import DatabaseSession
from pincite.workspace.database.transaction import utc_now
from pincite.workspace.ports import Administration, Session

T = TypeVar("T")
CONNECTIONS: Final = 16  # of each role and process: guess, unmeasured
_LONGEST_S: Final = 90.0  # of a transaction, waiting for locks included; guess, unmeasured
#: Transactions of the operator, of which the server ends one that waits in a circle with others:
#: a user may lock their spaces in any order. Guess, unmeasured.
_TRIES: Final = 4
_SCHEMAS: Final = (WORKSPACE_SCHEMA, INDEX_SCHEMA)


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
        for tries_left in reversed(range(_TRIES)):
            try:
                async with self.administration() as operator:
                    return await work(operator)
            except WorkspaceUnavailable as error:
                if not tries_left or not isinstance(error.__cause__, ENDED_FOR_ANOTHER):
                    raise
        raise AssertionError("the last try returns or raises")

    async def migrate(self) -> tuple[str, ...]:
        """See `Workspaces.migrate`. Connects as the owner. Creates the schema and the roles
        `pincite_app` and `pincite_operator` if they are missing."""
        async with self._connected("owner") as connection:
            return tuple([name for one in _SCHEMAS for name in await one.take(connection)])

    async def pending(self) -> tuple[str, ...]:
        """See `Workspaces.pending`."""
        role = "owner" if self._addresses["owner"] else "database"
        async with self._connected(role) as connection:
            left = [step for one in _SCHEMAS for step in await one.left(connection)]
        return tuple(step.name for step in left)

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
    async def _transaction(self, role: str, user_id: str) -> AsyncIterator[PostgresTransaction]:
        async with translated(role):
            pool = self._pools.get(role) or await self._open(role)
            async with pool.connection() as connection:
                with bounded(connection, _LONGEST_S):
                    try:
                        yield PostgresTransaction(connection, role, user_id, self._clock)
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
            if left := await WORKSPACE_SCHEMA.left(connection):
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
        async with translated(role), await self._connect(role) as connection:
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


async def _read_ids_as_texts(connection: Connection) -> None:
    """Read UUIDs as texts, without a `uuid` object for each of 100,000 ids."""
    connection.adapters.register_loader("uuid", TextLoader)


class _Unsaid(Exception):
    """A replacement for a cause whose message contains a secret."""
