"""Workspaces in one SQLite file, the default: no installation, for one machine.

SQLite has no row level security. A connection on behalf of a user can reach only the views `my_...`
and their triggers: an authorizer refuses all other names when a statement is prepared. So a query
without a condition on the user still returns only that user's rows. Anybody who can open the file
can read everything, so only its owner has permission to read it.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any, Final, TypeVar, cast

from pincite.errors import WorkspaceUnavailable
from pincite.support.databases.private_file import require_private_file
from pincite.support.databases.schema_steps import Step
from pincite.support.databases.sqlite_schema import require_no_journal
from pincite.workspace.checks import require_id
from pincite.workspace.database import jobs
from pincite.workspace.database.administration import DatabaseAdministration
from pincite.workspace.database.schema_steps import steps_of
from pincite.workspace.database.session import DatabaseSession
from pincite.workspace.database.sqlite_file import SqliteConnection, failed, steps_left, take_steps
from pincite.workspace.database.sqlite_transaction import SqliteTransaction
from pincite.workspace.database.stepping import Stepped
from pincite.workspace.database.transaction import utc_now
from pincite.workspace.database.turns import turns_of
from pincite.workspace.ports import Administration, Session

T = TypeVar("T")

_KEPT: Final = 8  # idle connections: guess, unmeasured
_OPEN: Final = 64  # transactions at a time: guess, unmeasured
_THREADS: Final = 8


class SqliteWorkspaces:
    """Implements `Workspaces`. Any number of processes of one machine may have the file open. Use
    it from one event loop. A transaction starts writing with its first change. Rows that it read
    before may be outdated by then, and callers that depend on them read them again."""

    def __init__(
        self,
        path: Path,
        clock: Callable[[], datetime] = utc_now,
        losses: int = jobs.LOSSES,
        place: Callable[[], None] | None = None,
    ) -> None:
        """`place` makes the folder of the file before the file is made."""
        self._path = path
        self._place = place
        self._clock = clock
        self._losses = losses
        self._threads = ThreadPoolExecutor(_THREADS, "workspaces")
        self._turns = turns_of(path)
        self._places = asyncio.Semaphore(_OPEN)
        self._idle: dict[bool, list[SqliteConnection]] = {False: [], True: []}
        self._ready = False

    @asynccontextmanager
    async def of(self, user_id: str) -> AsyncIterator[Session]:
        """See `Workspaces.of`."""
        require_id("user", user_id)
        async with self._transaction(user_id) as transaction:
            session = DatabaseSession(user_id, transaction, self._clock)
            yield cast(Session, Stepped(session, transaction))

    @asynccontextmanager
    async def administration(self) -> AsyncIterator[Administration]:
        """See `Workspaces.administration`."""
        async with self._transaction(None) as transaction:
            operator = DatabaseAdministration(transaction, self._clock, self._losses)
            yield cast(Administration, Stepped(operator, transaction))

    async def change(self, user_id: str, work: Callable[[Session], Awaitable[T]]) -> T:
        """See `Workspaces.change`."""
        require_id("user", user_id)

        def within(transaction: SqliteTransaction) -> Coroutine[Any, Any, T]:
            return _awaited(work(DatabaseSession(user_id, transaction, self._clock)))

        return await self._at_once(user_id, within)

    async def administer(self, work: Callable[[Administration], Awaitable[T]]) -> T:
        """See `Workspaces.administer`."""

        def within(transaction: SqliteTransaction) -> Coroutine[Any, Any, T]:
            operator = DatabaseAdministration(transaction, self._clock, self._losses)
            return _awaited(work(operator))

        return await self._at_once(None, within)

    async def migrate(self) -> tuple[str, ...]:
        """See `Workspaces.migrate`. Creates the file, readable for its user alone."""
        return await self._in_thread(self._migrate)

    async def pending(self) -> tuple[str, ...]:
        """See `Workspaces.pending`."""
        return tuple(step.name for step in await self._in_thread(self._pending))

    async def require_roles(self) -> None:
        """See `Workspaces.require_roles`. A file has no roles."""

    async def require_room(self) -> None:
        """See `Workspaces.require_room`. Writes one page, as a request does: the journal can have
        room on a disk that is full."""

        async def write(transaction: SqliteTransaction) -> None:
            ((version,),) = await transaction.rows("PRAGMA user_version")
            await transaction.run(f"PRAGMA user_version = {version}")

        await self._at_once(None, write)

    async def close(self) -> None:
        """See `Workspaces.close`."""
        for connection in (*self._idle[False], *self._idle[True]):
            connection.close()
        self._idle = {False: [], True: []}
        self._threads.shutdown()

    @asynccontextmanager
    async def _transaction(self, user_id: str | None) -> AsyncIterator[SqliteTransaction]:
        async with self._connected(user_id) as connection:
            transaction = SqliteTransaction(connection, self._in_thread, self._turns, self._clock)
            try:
                await transaction.begin()
                yield transaction
                await transaction.end("COMMIT")
            except BaseException:
                await transaction.end("ROLLBACK")
                raise

    async def _at_once(
        self, user_id: str | None, work: Callable[[SqliteTransaction], Coroutine[Any, Any, T]]
    ) -> T:
        """Run a whole writing transaction in one thread."""
        async with self._connected(user_id) as connection:
            transaction = SqliteTransaction(connection, self._in_thread, self._turns, self._clock)
            return await self._turns.take(lambda: transaction.whole(work(transaction)))

    @asynccontextmanager
    async def _connected(self, user_id: str | None) -> AsyncIterator[SqliteConnection]:
        async with self._places:
            idle = self._idle[user_id is not None]
            connection = idle.pop() if idle else await self._in_thread(self._connect, user_id)
            connection.user_id = user_id or ""
            try:
                yield connection
            finally:
                connection.user_id = ""
                if len(idle) < _KEPT and not connection.db.in_transaction:
                    idle.append(connection)
                else:
                    connection.close()

    async def _in_thread(self, work: Callable[..., T], *args: object) -> T:
        """Run work in a thread. A cancelled caller waits for its end, so that no work is left
        running."""
        job = asyncio.get_running_loop().run_in_executor(self._threads, work, *args)
        try:
            return await asyncio.shield(job)
        except asyncio.CancelledError:
            while not job.done():
                with suppress(asyncio.CancelledError):
                    await asyncio.wait([job])
            if not job.cancelled():
                job.exception()  # mark as retrieved
            raise

    def _connect(self, user_id: str | None, *, make: bool = False) -> SqliteConnection:
        try:
            if not make and not self._ready and (pending := self._pending()):
                raise WorkspaceUnavailable(
                    f"the database {self._path} lacks {len(pending)} steps of its schema",
                    hint="pincite workspace migrate",
                )
            require_private_file(self._path, make=make)
            require_no_journal(self._path)
            connection = SqliteConnection(self._path, user_id is not None, self._clock)
        except (OSError, sqlite3.Error) as error:
            raise failed(self._path, error) from error
        self._ready = self._ready or not make
        return connection

    def _pending(self) -> tuple[Step, ...]:
        if not os.path.lexists(self._path):
            return steps_of("sqlite")
        connection = self._connect(None, make=True)
        try:
            return steps_left(connection)
        except sqlite3.Error as error:
            raise failed(self._path, error) from error
        finally:
            connection.close()

    def _migrate(self) -> tuple[str, ...]:
        if self._place is not None and not os.path.lexists(self._path):
            self._place()
        connection = self._connect(None, make=True)
        try:
            return take_steps(connection)
        except sqlite3.Error as error:
            raise failed(self._path, error) from error
        finally:
            connection.close()


async def _awaited(work: Awaitable[T]) -> T:
    return await work
