"""Bring the schema of a SQLite file up to date, one numbered step after the other."""

from __future__ import annotations

import errno
import hashlib
import os
import re
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from functools import lru_cache, partial
from pathlib import Path
from typing import Final

from pincite.errors import IndexTooNew, StoreError
from pincite.support.databases.bounded import bounded_schema
from pincite.support.databases.private_file import require_regular, require_regular_or_new

_MAKING_S: Final = 1.0  # far longer than a process needs to make a file
_POLL_S: Final = 0.02
_SPACES: Final = re.compile(r"[ \t\n\f\r]+")  # for SQLite, too
_BESIDE_MARKS: Final = re.compile(r" ?([(),]) ?")
_NUMBER: Final = re.compile(r"_[0-9]+")
_BUSY: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def require_no_journal(path: Path) -> None:
    """Raise OSError for a rollback journal beside a SQLite file: SQLite would first restore its
    content, which anybody may have written. Pincite's files have a log instead, and a journal
    only while a process creates them. For an empty file SQLite restores nothing and removes the
    journal."""
    journal = path.with_name(f"{path.name}-journal")
    deadline = time.monotonic() + _MAKING_S
    while _has_content(path) and _has_content(journal):
        if time.monotonic() > deadline:
            raise OSError(
                errno.EINVAL,
                f"{journal.name} would change {path.name}: it came with files of others, or a"
                f" process was killed while it made the file; remove {journal.name}",
                str(journal),
            )
        time.sleep(_POLL_S)


def require_sqlite_file(path: Path) -> None:
    """Raise OSError unless SQLite may open the file, which may be missing: for a link, a pipe or a
    folder in its place, and for a rollback journal."""
    require_regular_or_new(path)
    require_no_journal(path)


def _addresses_to_read(path: Path) -> Iterator[str]:
    """Yield the URIs with which to open a file read-only, in the order to try them. In a folder
    without write access SQLite cannot create its extra files, so a file without a log is opened
    there as immutable. Elsewhere that would hide changes that SQLite makes when it opens the file
    for writing. Raises OSError as `require_sqlite_file`."""
    require_sqlite_file(path)
    yield f"{path.absolute().as_uri()}?mode=ro"
    if not os.access(path.parent, os.W_OK) and not _has_content(path.with_name(f"{path.name}-wal")):
        yield f"{path.absolute().as_uri()}?mode=ro&immutable=1"


def connect_to_read(
    path: Path,
    begin: Callable[[sqlite3.Connection], object],
    *,
    timeout_s: float = 5.0,
    one_thread: bool = True,
) -> sqlite3.Connection:
    """Open a file read-only, with the first of its addresses at which SQLite lets `begin` read.
    Raises the errors of `require_sqlite_file`, of `begin` and of SQLite."""
    error: sqlite3.Error | None = None
    for place in _addresses_to_read(path):
        database = sqlite3.connect(
            place,
            uri=True,
            timeout=timeout_s,
            isolation_level=None,
            check_same_thread=one_thread,
        )
        try:
            begin(database)
        except sqlite3.Error as failed:
            error = failed
            database.close()
        except BaseException:
            database.close()
            raise
        else:
            return database
    raise error or sqlite3.OperationalError("it cannot be read")


def connect_to_identify(path: Path) -> sqlite3.Connection:
    """Open a file to identify its program, without its journal and log: SQLite would write both
    into it. Nothing is locked, so the pages may be of two transactions while another process
    writes; the application id in the header is the same in both. That of a damaged file can be
    read, too. Raises errors of SQLite."""
    place = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    database = sqlite3.connect(place, uri=True, isolation_level=None)
    database.execute("PRAGMA writable_schema = ON")  # reads a header of more pages
    return database


def _has_content(path: Path) -> bool:
    try:
        return require_regular(path).st_size > 0
    except FileNotFoundError:
        return False


def require_ours(
    database: sqlite3.Connection,
    name: str,
    migrations: Sequence[str],
    more: Sequence[str] = (),
    *,
    usual: str = "",
) -> None:
    """Raise StoreError for a file with objects that these scripts do not create: SQLite would run a
    stranger's computed columns, checks, indexes on expressions, views and triggers, possibly
    without end.

    `more` are further statements that create tables of the file. With `usual`, the digest of a
    schema, a file with that schema is accepted without running the scripts. Call this before any
    other statement. The tables of `ANALYZE` are accepted as SQLite creates them. Raises IndexTooNew
    for a schema of a newer version, and errors of SQLite.
    """
    with bounded_schema(database):
        found = _objects_in(database)
    if usual and digest_of(found) == usual:
        return
    unknown = found.keys() - _objects_made(tuple(migrations), tuple(more)) - _STATISTICS
    if not unknown:
        return
    known_version(database, len(migrations), name)
    kind, called, *_ = found[min(unknown, key=repr)]
    raise StoreError(
        f"{name} has the {kind} {called!r}, which no version of Pincite makes",
        hint="if the file is yours, remove that with sqlite3; do not use a file of a stranger",
    )


_Object = tuple[object, ...]  # type, name, name of its table, and SQL
#: The tables of `ANALYZE`, including those of SQLite builds with more statistics.
_STATISTICS: Final = frozenset(
    ("table", name, name, f"CREATE TABLE {name}({columns})")
    for name, columns in (
        ("sqlite_stat1", "tbl,idx,stat"),
        ("sqlite_stat4", "tbl,idx,neq,nlt,ndlt,sample"),
    )
)


def digest_of(schema: Iterable[_Object]) -> str:
    """Return a digest of a schema, 64 hexadecimal digits."""
    return hashlib.sha256(repr(sorted(schema, key=repr)).encode()).hexdigest()


def _objects_in(database: sqlite3.Connection) -> dict[_Object, _Object]:
    """Return the objects of a file by their compared form. Line breaks may differ: no object of
    Pincite has a comment, and only one literal has white space, the tokenizer of a keyword index. A
    number at the end of a name is a counter of SQLite or Pincite."""
    rows = database.execute("SELECT type, name, tbl_name, sql FROM sqlite_master")
    return {tuple(map(_plain, row)): row for row in rows}


def _plain(value: object) -> object:
    if not isinstance(value, str):
        return value
    return _NUMBER.sub("_0", _BESIDE_MARKS.sub(r"\1", _SPACES.sub(" ", value)))


@lru_cache(maxsize=16)
def _objects_made(migrations: tuple[str, ...], more: tuple[str, ...]) -> frozenset[_Object]:
    """Return all objects that the scripts create in an empty file, before and after each step."""
    made: set[_Object] = set()
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as database:
        for script in migrations:
            for statement in statements_of(script):
                database.execute(statement)
            made |= _objects_in(database).keys()
        for statement in more:
            with suppress(sqlite3.OperationalError):  # a build of SQLite without FTS5
                database.execute(statement)
        return frozenset(made | _objects_in(database).keys())


def is_of_another_program(database: sqlite3.Connection, mark: int) -> bool:
    """Return whether a file has another application id, or tables and no id. The tables are read
    first: another process may create the file meanwhile, and it writes both in one transaction."""
    with bounded_schema(database):
        (tables,) = database.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    (found,) = database.execute("PRAGMA application_id").fetchone()
    return found != mark and bool(tables or found)


def use_log(database: sqlite3.Connection, timeout_s: float = 20.0) -> None:
    """Put a file into WAL mode. Raises errors of SQLite.

    While another process does the same with a new file, SQLite reports a busy file at once,
    whatever the timeout of the connection is. So it is tried again for `timeout_s`."""
    deadline = time.monotonic() + timeout_s
    while True:
        try:
            database.execute("PRAGMA journal_mode = WAL").fetchall()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF not in _BUSY or time.monotonic() > deadline:
                raise
            time.sleep(_POLL_S)
        else:
            return


def migrate(database: sqlite3.Connection, migrations: Sequence[str], name: str) -> tuple[int, ...]:
    """Run the scripts that the file has not run, each in a transaction of its own, also if other
    processes do the same. The file is new or has passed `require_ours`. Return the numbers of those
    that this call ran, from 1. The file stores the last one in `user_version`. `name` is the name
    of the file in messages. Raises IndexTooNew if the file has run more scripts than there are,
    StoreError, and errors of SQLite."""
    taken: list[int] = []

    def is_at(version: int) -> bool:
        return known_version(database, len(migrations), name) == version

    while (version := known_version(database, len(migrations), name)) < len(migrations):
        scripts = migrations[version], f"PRAGMA user_version = {version + 1}"
        if take_step(database, scripts, partial(is_at, version)):
            taken.append(version + 1)
    return tuple(taken)


def take_step(
    database: sqlite3.Connection, scripts: Sequence[str], is_needed: Callable[[], bool]
) -> bool:
    """Run scripts in one transaction, in which no other process can change the file, unless they
    are not needed there. Return whether they ran. If one fails, none has an effect. Raises errors
    of SQLite and of `is_needed`."""
    database.execute("BEGIN IMMEDIATE")
    try:
        needed = is_needed()
        for script in scripts if needed else ():
            for statement in statements_of(script):
                database.execute(statement)
        database.execute("COMMIT")
    except BaseException:
        if database.in_transaction:
            database.execute("ROLLBACK")
        raise
    return needed


def known_version(database: sqlite3.Connection, known: int, name: str) -> int:
    """Return how many scripts the file has run. Raises IndexTooNew above `known`."""
    (version,) = database.execute("PRAGMA user_version").fetchone()
    if version > known:
        raise IndexTooNew(
            f"{name} has schema {version}, but this version of Pincite knows up to"
            f" {known}: a newer version wrote it",
            hint="pip install --upgrade pincite",
        )
    return int(version)


def statements_of(script: str) -> list[str]:
    """Return the statements of a script. `executescript` would commit before the first one, so they
    could not be in one transaction."""
    found: list[str] = []
    waiting = ""
    for piece in script.split(";"):
        waiting += f"{piece};"
        if sqlite3.complete_statement(waiting):
            found.append(waiting)
            waiting = ""
    if waiting.strip():  # it ends with a comment, or SQLite says what it lacks
        found.append(waiting)
    return found
