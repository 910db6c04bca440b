"""A transaction of workspaces in PostgreSQL, and the meaning of its errors."""

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

from pincite.errors import ConfigError, Forbidden, NotFound, ReadOnlyDatabase, WorkspaceUnavailable
from pincite.support.databases.postgres import (
    SLOW,
    WAIT_S,
    Connection,
    Statement,
    TimeLimit,
    first_line,
    send,
)
from pincite.workspace.database.postgres_roles import GROUPS, key
from pincite.workspace.database.transaction import Row, time_of

#: Errors of a transaction that the server ends because of another one; it may succeed in a new try.
ENDED_FOR_ANOTHER: Final = (errors.DeadlockDetected, errors.SerializationFailure)
_SEED: Final = 0x50494E57  # of the numbers of named locks
_NAME: Final = re.compile(r"(?<![:\w]):([a-z_]+)")
_START: Final = (
    "SELECT set_config('app.user_id', %(user)s, true), set_config('search_path', 'pincite', true),"
    " set_config('lock_timeout', '30s', true),"
    " set_config('idle_in_transaction_session_timeout', '60s', true)"
)


class PostgresTransaction:
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
        async with translated(self._role, within=True):
            return await (await self._send((_named(sql), values))).fetchall()

    async def run(self, sql: str, **values: object) -> None:
        """See `Transaction.run`."""
        async with translated(self._role, within=True):
            await self._send((_named(sql), values))

    async def attempt(self, sql: str, **values: object) -> bool:
        """See `Transaction.attempt`. Uses a savepoint, so that the transaction can continue after a
        failure."""
        async with translated(self._role, within=True):
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
            ("SELECT pg_advisory_xact_lock(hashtextextended(%s, %s))", (name, _SEED))
        )

    async def now(self) -> datetime:
        """See `Transaction.now`. Returns the time of the database, which all machines share."""
        if self._clock is not None:
            return self._clock()
        return time_of((await self.rows("SELECT clock_timestamp()"))[0][0])

    async def _send(self, *statements: Statement) -> psycopg.AsyncCursor[Any]:
        waiting, self._waiting = self._waiting, []
        return await send(self._connection, *waiting, *statements)


@lru_cache(maxsize=512)
def _named(sql: str) -> str:
    """Convert named values to the syntax of psycopg. All SQL texts are constants of this package
    and never contain values."""
    return _NAME.sub(r"%(\1)s", sql)


@asynccontextmanager
async def translated(role: str, *, within: bool = False) -> AsyncIterator[None]:
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
    except errors.NoDataFound as error:  # raised by the rules of the database
        raise NotFound("the user is disabled or unknown") from error
    except psycopg_pool.PoolTimeout as error:
        raise WorkspaceUnavailable(
            f"no connection to the database of workspaces was free within {WAIT_S:g} s",
            hint="check that PostgreSQL runs and accepts more connections",
        ) from error
    except (*ENDED_FOR_ANOTHER, errors.LockNotAvailable) as error:
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
    except TimeLimit as error:
        raise WorkspaceUnavailable(
            f"a transaction of the database of workspaces {error}", hint=SLOW
        ) from error
    except psycopg.Error as error:
        raise WorkspaceUnavailable(
            f"the database of workspaces cannot be used: {first_line(error)}",
            hint="check that PostgreSQL runs, and that the address and role are right",
        ) from error
