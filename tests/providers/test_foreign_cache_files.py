"""A setting may name any file: Pincite changes only caches of its own, and empties only damaged
ones."""

from __future__ import annotations

import logging
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from pincite.errors import IndexTooNew, PinciteError, StoreError
from pincite.providers.dense.vector_cache import VectorCache
from pincite.providers.llm.note_cache import NoteCache
from pincite.support.databases.sqlite_schema import connect_to_identify

KEY, OTHER = b"k" * 16, b"o" * 16


class Vectors:
    """The cache of vectors as the tests use it."""

    def __init__(self, path: Path) -> None:
        self.cache = VectorCache(path, 10_000_000)
        self.ask = (self.cache.status, self.cache.clear)

    def put(self, *keys: bytes) -> None:
        self.cache.put("model", {key: np.ones((1, 64), np.float32) for key in keys})

    def has(self, key: bytes) -> bool:
        return key in self.cache.get([key], 64)

    def close(self) -> None:
        self.cache.close()


class Notes:
    """The same of a cache of texts."""

    def __init__(self, path: Path) -> None:
        self.cache = NoteCache(path)
        self.ask = (self.cache.kept, self.cache.forget)

    def put(self, *keys: bytes) -> None:
        self.cache.put(dict.fromkeys(keys, "A cat."))

    def has(self, key: bytes) -> bool:
        return key in self.cache.get([key])

    def close(self) -> None:
        """It never is open."""


Kind = type[Vectors] | type[Notes]
KINDS = pytest.mark.parametrize("kind", [Vectors, Notes])


def text(path: Path) -> None:
    path.write_text("# What I never want to lose\n" * 100)


def one_line(path: Path) -> None:
    path.write_text("a\n")


def header_only(path: Path) -> None:
    path.write_bytes(b"SQLite format 3\0" + b"x" * 500)


def database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, title TEXT)")
        db.execute("CREATE TABLE vectors (id INTEGER PRIMARY KEY, x)")


def marked_database(path: Path) -> None:
    database(path)
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA application_id = 7")


def marked_without_tables(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA application_id = 77")


def without_tables(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA user_version = 7")


def same_columns(path: Path) -> None:
    """Tables of the user with the names and columns of ours."""
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, key TEXT, note TEXT)")
        db.execute("INSERT INTO notes (key, note) VALUES ('shopping', 'Buy milk.')")


def same_columns_of_vectors(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE models (id INTEGER PRIMARY KEY, fingerprint TEXT)")
        db.execute("CREATE TABLE vectors (id INTEGER PRIMARY KEY, key, model, used_at, vector)")


ROWS = "WITH of (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM of WHERE n < 400) SELECT n FROM of"


def leave(path: Path, journal: str, *statements: str) -> None:
    """Make a file of `a` as a process leaves it that is killed after the statements."""
    there = path.with_name("there")
    with closing(sqlite3.connect(there, isolation_level=None)) as db:
        db.execute(f"PRAGMA journal_mode = {journal}")
        db.execute(f"CREATE TABLE a AS SELECT hex(zeroblob(250)) AS x FROM ({ROWS})")
        for statement in statements:
            db.execute(statement)
        for ending in ("", "-wal", "-journal"):
            if (one := path.with_name(f"there{ending}")).exists():
                shutil.copy(one, path.with_name(path.name + ending))
    there.unlink()


def killed_while_it_wrote(path: Path) -> None:
    spill = ("PRAGMA cache_size = 2", "PRAGMA synchronous = OFF", "BEGIN")
    leave(path, "DELETE", *spill, "UPDATE a SET x = 'w' || x")
    assert path.with_name(f"{path.name}-journal").stat().st_size > 0


def killed_with_a_log(path: Path) -> None:
    leave(path, "WAL", "PRAGMA wal_checkpoint", "INSERT INTO a VALUES (1)")
    assert path.with_name(f"{path.name}-wal").stat().st_size > 0


def killed_with_all_in_its_log(path: Path) -> None:
    """The file itself has no tables yet."""
    leave(path, "WAL")


def damaged_database(path: Path) -> None:
    database(path)
    raw = path.read_bytes()
    path.write_bytes(raw[:100] + b"\xff" * (len(raw) - 100))


def fill(kind: Kind, path: Path, *keys: bytes) -> None:
    with closing(kind(path)) as cache:
        cache.put(*keys)


def pragma(path: Path, name: str) -> int:
    with closing(sqlite3.connect(path)) as db:
        ((found,),) = db.execute(f"PRAGMA {name}")
    return int(found)


def damage(path: Path) -> None:
    """Leave the header, which has the mark."""
    raw = path.read_bytes()
    path.write_bytes(raw[:100] + b"\xff" * (len(raw) - 100))


def cut(path: Path) -> None:
    raw = path.read_bytes()
    path.write_bytes(raw[: len(raw) // 2])


@KINDS
@pytest.mark.parametrize(
    "make",
    [
        text,
        one_line,
        header_only,
        database,
        marked_database,
        marked_without_tables,
        without_tables,
        same_columns,
        same_columns_of_vectors,
        killed_while_it_wrote,
        killed_with_a_log,
        killed_with_all_in_its_log,
        damaged_database,
    ],
)
def test_a_file_of_another_program_stays_as_it_is(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, kind: Kind, make: Callable[[Path], None]
) -> None:
    path = tmp_path / "precious"
    make(path)
    path.chmod(0o644)
    before = {one: one.read_bytes() for one in tmp_path.iterdir()}
    cache = kind(path)
    with caplog.at_level(logging.WARNING, "pincite"):
        for _ in range(2):  # a run costs no more than without a cache
            cache.put(KEY)
            assert not cache.has(KEY)
    (warning,) = caplog.messages
    assert f"{path} is a file of another program, or a damaged cache" in warning
    assert f"remove {path}; if not, name another file in PINCITE_CACHE" in warning
    for ask in cache.ask:
        with pytest.raises(StoreError, match="a file of another program"):
            ask()
    cache.close()
    assert {one: one.read_bytes() for one in tmp_path.iterdir()} == before
    assert path.stat().st_mode & 0o777 == 0o644


@KINDS
def test_a_file_of_a_newer_version_is_neither_used_nor_changed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, kind: Kind
) -> None:
    path = tmp_path / "cache.db"
    fill(kind, path, KEY)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE later (x)")
        db.execute("PRAGMA user_version = 2")
    before = path.read_bytes()
    cache = kind(path)
    with caplog.at_level(logging.WARNING, "pincite"):
        for _ in range(2):
            cache.put(OTHER)
            assert not cache.has(KEY)
    (warning,) = caplog.messages
    assert "a newer version wrote it" in warning
    for ask in cache.ask:
        with pytest.raises(IndexTooNew):
            ask()
    cache.close()
    assert path.read_bytes() == before


@KINDS
def test_a_file_of_an_earlier_version_without_a_mark_is_used_and_gets_one(
    tmp_path: Path, kind: Kind
) -> None:
    path = tmp_path / "cache.db"
    fill(kind, path, KEY)
    mark = pragma(path, "application_id")
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA application_id = 0")
        if kind is Notes:
            db.execute("PRAGMA user_version = 0")
    with closing(kind(path)) as cache:
        assert cache.has(KEY)
    assert pragma(path, "application_id") == mark != 0
    assert pragma(path, "user_version") == 1  # earlier versions empty the file of another one


EARLIER = {
    Vectors: """
CREATE TABLE IF NOT EXISTS models (id INTEGER PRIMARY KEY, fingerprint TEXT UNIQUE NOT NULL);
CREATE TABLE IF NOT EXISTS vectors (
    id INTEGER PRIMARY KEY, key BLOB UNIQUE NOT NULL, model INTEGER NOT NULL,
    used_at INTEGER NOT NULL, vector BLOB NOT NULL
);
CREATE INDEX IF NOT EXISTS vectors_by_use ON vectors (used_at);
""",
    Notes: "CREATE TABLE IF NOT EXISTS notes"
    " (id INTEGER PRIMARY KEY AUTOINCREMENT, key BLOB UNIQUE NOT NULL, note TEXT NOT NULL)",
}


@KINDS
def test_the_tables_of_earlier_versions_are_known(tmp_path: Path, kind: Kind) -> None:
    path = tmp_path / "cache.db"
    with closing(sqlite3.connect(path)) as db:
        db.executescript(EARLIER[kind])
    with closing(kind(path)) as cache:
        cache.put(KEY)
        assert cache.has(KEY)


@KINDS
def test_no_process_finds_a_file_without_its_mark(tmp_path: Path, kind: Kind) -> None:
    """While a file is made, it is empty or marked at every statement."""
    path = tmp_path / "cache.db"
    seen: list[tuple[int, int]] = []

    def look(_statement: str) -> None:
        with closing(connect_to_identify(path)) as db:
            ((mark,),) = db.execute("PRAGMA application_id")
        seen.append((path.stat().st_size, mark))

    cache = kind(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.set_trace_callback(look)
        cache.cache._lay_out(db)
        db.set_trace_callback(None)
        look("")
    cache.close()
    marks = [mark for size, mark in seen if size]
    assert len(seen) > len(marks) > 0
    assert set(marks) == {cache.cache._mark}


def test_a_file_has_its_mark_before_it_has_a_log(tmp_path: Path) -> None:
    """So it is known when a process was killed."""
    path, left = tmp_path / "cache.db", tmp_path / "left.db"
    with closing(Vectors(path)) as cache:
        cache.put(KEY)
        for ending in ("", "-wal"):
            shutil.copy(path.with_name(path.name + ending), left.with_name(left.name + ending))
    with closing(Vectors(left)) as cache:
        assert cache.has(KEY)


def test_a_cache_is_used_whose_process_was_killed_while_it_wrote(tmp_path: Path) -> None:
    path, left = tmp_path / "cache.db", tmp_path / "left.db"
    fill(Notes, path, KEY, *(bytes([number]) * 16 for number in range(200)))
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        for statement in ("PRAGMA cache_size = 2", "PRAGMA synchronous = OFF", "BEGIN"):
            db.execute(statement)
        db.execute("UPDATE notes SET note = hex(zeroblob(500))")
        for ending in ("", "-journal"):
            shutil.copy(path.with_name(path.name + ending), left.with_name(left.name + ending))
    assert NoteCache(left).get([KEY]) == {KEY: "A cat."}


@KINDS
@pytest.mark.parametrize("spoil", [damage, cut])
def test_a_damaged_file_is_emptied_by_a_writer_alone(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, kind: Kind, spoil: Callable[[Path], None]
) -> None:
    path = tmp_path / "cache.db"
    fill(kind, path, *(bytes([number]) * 16 for number in range(200)))
    spoil(path)
    before = path.read_bytes()
    with closing(kind(path)) as cache:
        assert not cache.has(KEY)
        for ask in cache.ask:
            with pytest.raises(StoreError, match="is damaged"):
                ask()
    assert path.read_bytes() == before
    inode = path.stat().st_ino
    with closing(kind(path)) as cache:
        cache.put(KEY)
        assert cache.has(KEY)
        assert not cache.has(bytes([1]) * 16)
    assert path.stat().st_ino == inode
    assert caplog.messages == []


def test_what_another_process_stored_since_the_damage_was_found_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "cache.db"
    fill(Notes, path, KEY)
    damage(path)

    class Slow(NoteCache):
        """When it has found the damage, another process has found it as well."""

        def _close(self) -> None:
            super()._close()
            fill(Notes, path, KEY)

    Slow(path).put({OTHER: "A dog."})
    assert NoteCache(path).get([KEY, OTHER]) == {KEY: "A cat.", OTHER: "A dog."}


def test_others_may_have_a_file_open_that_is_emptied(tmp_path: Path) -> None:
    path = tmp_path / "cache.db"
    with closing(Vectors(path)) as one, closing(Vectors(path)) as other:
        one.put(KEY)
        assert other.has(KEY)
        other.cache._begin_again()
        assert not one.has(KEY)
        one.put(OTHER)
        assert other.has(OTHER)
    assert [one.name for one in tmp_path.iterdir()] == ["cache.db"]


def test_an_empty_file_is_no_cache_until_something_is_stored(tmp_path: Path) -> None:
    path = tmp_path / "cache.db"
    path.touch()
    with closing(Vectors(path)) as cache:
        assert cache.cache.status().models == {}
        assert cache.cache.clear() == 0
        assert path.stat().st_size == 0
        cache.put(KEY)
        assert cache.has(KEY)


def test_a_view_in_the_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cache.db"
    fill(Notes, path, KEY)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE VIEW other AS SELECT 1")
    with pytest.raises(PinciteError, match="has the view"):
        NoteCache(path).kept()
