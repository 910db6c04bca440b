"""Workspaces in one SQLite file, the default: nothing to install, for one machine.

SQLite knows no row level security. A connection in the name of a user reaches the views `my_...`
and their triggers alone: an authorizer refuses whatever else a statement names, when it is
prepared. So a query that forgets to ask for the user shows the user's own all the same. Who can
open the file sees everything: it is readable for its owner alone.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Final, TypeVar

from pincite.errors import DiskFull, Forbidden, WorkspaceUnavailable
from pincite.support.private_file import require_private_file
from pincite.workspace import jobs
from pincite.workspace.administration import DatabaseAdministration
from pincite.workspace.checks import require_id
from pincite.workspace.database import Row, new_id, time_text, utc_now
from pincite.workspace.ports import Administration, Session
from pincite.workspace.schema_steps import Step, steps_after, steps_of
from pincite.workspace.session import DatabaseSession
from pincite.workspace.sqlite_rights import refuse_what_is_not_theirs, require_views

T = TypeVar("T")

_BUSY_S: Final = 30.0  # others write a few rows at a time, or 100,000 into a feed
_KEPT: Final = 8  # connections that wait for the next transaction: guess, unmeasured
_OPEN: Final = 64  # transactions at a time: guess, unmeasured
_THREADS: Final = 8
_CLASHES: Final = (
    sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY,
    sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY,
    sqlite3.SQLITE_CONSTRAINT_UNIQUE,
)
_MARK: Final = 0x50494E57


class SqliteWorkspaces:
    """Implements `Workspaces`. Any number of processes of one machine may have the file open. Used
    from one event loop. A transaction becomes a writing one with its first change: what it read
    before may be older, and is read again by whoever depends on it."""

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
        self._writing = asyncio.Lock()
        self._places = asyncio.Semaphore(_OPEN)
        self._idle: dict[bool, list[_Connection]] = {False: [], True: []}
        self._ready = False

    @asynccontextmanager
    async def of(self, user_id: str) -> AsyncIterator[Session]:
        """See `Workspaces.of`."""
        require_id("user", user_id)
        async with self._transaction(user_id) as transaction:
            yield DatabaseSession(user_id, transaction, self._clock)

    @asynccontextmanager
    async def administration(self) -> AsyncIterator[Administration]:
        """See `Workspaces.administration`."""
        async with self._transaction(None) as transaction:
            yield DatabaseAdministration(transaction, self._clock, self._losses)

    async def migrate(self) -> tuple[str, ...]:
        """See `Workspaces.migrate`. Makes the file, for its user alone."""
        return await self._in_thread(self._migrate)

    async def pending(self) -> tuple[str, ...]:
        """See `Workspaces.pending`."""
        return tuple(step.name for step in await self._in_thread(self._pending))

    async def close(self) -> None:
        """See `Workspaces.close`."""
        for connection in (*self._idle[False], *self._idle[True]):
            connection.close()
        self._idle = {False: [], True: []}
        self._threads.shutdown()

    @asynccontextmanager
    async def _transaction(self, user_id: str | None) -> AsyncIterator[_Transaction]:
        async with self._places:
            idle = self._idle[user_id is not None]
            connection = idle.pop() if idle else await self._in_thread(self._connect, user_id)
            connection.user_id = user_id or ""
            transaction = _Transaction(self, connection, self._writing, self._clock)
            try:
                await transaction.begin()
                yield transaction
                await transaction.end("COMMIT")
            except BaseException:
                await transaction.end("ROLLBACK")
                raise
            finally:
                connection.user_id = ""
                if len(idle) < _KEPT and not connection.db.in_transaction:
                    idle.append(connection)
                else:
                    connection.close()

    async def _in_thread(self, work: Callable[..., T], *args: object) -> T:
        """Never left behind while it works: whoever is cancelled waits for it."""
        job = asyncio.get_running_loop().run_in_executor(self._threads, work, *args)
        try:
            return await asyncio.shield(job)
        except asyncio.CancelledError:
            while not job.done():
                with suppress(asyncio.CancelledError):
                    await asyncio.wait([job])
            if not job.cancelled():
                job.exception()  # seen
            raise

    def _connect(self, user_id: str | None, *, make: bool = False) -> _Connection:
        try:
            if not make and not self._ready and (pending := self._pending()):
                raise WorkspaceUnavailable(
                    f"the database {self._path} lacks {len(pending)} steps of its schema",
                    hint="pincite workspace migrate",
                )
            require_private_file(self._path, make=make)
            connection = _Connection(self._path, user_id is not None, self._clock)
        except (OSError, sqlite3.Error) as error:
            raise self.failed(error) from error
        self._ready = self._ready or not make
        return connection

    def _pending(self) -> tuple[Step, ...]:
        if not os.path.lexists(self._path):
            return steps_of("sqlite")
        connection = self._connect(None, make=True)
        try:
            return steps_after(_version(connection.db, self._path), steps_of("sqlite"))
        except sqlite3.Error as error:
            raise self.failed(error) from error
        finally:
            connection.close()

    def _migrate(self) -> tuple[str, ...]:
        if self._place is not None and not os.path.lexists(self._path):
            self._place()
        connection = self._connect(None, make=True)
        db, taken = connection.db, []
        try:
            for step in steps_of("sqlite"):
                # Looked at once more when nobody else can migrate.
                script = f"PRAGMA user_version = {step.number}; PRAGMA application_id = {_MARK};"
                db.execute("BEGIN IMMEDIATE")
                if step not in steps_after(_version(db, self._path), steps_of("sqlite")):
                    db.execute("ROLLBACK")
                    continue
                for statement in _statements(step.sql + script):
                    db.execute(statement)
                db.execute("COMMIT")
                taken.append(step.name)
        except sqlite3.Error as error:
            raise self.failed(error) from error
        finally:
            connection.close()
        return tuple(taken)

    def failed(self, error: sqlite3.Error | OSError) -> Exception:
        """An error of SQLite in our words."""
        code = getattr(error, "sqlite_errorcode", 0)
        if isinstance(error, sqlite3.IntegrityError) and str(error) == "forbidden":
            return Forbidden("your role in the space does not allow that")
        if code == sqlite3.SQLITE_FULL:
            return DiskFull(
                f"the disk of {self._path} is full; what was written before is whole",
                hint="make room on that disk, then do the same again",
            )
        said = getattr(error, "strerror", None) or str(error)
        return WorkspaceUnavailable(
            f"the database of workspaces {self._path} cannot be used: {said}",
            hint="see that the file is yours, and that nothing else has it locked",
        )


class _Connection:
    """One connection, for users or for the operator."""

    def __init__(self, path: Path, of_users: bool, clock: Callable[[], datetime]) -> None:
        self.user_id = ""
        self.of_users = of_users
        self.db = sqlite3.connect(
            path, isolation_level=None, check_same_thread=False, timeout=_BUSY_S
        )
        try:
            _version(self.db, path)  # before anything is written to what may be another's
            self.db.execute("PRAGMA journal_mode = WAL")
            self.db.execute("PRAGMA synchronous = FULL")
            self.db.execute("PRAGMA foreign_keys = ON")
            self.db.execute("PRAGMA trusted_schema = ON")  # its views call the functions below
            self.db.create_function("app_user_id", 0, self._user)
            self.db.create_function("app_new_id", 0, new_id)
            self.db.create_function("app_now", 0, lambda: time_text(clock()))
            if of_users:
                self.db.set_authorizer(refuse_what_is_not_theirs)
        except BaseException:
            self.db.close()
            raise

    def _user(self) -> str | None:
        return self.user_id or None

    def close(self) -> None:
        """Let go of the file."""
        self.db.close()


class _Transaction:
    """Implements `Transaction`."""

    def __init__(
        self,
        of: SqliteWorkspaces,
        connection: _Connection,
        writing: asyncio.Lock,
        clock: Callable[[], datetime],
    ) -> None:
        self._of = of
        self._connection = connection
        self._lock = writing
        self._clock = clock
        self._writes = False

    async def rows(self, sql: str, **values: object) -> list[Row]:
        """See `Transaction.rows`."""
        plain, _, _ = sql.partition(" FOR UPDATE")
        if plain != sql:
            await self._write()
        return await self._execute(plain, values)

    async def run(self, sql: str, **values: object) -> None:
        """See `Transaction.run`."""
        await self._write()
        await self._execute(sql, values)

    async def attempt(self, sql: str, **values: object) -> bool:
        """See `Transaction.attempt`. SQLite undoes a statement that fails, and no more."""
        await self._write()
        return await self._of._in_thread(self._attempt, sql, values)

    async def write(self) -> None:
        """See `Transaction.write`."""
        await self._write()

    async def lock(self, name: str) -> None:  # noqa: ARG002 - as in `Transaction`
        """See `Transaction.lock`. One writes at a time, whatever the name."""
        await self._write()

    async def now(self) -> datetime:
        """See `Transaction.now`: that of the machine."""
        return self._clock()

    async def begin(self) -> None:
        """A transaction that reads, until it writes."""
        await self._execute("BEGIN", {})

    async def end(self, how: str) -> None:
        """Of the transaction. A second end changes nothing."""
        try:
            if self._connection.db.in_transaction:
                await self._execute(how, {})
        finally:
            if self._writes and not self._connection.db.in_transaction:
                self._writes = False
                self._lock.release()

    async def _write(self) -> None:
        """Others of this process wait without a thread, so that one is left for who has the
        lock."""
        if self._writes:
            return
        await self._lock.acquire()
        self._writes = True
        await self._execute("COMMIT", {})
        await self._execute("BEGIN IMMEDIATE", {})

    async def _execute(self, sql: str, values: dict[str, object]) -> list[Row]:
        return await self._of._in_thread(self._do, sql, values)

    def _attempt(self, sql: str, values: dict[str, object]) -> bool:
        try:
            self._do(sql, values)
        except WorkspaceUnavailable as error:
            cause = error.__cause__
            if getattr(cause, "sqlite_errorcode", 0) in _CLASHES:
                return False
            raise
        return True

    def _do(self, sql: str, values: dict[str, object]) -> list[Row]:
        plain = sql.replace("id_list(", "json_each(").replace("text_list(", "json_each(")
        if self._connection.of_users:
            require_views(plain)
        try:
            return self._connection.db.execute(plain, values).fetchall()
        except sqlite3.Error as error:
            raise self._of.failed(error) from error


def _version(db: sqlite3.Connection, path: Path) -> int:
    (version,) = db.execute("PRAGMA user_version").fetchone()
    (mark,) = db.execute("PRAGMA application_id").fetchone()
    (tables,) = db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if tables and mark != _MARK:
        raise WorkspaceUnavailable(
            f"{path} is a database of something else",
            hint="name another file in [workspace] database",
        )
    return int(version)


def _statements(script: str) -> list[str]:
    """One after the other: `executescript` would commit before each script."""
    found: list[str] = []
    waiting = ""
    for piece in script.split(";"):
        waiting += f"{piece};"
        if sqlite3.complete_statement(waiting):
            found.append(waiting)
            waiting = ""
    return found
