"""The SQLite file of workspaces: its connections, the steps of its schema, and its errors."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Final

from pincite.errors import DiskFull, Forbidden, NotFound, WorkspaceUnavailable
from pincite.support.databases.schema_steps import TAKEN, Step, steps_after
from pincite.support.databases.sqlite_schema import is_of_another_program, take_step, use_log
from pincite.workspace.database.schema_steps import WORKSPACES, steps_of
from pincite.workspace.database.sqlite_rights import refuse_what_is_not_theirs
from pincite.workspace.database.transaction import new_id, time_text

_BUSY_S: Final = 30.0  # other writers change a few rows, or add 100,000 to a feed
_MARK: Final = 0x50494E57
_RECORD: Final = """
    PRAGMA user_version = {0.number};
    PRAGMA application_id = {1};
    CREATE TABLE IF NOT EXISTS schema_steps (number INTEGER PRIMARY KEY, name TEXT NOT NULL);
    INSERT INTO schema_steps VALUES ({0.number}, '{0.name}');
"""


class SqliteConnection:
    """One connection, for users or for the operator. Raises sqlite3.Error."""

    def __init__(self, path: Path, of_users: bool, clock: Callable[[], datetime]) -> None:
        self.path = path
        self.user_id = ""
        self.of_users = of_users
        self.db = sqlite3.connect(
            path, isolation_level=None, check_same_thread=False, timeout=_BUSY_S
        )
        try:
            _version(self)  # before anything is written to a file of another program
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


def _version(connection: SqliteConnection) -> int:
    """Return the number of the last step of the schema. Raises WorkspaceUnavailable for a file of
    another program."""
    if is_of_another_program(connection.db, _MARK):
        raise WorkspaceUnavailable(
            f"{connection.path} is another program's database",
            hint="name another file in [workspace] database",
        )
    (version,) = connection.db.execute("PRAGMA user_version").fetchone()
    return int(version)


def steps_left(connection: SqliteConnection) -> tuple[Step, ...]:
    """Return the steps of the schema that the file lacks."""
    db, done, needed, last = connection.db, _version(connection), 0, 0
    if db.execute("SELECT 1 FROM sqlite_schema WHERE name = 'schema_steps'").fetchone():
        _, needed = db.execute(TAKEN.format("schema_steps")).fetchone()
        (last,) = db.execute("SELECT coalesce(max(number), 0) FROM schema_steps").fetchone()
    # steps without a name have an unknown origin
    return steps_after(done, needed if last >= done else done, steps_of("sqlite"), WORKSPACES)


def take_steps(connection: SqliteConnection) -> tuple[str, ...]:
    """Take all steps of the schema that the file lacks and return their names. Raises
    sqlite3.Error."""
    taken = []
    for step in steps_of("sqlite"):
        scripts = step.sql, _RECORD.format(step, _MARK)
        if take_step(connection.db, scripts, partial(_lacks, connection, step)):
            taken.append(step.name)
    return tuple(taken)


def _lacks(connection: SqliteConnection, step: Step) -> bool:
    return step in steps_left(connection)


def failed(path: Path, error: sqlite3.Error | OSError) -> Exception:
    """Return the error of this package for an error of SQLite."""
    code = getattr(error, "sqlite_errorcode", 0)
    if isinstance(error, sqlite3.IntegrityError) and str(error) == "forbidden":
        return Forbidden("your role in the space does not allow that")
    if isinstance(error, sqlite3.IntegrityError) and str(error) == "unknown user":
        return NotFound("the user is disabled or unknown")
    if code == sqlite3.SQLITE_FULL:
        return DiskFull(
            f"the disk of {path} is full; earlier writes are complete",
            hint="make room on that disk, then run the same command again",
        )
    said = getattr(error, "strerror", None) or str(error)
    return WorkspaceUnavailable(
        f"the database of workspaces {path} cannot be used: {said}",
        hint="check that the file is yours, and that no other program has locked it",
    )
