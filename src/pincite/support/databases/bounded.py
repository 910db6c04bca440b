"""Limits for statements on a SQLite file that somebody else may have made.

SQLite evaluates expressions of a file when it reads its schema, before a program can check them: a
computed column of `sqlite_stat1` is one. So the limits are set before the first statement.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Final

_SCHEMA_S: Final = 5.0  # ours are read in less than a millisecond
_SCHEMA_BYTES: Final = 16 * 1024  # the longest definition of ours has less than 1,000
_LIKE_BYTES: Final = 1  # a longer pattern may take for ever; no statement of ours has any


@contextmanager
def bounded(
    database: sqlite3.Connection, most_s: float, most_bytes: int | None = None, every: int = 1_000
) -> Iterator[None]:
    """Limit the statements of a connection within the context. A statement fails when this thread
    has used `most_s` seconds of processor time since the context began, and at a value or row of
    more than `most_bytes` bytes. Waits for locks and for the disk do not count. The clock and
    Ctrl-C are checked after every `every` instructions of SQLite. A connection has one such context
    at a time, used in one thread. Raises sqlite3.OperationalError, KeyboardInterrupt."""
    ends = time.thread_time() + most_s
    limits = [(sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, _LIKE_BYTES)]
    if most_bytes is not None:
        limits.append((sqlite3.SQLITE_LIMIT_LENGTH, most_bytes))
    before = [(which, database.setlimit(which, most)) for which, most in limits]
    database.set_progress_handler(lambda: time.thread_time() > ends, every)
    try:
        yield
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
            raise
        if time.thread_time() <= ends:  # Ctrl-C in the function above, whose errors SQLite drops
            raise KeyboardInterrupt from None
        said = f"reading it takes more than {most_s:g} s of processor time"
        raise sqlite3.OperationalError(said) from error
    finally:
        database.set_progress_handler(None, 0)
        for which, most in before:
            database.setlimit(which, most)


def bounded_schema(database: sqlite3.Connection) -> AbstractContextManager[None]:
    """Return `bounded` for the first statement, with which SQLite reads the schema. No function of
    SQLite takes longer than some milliseconds with values as short as these."""
    return bounded(database, _SCHEMA_S, _SCHEMA_BYTES, every=10)
