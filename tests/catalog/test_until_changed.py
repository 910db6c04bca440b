"""Values of a database are cached until it changes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from pincite.catalog.until_changed import UntilChanged


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "one.db"


@pytest.fixture
def database(file: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(file, isolation_level=None)) as opened:
        opened.execute("CREATE TABLE names (name TEXT)")
        yield opened


def test_values_stay_while_nothing_changes(database: sqlite3.Connection) -> None:
    cached = UntilChanged[str, int](database, 10)
    assert cached.current() == {}
    cached.keep("a", 1, 4)
    database.execute("SELECT name FROM names").fetchall()
    assert cached.current() == {"a": 1}


def test_a_change_of_the_same_connection_empties_the_cache(database: sqlite3.Connection) -> None:
    cached = UntilChanged[str, int](database, 10)
    cached.current()
    cached.keep("a", 1, 4)
    database.execute("INSERT INTO names VALUES ('one')")
    assert cached.current() == {}


def test_a_change_of_another_connection_empties_the_cache(
    database: sqlite3.Connection, file: Path
) -> None:
    cached = UntilChanged[str, int](database, 10)
    cached.current()
    cached.keep("a", 1, 4)
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("INSERT INTO names VALUES ('one')")
    assert cached.current() == {}


def test_a_full_cache_is_emptied_and_a_value_that_is_too_large_is_not_kept(
    database: sqlite3.Connection,
) -> None:
    cached = UntilChanged[str, int](database, 10)
    cached.current()
    cached.keep("a", 1, 6)
    cached.keep("b", 2, 6)
    assert cached.current() == {"b": 2}
    cached.keep("c", 3, 11)
    assert cached.current() == {}
    cached.keep("d", 4, 10)
    assert cached.current() == {"d": 4}
