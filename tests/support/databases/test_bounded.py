"""Statements on a SQLite file of others end."""

from __future__ import annotations

import _thread
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from pincite.support.databases.bounded import bounded, bounded_schema

ENDLESS = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


@pytest.fixture
def database() -> sqlite3.Connection:
    return sqlite3.connect(":memory:", isolation_level=None)


def test_an_endless_statement_ends_with_the_time(database: sqlite3.Connection) -> None:
    with (
        pytest.raises(sqlite3.OperationalError, match=r"more than 0\.01 s"),
        bounded(database, 0.01),
    ):
        database.execute(ENDLESS).fetchone()
    assert database.execute("SELECT 1").fetchone() == (1,)


def test_a_wait_for_a_lock_does_not_count(tmp_path: Path) -> None:
    path = tmp_path / "waiting.db"
    with (
        closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as holder,
        closing(sqlite3.connect(path, isolation_level=None)) as database,
    ):
        holder.executescript("CREATE TABLE one (x); BEGIN EXCLUSIVE")
        timer = threading.Timer(0.5, holder.execute, ("ROLLBACK",))
        timer.start()
        with bounded(database, 0.2, every=1):
            assert database.execute("SELECT count(*) FROM one").fetchone() == (0,)
        timer.join()


def test_ctrl_c_ends_it(database: sqlite3.Connection) -> None:
    timer = threading.Timer(0.1, _thread.interrupt_main)
    timer.start()
    with pytest.raises(KeyboardInterrupt), bounded(database, 60):
        database.execute(ENDLESS).fetchone()
    timer.join()


def test_large_values_and_patterns_are_refused_until_the_end(database: sqlite3.Connection) -> None:
    large, pattern = "SELECT hex(zeroblob(10000))", "SELECT 'ab' LIKE '%b'"
    with bounded_schema(database):
        for statement, said in ((large, "too big"), (pattern, "too complex")):
            with pytest.raises(sqlite3.Error, match=said):
                database.execute(statement).fetchone()
    assert len(database.execute(large).fetchone()[0]) == 20_000
    assert database.execute(pattern).fetchone() == (1,)
