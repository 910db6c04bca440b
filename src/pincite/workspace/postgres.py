"""Workspaces in PostgreSQL, for more than one machine: the extra `postgres`.

The database decides what a user sees and changes, by row level security: a query that forgets to
ask for the user shows the user's own all the same. Users, the operator and migrations connect as
three roles. Nothing is kept in a connection beyond its transaction, and nothing is prepared, so
that a pooler in transaction mode may stand in between.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime
from functools import lru_cache
from typing import Any, Final

import psycopg
import psycopg_pool
from psycopg import errors
from psycopg.types.string import TextLoader

from pincite.errors import ConfigError, Forbidden, WorkspaceUnavailable
from pincite.workspace import jobs
from pincite.workspace.administration import DatabaseAdministration
from pincite.workspace.checks import require_id
from pincite.workspace.database import Row, time_of, utc_now
from pincite.workspace.ports import Administration, Session
from pincite.workspace.schema_steps import Step, steps_after, steps_of
from pincite.workspace.session import DatabaseSession

_CONNECTIONS: Final = 16  # of each role and process: guess, unmeasured
_WAIT_S: Final = 5.0  # for a connection; whoever asks is told so rather than kept waiting
_LOCK: Final = 0x50494E57
_NAME: Final = re.compile(r"(?<![:\w]):([a-z_]+)")
_START: Final = (
    "SELECT set_config('app.user_id', %(user)s, true), set_config('search_path', 'pincite', true),"
    " set_config('lock_timeout', '30s', true),"
    " set_config('idle_in_transaction_session_timeout', '60s', true)"
)
_WHAT_IT_IS: Final = """
    SELECT r.rolsuper OR r.rolbypassrls
        OR pg_has_role(current_user, (SELECT relowner FROM pg_class
            WHERE oid = 'pincite.documents'::regclass), 'MEMBER')
        OR (%(of_users)s AND pg_has_role(current_user, 'pincite_operator', 'MEMBER')),
        current_user::text
    FROM pg_roles r WHERE r.rolname = current_user
"""


class PostgresWorkspaces:
    """Implements `Workspaces`. Any number of processes and machines. `address` is that of users, of
    a role that is a member of `pincite_app` and of nothing more; `operator` is that of a member of
    `pincite_operator`, `owner` of who runs the migrations. Addresses are secret, and in no
    message. Raises ConfigError for what needs an address that was not given. `clock` is for tests:
    leases run by that of the database."""

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

    async def migrate(self) -> tuple[str, ...]:
        """See `Workspaces.migrate`. As the owner; makes the schema and the roles `pincite_app` and
        `pincite_operator` where they are not there."""
        taken = []
        async with _translated(), await self._connect("owner") as connection:
            for step in steps_of("postgres"):
                async with connection.transaction():
                    await connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
                    if step not in await _steps_left(connection):
                        continue
                    await connection.execute("SET LOCAL search_path = pincite")
                    if step.number == 1:
                        await connection.execute(_FIRST)
                    await connection.execute(step.sql.encode())
                    await connection.execute(
                        "INSERT INTO schema_steps VALUES (%s, %s, now())", (step.number, step.name)
                    )
                    taken.append(step.name)
        return tuple(taken)

    async def pending(self) -> tuple[str, ...]:
        """See `Workspaces.pending`."""
        role = "owner" if self._addresses["owner"] else "database"
        async with _translated(), await self._connect(role) as connection:
            return tuple(step.name for step in await _steps_left(connection))

    async def close(self) -> None:
        """See `Workspaces.close`."""
        pools, self._pools = self._pools, {}
        for pool in pools.values():
            await pool.close()

    @asynccontextmanager
    async def _transaction(self, role: str, user_id: str) -> AsyncIterator[_Transaction]:
        async with _translated():
            pool = self._pools.get(role) or await self._open(role)
            async with pool.connection() as connection, connection.transaction():
                await connection.execute(_START, {"user": user_id})
                yield _Transaction(connection, self._clock)

    async def _open(self, role: str) -> psycopg_pool.AsyncConnectionPool:
        """A pool whose role is one that row level security holds for. Opened with its first use,
        and again with the next where the database was away."""
        async with await self._connect(role) as connection:
            if left := await _steps_left(connection):
                raise WorkspaceUnavailable(
                    f"the database of workspaces lacks {len(left)} steps of its schema",
                    hint="pincite workspace migrate",
                )
            found = await connection.execute(_WHAT_IT_IS, {"of_users": role == "database"})
            row = await found.fetchone()
            if row is None or row[0]:
                raise ConfigError(
                    f"{_key(role)} connects as a role that row level security does not hold for: a"
                    " superuser, one with BYPASSRLS, the owner of the tables, or an operator in"
                    " place of users",
                    hint=f"a role of its own, with GRANT pincite_{_GROUP[role]} TO it alone",
                )
        pool = psycopg_pool.AsyncConnectionPool(
            self._addresses[role],
            open=False,
            min_size=0,
            max_size=_CONNECTIONS,
            timeout=_WAIT_S,
            kwargs={"prepare_threshold": None, "autocommit": True, "connect_timeout": int(_WAIT_S)},
            check=psycopg_pool.AsyncConnectionPool.check_connection,
            configure=_read_ids_as_texts,
        )
        await pool.open()
        if role in self._pools:  # somebody else was faster
            await pool.close()
        return self._pools.setdefault(role, pool)

    async def _connect(self, role: str) -> psycopg.AsyncConnection[Any]:
        address = self._addresses[role]
        if not address:
            raise ConfigError(
                f"{_key(role)} is not set: PostgreSQL has a role of its own for that",
                hint=f"set {_key(role)} to the address that this role connects to",
            )
        try:
            return await psycopg.AsyncConnection.connect(
                address, autocommit=True, prepare_threshold=None, connect_timeout=int(_WAIT_S)
            )
        except psycopg.ProgrammingError as error:  # it may have the whole address in its message
            raise ConfigError(
                f"{_key(role)} is no address of PostgreSQL", hint="postgresql://USER@HOST/DATABASE"
            ) from _Unsaid(type(error).__name__)


class _Unsaid(Exception):
    """In place of a cause with a secret in it."""


class _Transaction:
    """Implements `Transaction`."""

    def __init__(
        self, connection: psycopg.AsyncConnection[Any], clock: Callable[[], datetime] | None
    ) -> None:
        self._connection = connection
        self._clock = clock

    async def rows(self, sql: str, **values: object) -> list[Row]:
        """See `Transaction.rows`."""
        async with _translated():
            return await (await self._connection.execute(_named(sql), values)).fetchall()

    async def run(self, sql: str, **values: object) -> None:
        """See `Transaction.run`."""
        async with _translated():
            await self._connection.execute(_named(sql), values)

    async def attempt(self, sql: str, **values: object) -> bool:
        """See `Transaction.attempt`. In a savepoint, so that the rest can go on."""
        async with _translated():
            try:
                async with self._connection.transaction():
                    await self._connection.execute(_named(sql), values)
            except (errors.ForeignKeyViolation, errors.UniqueViolation):
                return False
            return True

    async def write(self) -> None:
        """See `Transaction.write`. Every one may, and reads what is there at each statement."""

    async def lock(self, name: str) -> None:
        """See `Transaction.lock`."""
        async with _translated():
            await self._connection.execute(
                "SELECT pg_advisory_xact_lock(hashtextextended(%s, %s))", (name, _LOCK)
            )

    async def now(self) -> datetime:
        """See `Transaction.now`: that of the database, which all machines share."""
        if self._clock is not None:
            return self._clock()
        return time_of((await self.rows("SELECT clock_timestamp()"))[0][0])


_GROUP: Final = {"database": "app", "operator": "operator", "owner": "app"}
_FIRST: Final = """
    CREATE SCHEMA IF NOT EXISTS pincite;
    CREATE TABLE schema_steps (
        number integer PRIMARY KEY, name text NOT NULL, taken timestamptz NOT NULL);
"""


async def _read_ids_as_texts(connection: psycopg.AsyncConnection[Any]) -> None:
    """As they are used: 100,000 objects of `uuid` would be made for nothing."""
    connection.adapters.register_loader("uuid", TextLoader)


def _key(role: str) -> str:
    return f"[workspace] {role}"


@lru_cache(maxsize=512)
def _named(sql: str) -> bytes:
    """Names as psycopg writes them. All of the texts are this package's; values are never in
    them."""
    return _NAME.sub(r"%(\1)s", sql).encode()


async def _steps_left(connection: psycopg.AsyncConnection[Any]) -> tuple[Step, ...]:
    found = await connection.execute("SELECT to_regclass('pincite.schema_steps') IS NOT NULL")
    row = await found.fetchone()
    if row is None or not row[0]:
        return steps_of("postgres")
    counted = await connection.execute("SELECT count(*) FROM pincite.schema_steps")
    number = await counted.fetchone()
    return steps_after(0 if number is None else int(number[0]), steps_of("postgres"))


@asynccontextmanager
async def _translated() -> AsyncIterator[None]:
    """Errors of the library in our words."""
    try:
        yield
    except errors.InsufficientPrivilege as error:
        raise Forbidden("your role in the space does not allow that") from error
    except psycopg_pool.PoolTimeout as error:
        raise WorkspaceUnavailable(
            f"no connection to the database of workspaces was free within {_WAIT_S:g} s",
            hint="see that PostgreSQL runs and takes more connections",
        ) from error
    except (errors.DeadlockDetected, errors.SerializationFailure, errors.LockNotAvailable) as error:
        raise WorkspaceUnavailable(
            "others changed the same in the database of workspaces; nothing was changed here",
            hint="do the same again",
        ) from error
    except psycopg.Error as error:
        said = (str(error).splitlines() or [type(error).__name__])[0]
        raise WorkspaceUnavailable(
            f"the database of workspaces cannot be used: {said}",
            hint="see that PostgreSQL runs, and that the address and role are right",
        ) from error
