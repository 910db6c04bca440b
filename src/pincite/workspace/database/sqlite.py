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

from pincite.errors import DiskFull, Forbidden, WorkspaceUnavailable
from pincite.support.databases.private_file import require_private_file
from pincite.support.databases.sqlite_schema import (
    is_of_another_program,
    require_no_journal,
    statements_of,
    use_log,
)
from pincite.workspace.checks import require_id
from pincite.workspace.database import jobs
from pincite.workspace.database.administration import DatabaseAdministration
from pincite.workspace.database.schema_steps import TAKEN, Step, steps_after, steps_of
from pincite.workspace.database.session import DatabaseSession
from pincite.workspace.database.sqlite_rights import refuse_what_is_not_theirs, require_views
from pincite.workspace.database.stepping import Pause, Stepped, ended
from pincite.workspace.database.transaction import Row, new_id, time_text, utc_now
from pincite.workspace.database.turns import Turns, turns_of
from pincite.workspace.ports import Administration, Session

T = TypeVar("T")

_BUSY_S: Final = 30.0  # other writers change a few rows, or add 100,000 to a feed
_KEPT: Final = 8  # idle connections: guess, unmeasured
_OPEN: Final = 64  # transactions at a time: guess, unmeasured
_THREADS: Final = 8
_CLASHES: Final = (
    sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY,
    sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY,
    sqlite3.SQLITE_CONSTRAINT_UNIQUE,
)
_MARK: Final = 0x50494E57
_STEPS: Final = """
    CREATE TABLE IF NOT EXISTS schema_steps (number INTEGER PRIMARY KEY, name TEXT NOT NULL);
"""


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
        self._idle: dict[bool, list[_Connection]] = {False: [], True: []}
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

        def within(transaction: _Transaction) -> Coroutine[Any, Any, T]:
            return _awaited(work(DatabaseSession(user_id, transaction, self._clock)))

        return await self._at_once(user_id, within)

    async def administer(self, work: Callable[[Administration], Awaitable[T]]) -> T:
        """See `Workspaces.administer`."""

        def within(transaction: _Transaction) -> Coroutine[Any, Any, T]:
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

        async def write(transaction: _Transaction) -> None:
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
    async def _transaction(self, user_id: str | None) -> AsyncIterator[_Transaction]:
        async with self._connected(user_id) as connection:
            transaction = _Transaction(self, connection, self._turns, self._clock)
            try:
                await transaction.begin()
                yield transaction
                await transaction.end("COMMIT")
            except BaseException:
                await transaction.end("ROLLBACK")
                raise

    async def _at_once(
        self, user_id: str | None, work: Callable[[_Transaction], Coroutine[Any, Any, T]]
    ) -> T:
        """Run a whole writing transaction in one thread."""
        async with self._connected(user_id) as connection:
            transaction = _Transaction(self, connection, self._turns, self._clock)
            return await self._turns.take(lambda: transaction.whole(work(transaction)))

    @asynccontextmanager
    async def _connected(self, user_id: str | None) -> AsyncIterator[_Connection]:
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

    def _connect(self, user_id: str | None, *, make: bool = False) -> _Connection:
        try:
            if not make and not self._ready and (pending := self._pending()):
                raise WorkspaceUnavailable(
                    f"the database {self._path} lacks {len(pending)} steps of its schema",
                    hint="pincite workspace migrate",
                )
            require_private_file(self._path, make=make)
            require_no_journal(self._path)
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
            return _steps_left(connection.db, self._path)
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
                # Checked again, now that nobody else can migrate.
                script = f"PRAGMA user_version = {step.number}; PRAGMA application_id = {_MARK};"
                db.execute("BEGIN IMMEDIATE")
                if step not in _steps_left(db, self._path):
                    db.execute("ROLLBACK")
                    continue
                for statement in statements_of(step.sql + script + _STEPS):
                    db.execute(statement)
                db.execute("INSERT INTO schema_steps VALUES (?, ?)", (step.number, step.name))
                db.execute("COMMIT")
                taken.append(step.name)
        except sqlite3.Error as error:
            raise self.failed(error) from error
        finally:
            connection.close()
        return tuple(taken)

    def failed(self, error: sqlite3.Error | OSError) -> Exception:
        """Return the error of this package for an error of SQLite."""
        code = getattr(error, "sqlite_errorcode", 0)
        if isinstance(error, sqlite3.IntegrityError) and str(error) == "forbidden":
            return Forbidden("your role in the space does not allow that")
        if code == sqlite3.SQLITE_FULL:
            return DiskFull(
                f"the disk of {self._path} is full; earlier writes are complete",
                hint="make room on that disk, then run the same command again",
            )
        said = getattr(error, "strerror", None) or str(error)
        return WorkspaceUnavailable(
            f"the database of workspaces {self._path} cannot be used: {said}",
            hint="check that the file is yours, and that no other program has locked it",
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
            _version(self.db, path)  # before anything is written to a file of another program
            use_log(self.db, _BUSY_S)
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
        """Close the file."""
        self.db.close()


class _Transaction:
    """Implements `Transaction`."""

    def __init__(
        self,
        of: SqliteWorkspaces,
        connection: _Connection,
        turns: Turns,
        clock: Callable[[], datetime],
    ) -> None:
        self._of = of
        self._connection = connection
        self._turns = turns
        self._release: Callable[[], None] | None = None
        self._clock = clock
        self._writes = False
        self._within = False  # statements now run in this thread

    async def in_thread(self, work: Callable[..., Any], *args: object) -> Any:
        """See `Steps.in_thread`."""

        def within() -> Any:
            self._within = True
            try:
                return work(*args)
            finally:
                self._within = False

        return await self._of._in_thread(within)

    async def resume(self) -> None:
        """See `Steps.resume`. Waits until no other transaction of this process writes."""
        self._release = await self._turns.hold()
        self._writes = True

    def whole(self, work: Coroutine[Any, Any, T]) -> T:
        """Run all of the work in a thread while no other transaction of this process writes."""
        self._within = self._writes = True
        try:
            self._do("BEGIN IMMEDIATE", {})
            result: T = ended(work)
            self._do("COMMIT", {})
            return result
        except BaseException:
            if self._connection.db.in_transaction:
                self._do("ROLLBACK", {})
            raise
        finally:
            work.close()

    async def rows(self, sql: str, **values: object) -> list[Row]:
        """See `Transaction.rows`."""
        plain, _, _ = sql.partition(" FOR ")
        if plain != sql:
            await self._write()
        return await self._execute(plain, values)

    async def run(self, sql: str, **values: object) -> None:
        """See `Transaction.run`."""
        await self._write()
        await self._execute(sql, values)

    async def attempt(self, sql: str, **values: object) -> bool:
        """See `Transaction.attempt`. SQLite undoes only the failed statement."""
        await self._write()
        if self._within:
            return self._attempt(sql, values)
        return await self._of._in_thread(self._attempt, sql, values)

    async def write(self) -> None:
        """See `Transaction.write`."""
        await self._write()

    async def lock(self, name: str) -> None:  # noqa: ARG002 - as in `Transaction`
        """See `Transaction.lock`. Takes the one write lock, whatever the name."""
        await self._write()

    async def now(self) -> datetime:
        """See `Transaction.now`. Returns the time of this machine."""
        return self._clock()

    async def begin(self) -> None:
        """Begin a transaction that reads until its first change. It waits for nothing, and opens no
        file."""
        self._do("BEGIN", {})

    async def end(self, how: str) -> None:
        """End the transaction. A second end has no effect."""
        try:
            if self._connection.db.in_transaction:
                if self._writes:
                    await self._execute(how, {})
                else:  # this writes nothing
                    self._do(how, {})
        finally:
            if self._release is not None and not self._connection.db.in_transaction:
                self._writes = False
                self._release()

    async def _write(self) -> None:
        """Take the write lock. Waiting transactions use no thread, so that the holder of the lock
        has one."""
        if self._writes:
            return
        await (Pause() if self._within else self.resume())
        await self._execute("COMMIT", {})
        await self._execute("BEGIN IMMEDIATE", {})

    async def _execute(self, sql: str, values: dict[str, object]) -> list[Row]:
        if self._within:
            return self._do(sql, values)
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


async def _awaited(work: Awaitable[T]) -> T:
    return await work


def _version(db: sqlite3.Connection, path: Path) -> int:
    if is_of_another_program(db, _MARK):
        raise WorkspaceUnavailable(
            f"{path} is another program's database",
            hint="name another file in [workspace] database",
        )
    (version,) = db.execute("PRAGMA user_version").fetchone()
    return int(version)


def _steps_left(db: sqlite3.Connection, path: Path) -> tuple[Step, ...]:
    done, needed, last = _version(db, path), 0, 0
    if db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'schema_steps'").fetchone():
        _, needed = db.execute(TAKEN.format("schema_steps")).fetchone()
        (last,) = db.execute("SELECT coalesce(max(number), 0) FROM schema_steps").fetchone()
    # steps without a name have an unknown origin
    return steps_after(done, needed if last >= done else done, steps_of("sqlite"))
