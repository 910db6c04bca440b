"""A setting may name any file: Pincite changes only caches of its own, and empties only damaged
ones."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from pincite.errors import IndexTooNew, PinciteError, StoreError
from pincite.providers.dense.vector_cache import VectorCache
from pincite.providers.llm.note_cache import NoteCache

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
    "make", [text, one_line, header_only, database, marked_database, damaged_database]
)
def test_a_file_of_another_program_stays_as_it_is(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, kind: Kind, make: Callable[[Path], None]
) -> None:
    path = tmp_path / "precious"
    make(path)
    path.chmod(0o644)
    before, names = path.read_bytes(), sorted(tmp_path.iterdir())
    cache = kind(path)
    with caplog.at_level(logging.WARNING, "pincite"):
        for _ in range(2):  # a run costs no more than without a cache
            cache.put(KEY)
            assert not cache.has(KEY)
    (warning,) = caplog.messages
    assert f"{path} is a file of another program, or damaged" in warning
    assert "PINCITE_CACHE" in warning
    for ask in cache.ask:
        with pytest.raises(StoreError, match="a file of another program"):
            ask()
    cache.close()
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (before, 0o644)
    assert sorted(tmp_path.iterdir()) == names


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

        def _require_marked(self) -> None:
            super()._require_marked()
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
    with pytest.raises(PinciteError, match="has a view"):
        NoteCache(path).kept()
