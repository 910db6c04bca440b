"""A SQLite file is brought up to date, and a newer one is left alone."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest

from pincite.errors import IndexTooNew
from pincite.support.databases.sqlite_schema import (
    is_of_another_program,
    migrate,
    take_step,
    use_log,
)

STEPS = ("CREATE TABLE a (x)", "CREATE TABLE b (x); INSERT INTO b VALUES (1)")


def test_each_step_is_taken_once() -> None:
    database = sqlite3.connect(":memory:", isolation_level=None)
    for known in (STEPS[:1], STEPS, STEPS):
        migrate(database, known, "the file")
        assert database.execute("PRAGMA user_version").fetchone() == (len(known),)
    assert database.execute("SELECT count(*) FROM b").fetchone() == (1,)


def test_a_step_that_fails_leaves_nothing_behind() -> None:
    database = sqlite3.connect(":memory:", isolation_level=None)
    with pytest.raises(sqlite3.OperationalError):
        migrate(database, ("CREATE TABLE a (x); CREATE TABLE a (x)",), "the file")
    assert not database.in_transaction
    assert database.execute("PRAGMA user_version").fetchone() == (0,)
    assert database.execute("SELECT name FROM sqlite_master").fetchall() == []


def test_a_step_that_another_process_has_taken_meanwhile_does_not_run() -> None:
    database = sqlite3.connect(":memory:", isolation_level=None)
    assert not take_step(database, STEPS, lambda: False)
    assert not database.in_transaction
    assert database.execute("SELECT name FROM sqlite_master").fetchall() == []
    assert take_step(database, STEPS, lambda: True)
    assert database.execute("SELECT count(*) FROM b").fetchone() == (1,)


def test_a_file_of_a_newer_version_is_refused_by_name() -> None:
    database = sqlite3.connect(":memory:", isolation_level=None)
    migrate(database, STEPS, "the file")
    with pytest.raises(
        IndexTooNew, match="the file has schema 2, but this version of Pincite knows up to 1"
    ):
        migrate(database, STEPS[:1], "the file")


def test_a_script_may_end_with_a_comment_but_not_within_a_statement() -> None:
    database = sqlite3.connect(":memory:", isolation_level=None)
    assert migrate(database, ("CREATE TABLE a (x) -- the first",), "the file") == (1,)
    assert database.execute("SELECT count(*) FROM a").fetchone() == (0,)
    with pytest.raises(sqlite3.OperationalError):
        migrate(database, ("", "CREATE TABLE b (x DEFAULT 'text)"), "the file")
    assert database.execute("PRAGMA user_version").fetchone() == (1,)


def connection(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, isolation_level=None, check_same_thread=False)


def test_a_step_is_taken_once_if_two_processes_begin_it(tmp_path: Path) -> None:
    steps = ("CREATE TABLE a (x)", "INSERT INTO a VALUES (1)")
    first, second = connection(tmp_path / "a.db"), connection(tmp_path / "a.db")

    def overtake(statement: str) -> None:
        if statement.startswith("BEGIN"):
            first.set_trace_callback(None)
            migrate(second, steps, "the file")

    first.set_trace_callback(overtake)
    assert migrate(first, steps, "the file") == ()
    assert first.execute("SELECT count(*) FROM a").fetchone() == (1,)
    assert first.execute("PRAGMA user_version").fetchone() == (2,)


def test_a_file_that_another_process_makes_at_that_moment_is_ours(tmp_path: Path) -> None:
    ours, other = connection(tmp_path / "a.db"), connection(tmp_path / "a.db")
    looked: list[str] = []

    def make(statement: str) -> None:
        looked.append(statement)
        if len(looked) == 2:  # between the two values that are compared
            other.executescript("BEGIN; CREATE TABLE a (x); PRAGMA application_id = 7; COMMIT")

    ours.set_trace_callback(make)
    assert not is_of_another_program(ours, 7)
    assert len(looked) == 2
    assert not is_of_another_program(ours, 7)
    assert is_of_another_program(ours, 8)


def test_a_file_without_tables_may_be_of_another_program(tmp_path: Path) -> None:
    one = connection(tmp_path / "a.db")
    assert not is_of_another_program(one, 7)
    one.execute("PRAGMA application_id = 77")
    assert is_of_another_program(one, 7)


def test_a_new_file_gets_its_log_after_another_process_has_let_go_of_it(tmp_path: Path) -> None:
    ours, other = connection(tmp_path / "a.db"), connection(tmp_path / "a.db")
    other.execute("BEGIN EXCLUSIVE")
    ours.execute("PRAGMA busy_timeout = 0")
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        use_log(ours, 0.0)
    timer = threading.Timer(0.2, other.execute, ("COMMIT",))
    timer.start()
    use_log(ours)
    timer.join()
    assert ours.execute("PRAGMA journal_mode").fetchone() == ("wal",)
