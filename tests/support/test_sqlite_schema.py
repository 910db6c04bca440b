"""A SQLite file is brought up to date, and a newer one is left alone."""

from __future__ import annotations

import sqlite3

import pytest

from pincite.errors import IndexTooNew
from pincite.support.databases.sqlite_schema import migrate

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
    database.execute("ROLLBACK")
    assert database.execute("PRAGMA user_version").fetchone() == (0,)
    assert database.execute("SELECT name FROM sqlite_master").fetchall() == []


def test_a_file_of_a_newer_version_is_refused_by_name() -> None:
    database = sqlite3.connect(":memory:", isolation_level=None)
    migrate(database, STEPS, "the file")
    with pytest.raises(
        IndexTooNew, match="the file has schema 2, but this version of Pincite knows up to 1"
    ):
        migrate(database, STEPS[:1], "the file")
