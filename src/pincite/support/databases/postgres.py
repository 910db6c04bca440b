"""Connections to PostgreSQL for data that several machines share. A connection has no state beyond
its transaction and no prepared statements, so a pooler in transaction mode can be used."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any, Final

import psycopg
import psycopg_pool
from psycopg import errors

from pincite.errors import ConfigError, InvalidPoint, StoreError, UsageError

WAIT_S: Final = 5.0  # for a connection; then an error is better than a longer wait
CONNECTIONS: Final = 8  # of each process: guess, unmeasured
#: A pool doubles its wait before each further try to connect, and nothing else tries meanwhile.
#: After an outage of an hour it would notice the server minutes late.
RECONNECT_S: Final = 1.0
_ALIVE_S: Final = 3.0  # for a connection from the pool to answer; guess, unmeasured
_READING_S: Final = 0.5  # to read an answer that has arrived; guess, unmeasured
_LONGEST_S: Final = 45.0  # of a transaction, waiting for locks included; guess, unmeasured
#: Seconds without an acknowledgement of sent data that end a connection: a network may fail without
#: notice.
NETWORK: Final = {
    "keepalives_idle": 5,
    "keepalives_interval": 3,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}
_STEP_WAIT_S: Final = 1  # seconds that others wait for a step of a schema. Guess, unmeasured
_STEP_PAUSE_S: Final = 0.5
_STEP_TRIES: Final = 40  # for a minute, as long as a transaction may take
#: Options of every connection.
OPTIONS: Final[Mapping[str, Any]] = {
    "prepare_threshold": None,
    "autocommit": True,
    "connect_timeout": int(WAIT_S),
    "client_encoding": "UTF8",
    **NETWORK,
}
_START: Final = (
    "SELECT set_config('lock_timeout', '30s', true),"
    " set_config('idle_in_transaction_session_timeout', '60s', true)"
)

#: The advice for a call that was ended by its time limit.
SLOW: Final = "run the same command again; if it fails again, look for locks and load in PostgreSQL"

Connection = psycopg.AsyncConnection[Any]
Statement = tuple[str, Mapping[str, object] | Sequence[object] | None]


class Pool:
    """The connections of one address, made on demand. They are separate after a fork and in another
    loop. The address is secret and never part of a message."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._pool: psycopg_pool.AsyncConnectionPool | None = None
        self._place: tuple[int, asyncio.AbstractEventLoop] | None = None
        self._opening = asyncio.Lock()

    @asynccontextmanager
    async def connection(self, seconds: float = _LONGEST_S) -> AsyncIterator[Connection]:
        """Yield a connection that commits each statement, for at most `seconds`. Raises StoreError,
        ConfigError."""
        with translated():
            async with (await self._open()).connection() as connection:
                with bounded(connection, seconds):
                    yield connection

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Connection]:
        """Open a transaction: all changes or none. Raises StoreError, ConfigError, and the errors
        of `translated`."""
        async with self.connection() as connection, connection.transaction():
            await connection.execute(_START)
            yield connection

    async def at_once(self, *statements: Statement) -> None:
        """Run all statements in one transaction and one round trip. Raises the errors of
        `transaction`."""
        async with self.connection() as connection:
            try:
                whole = (("BEGIN", None), (_START, None), *statements, ("COMMIT", None))
                await send(connection, *whole)
            except BaseException:
                await rolled_back(connection)
                raise

    async def close(self) -> None:
        """Close the connections."""
        pool, self._pool = self._pool, None
        if pool is not None and self._place == _place():
            await pool.close()

    async def _open(self) -> psycopg_pool.AsyncConnectionPool:
        if self._place != _place():
            self._pool, self._place, self._opening = None, _place(), asyncio.Lock()
        async with self._opening:
            if self._pool is None:
                require_address(self._address)
                # a pool would report only that no connection is free, and not why
                one = await psycopg.AsyncConnection.connect(self._address, **OPTIONS)
                async with one:
                    require_utf8(one)
                pool = psycopg_pool.AsyncConnectionPool(
                    self._address,
                    open=False,
                    min_size=0,
                    max_size=CONNECTIONS,
                    timeout=WAIT_S,
                    reconnect_timeout=RECONNECT_S,
                    kwargs=dict(OPTIONS),
                    check=check_alive,
                )
                await pool.open()
                self._pool = pool
            return self._pool


async def send(connection: Connection, *statements: Statement) -> psycopg.AsyncCursor[Any]:
    """Run statements, each with its values, in one round trip and return the answer of the last
    one. Raises the error of the first that fails; later statements are not run."""
    if len(statements) == 1 or not psycopg.Pipeline.is_supported():
        for sql, values in statements:
            found = await connection.execute(sql.encode(), values)
        return found
    async with connection.pipeline():
        for sql, values in statements:
            found = await connection.execute(sql.encode(), values)
    return found


async def begin(connection: Connection) -> None:
    """Begin a transaction on a connection that a pool hands out, which also checks that it is
    alive. The library reads times in one style only. Raises psycopg.Error."""
    with bounded(connection, _ALIVE_S):
        await connection.execute(b"BEGIN; SET LOCAL DateStyle = 'ISO, MDY'")


async def rolled_back(connection: Connection) -> None:
    """End a failed transaction, even if the connection has failed, too."""
    with suppress(psycopg.Error):
        await connection.rollback()


class TimeLimit(psycopg.OperationalError):
    """A connection that `bounded` has closed."""


@contextmanager
def bounded(connection: Connection, seconds: float) -> Iterator[None]:
    """Close the connection if the block takes longer. A server that is stopped does not answer a
    cancellation either, so a timeout alone would never end. If this process has stood still, an
    answer that came meanwhile is read first. Raises TimeLimit in place of an error of the
    connection that follows from that."""
    loop = asyncio.get_running_loop()
    closed = False

    def late() -> None:
        handles.append(loop.call_later(_READING_S, close))

    def close() -> None:
        nonlocal closed
        closed = True
        hang_up(connection)

    handles = [loop.call_later(seconds, late)]
    try:
        yield
    except Exception as error:
        if closed and any(isinstance(one, psycopg.Error) for one in (error, error.__cause__)):
            raise TimeLimit(f"took longer than {seconds:g} s and was ended") from error
        raise
    finally:
        for one in handles:
            one.cancel()


def hang_up(connection: psycopg.AsyncConnection[Any] | psycopg.Connection[Any]) -> None:
    """Close the socket, so that a thread or task that waits for an answer gets an error."""
    with (
        suppress(psycopg.Error, OSError),
        socket.socket(fileno=os.dup(connection.pgconn.socket)) as line,
    ):
        line.shutdown(socket.SHUT_RDWR)


async def check_alive(connection: Connection) -> None:
    """Check for a pool that a connection still answers. Raises psycopg.Error."""
    with bounded(connection, _ALIVE_S):
        await psycopg_pool.AsyncConnectionPool.check_connection(connection)


def connect(address: str) -> psycopg.Connection[Any]:
    """Return a connection for a thread; it commits each statement. Raises StoreError,
    ConfigError."""
    require_address(address)
    with translated():
        return psycopg.Connection.connect(address, **OPTIONS)


def require_utf8(connection: Connection) -> None:
    """Raise ConfigError for a database with another encoding, which cannot store every text."""
    encoding = connection.info.parameter_status("server_encoding")
    if encoding not in (None, "UTF8"):
        raise ConfigError(
            f"the database has the encoding {encoding}, and Pincite needs UTF8",
            hint=(
                "CREATE DATABASE ... ENCODING 'UTF8' TEMPLATE template0; pg_dump and pg_restore"
                " move what there is"
            ),
        )


async def has_table(connection: Connection, schema: str, name: str) -> bool:
    """Return whether a table exists. Reads the current catalog: `to_regclass` has a cache, which
    may be older than a lock that the transaction has waited for."""
    found = await connection.execute(
        "SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
        " WHERE n.nspname = %s AND c.relname = %s",
        (schema, name),
    )
    return found.rowcount > 0


def require_address(address: str) -> None:
    """Raise ConfigError for a text that is no PostgreSQL address."""
    try:
        psycopg.conninfo.conninfo_to_dict(address)
    except psycopg.ProgrammingError:  # its message may contain the whole address
        raise ConfigError(
            "[workspace] operator is not an address of PostgreSQL",
            hint="postgresql://USER@HOST/DATABASE",
        ) from None


async def take_step(
    connection: Connection, lock: int, taking: Callable[[], Awaitable[bool]]
) -> bool:
    """Take a step of a schema in a transaction, one process after the other. A transaction that
    waits for a table lock blocks all later ones. So a step waits only briefly, lets the others
    continue, and tries again. Raises psycopg.errors.LockNotAvailable after the last try."""
    tries = 0
    while True:
        tries += 1
        try:
            async with connection.transaction():
                await connection.execute("SELECT pg_advisory_xact_lock(%s)", (lock,))
                await connection.execute(f"SET LOCAL lock_timeout = '{_STEP_WAIT_S}s'".encode())
                return await taking()
        except errors.LockNotAvailable:
            if tries == _STEP_TRIES:
                raise
            await asyncio.sleep(_STEP_PAUSE_S)


def _place() -> tuple[int, asyncio.AbstractEventLoop]:
    return os.getpid(), asyncio.get_running_loop()


@contextmanager
def translated() -> Iterator[None]:
    """Translate errors of the library: StoreError, UsageError for a missing collection,
    InvalidPoint for a text that the database cannot store."""
    try:
        yield
    except errors.ForeignKeyViolation as error:  # the only constraint that callers can violate
        raise UsageError("no collection has that name", hint="pincite collections") from error
    except UnicodeEncodeError as error:
        raise InvalidPoint(f"a name is not valid Unicode: {error.object[:80]!r}") from error
    except (errors.DataError, errors.ProgramLimitExceeded) as error:
        raise InvalidPoint(f"PostgreSQL cannot store a text: {first_line(error)}") from error
    except psycopg_pool.PoolTimeout as error:
        raise StoreError(
            f"no connection to the database of the index was free within {WAIT_S:g} s",
            hint="check that PostgreSQL runs and accepts more connections",
        ) from error
    except (errors.UndefinedTable, errors.InvalidSchemaName) as error:
        raise StoreError(
            "the database has no shared index yet", hint="pincite workspace migrate"
        ) from error
    except errors.UndefinedColumn as error:
        raise StoreError(
            "the shared index in the database is that of an earlier version",
            hint="pincite workspace migrate",
        ) from error
    except TimeLimit as error:
        raise StoreError(f"a call of the database of the index {error}", hint=SLOW) from error
    except psycopg.Error as error:
        raise StoreError(
            f"the database of the index cannot be used: {first_line(error)}",
            hint="check that PostgreSQL runs and that [workspace] operator is right",
        ) from error


def first_line(error: Exception) -> str:
    """Return the first line of an error's message, or the name of its class."""
    return (str(error).splitlines() or [type(error).__name__])[0]
