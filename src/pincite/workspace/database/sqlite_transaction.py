"""A transaction in the SQLite file of workspaces, with statements in threads."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Coroutine
from datetime import datetime
from typing import Any, Final, Protocol, TypeVar

from pincite.errors import WorkspaceUnavailable
from pincite.workspace.database.sqlite_file import SqliteConnection, failed
from pincite.workspace.database.sqlite_rights import require_views
from pincite.workspace.database.stepping import Pause, ended
from pincite.workspace.database.transaction import Row
from pincite.workspace.database.turns import Turns

T = TypeVar("T")
_CLASHES: Final = (
    sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY,
    sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY,
    sqlite3.SQLITE_CONSTRAINT_UNIQUE,
)


class InThread(Protocol):
    """Runs work in a thread and returns its result."""

    async def __call__(self, work: Callable[..., T], *args: object) -> T: ...


class SqliteTransaction:
    """Implements `Transaction`."""

    def __init__(
        self,
        connection: SqliteConnection,
        in_thread: InThread,
        turns: Turns,
        clock: Callable[[], datetime],
    ) -> None:
        self._connection = connection
        self._in_thread = in_thread
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

        return await self._in_thread(within)

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
        return await self._in_thread(self._attempt, sql, values)

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
        """Begin a transaction that only reads until its first change. It waits for no lock, and
        opens no file."""
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
        return await self._in_thread(self._do, sql, values)

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
            raise failed(self._connection.path, error) from error
