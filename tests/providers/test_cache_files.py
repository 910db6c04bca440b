"""Files of the cache of what models returned: only their user can read them, and they can be
erased."""

from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pincite.providers.dense.vector_cache import VectorCache
from pincite.providers.llm.note_cache import NoteCache, notes_beside
from pincite.providers.llm.wording_cache import Wordings

SECRET = "The passport of Ada."
KEY = b"k" * 16


def fill_vectors(path: Path) -> None:
    cache = VectorCache(path, 1_000_000)
    cache.put("model@8", {KEY: np.ones((1, 8), np.float32)})
    for one in path.parent.iterdir():  # the log of SQLite is there as long as the file is open
        assert mode_of(one) == 0o600, one
    cache.close()


def fill_notes(path: Path) -> None:
    NoteCache(path).put({KEY: SECRET})


def fill_wordings(path: Path) -> None:
    Wordings(path)["model", "1", "question"] = SECRET


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def forget_vectors(path: Path) -> int | None:
    with closing(VectorCache(path, 1_000_000)) as cache:
        return cache.clear()


def forget_notes(path: Path) -> int | None:
    return NoteCache(path).forget()


def forget_wordings(path: Path) -> int | None:
    return Wordings(path).forget()


@pytest.fixture
def careless(monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite as most builds of it are: what is deleted stays in the file until it is overwritten.
    Some distributions have builds that overwrite everything."""
    connect = sqlite3.connect

    def opened(*given: Any, **named: Any) -> sqlite3.Connection:
        db: sqlite3.Connection = connect(*given, **named)
        db.execute("PRAGMA secure_delete = OFF")
        return db

    monkeypatch.setattr(sqlite3, "connect", opened)


FILL = pytest.mark.parametrize("fill", [fill_vectors, fill_notes, fill_wordings])


@FILL
def test_a_new_cache_is_for_its_user_alone(tmp_path: Path, fill: Callable[[Path], None]) -> None:
    before = os.umask(0)
    try:
        fill(tmp_path / "made" / "cache.db")
    finally:
        os.umask(before)
    assert mode_of(tmp_path / "made") == 0o700
    assert mode_of(tmp_path / "made" / "cache.db") == 0o600


@FILL
def test_an_older_cache_that_others_can_read_is_closed_to_them(
    tmp_path: Path, fill: Callable[[Path], None]
) -> None:
    path = tmp_path / "cache.db"
    fill(path)
    log = path.with_name("cache.db-wal")
    for one in (path, log):
        one.touch()
        one.chmod(0o644)
    fill(path)
    assert mode_of(path) == 0o600
    assert not log.exists() or mode_of(log) == 0o600


@pytest.mark.usefixtures("careless")
@pytest.mark.parametrize(
    ("fill", "forget"), [(fill_notes, forget_notes), (fill_wordings, forget_wordings)]
)
def test_a_text_that_was_deleted_is_not_in_the_file(
    tmp_path: Path, fill: Callable[[Path], None], forget: Callable[[Path], int | None]
) -> None:
    path = tmp_path / "cache.db"
    fill(path)
    assert SECRET.encode() in path.read_bytes()
    assert forget(path) == 1
    assert SECRET.encode() not in path.read_bytes()
    assert forget(path) == 0


@pytest.mark.usefixtures("careless")
def test_what_an_earlier_version_removed_is_erased_with_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "n.db"
    notes = NoteCache(path)
    notes.put({n.to_bytes(16, "big"): f"{n} {SECRET * 30}" for n in range(100)})
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("DELETE FROM notes WHERE id < 100")
    assert SECRET.encode() in path.read_bytes()
    assert notes.forget() == 1
    assert SECRET.encode() not in path.read_bytes()


@pytest.mark.usefixtures("careless")
def test_vectors_that_an_earlier_version_removed_are_erased_with_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "v.db"
    one = np.arange(1, 65, dtype="<f4")
    with closing(VectorCache(path, 10_000_000)) as cache:
        cache.put("model", {n.to_bytes(16, "big"): (one + n)[None] for n in range(400)})
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("DELETE FROM vectors WHERE id < 300")
    held = path.read_bytes()
    assert sum((one + n).tobytes() in held for n in range(400)) > 101
    assert forget_vectors(path) == 101
    held = path.read_bytes()
    assert not any((one + n).tobytes() in held for n in range(400))
    with closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA freelist_count").fetchone() == (0,)


@pytest.mark.usefixtures("careless")
def test_a_text_that_makes_room_for_another_is_not_in_the_file(tmp_path: Path) -> None:
    notes, wordings = NoteCache(tmp_path / "n.db", 1), Wordings(tmp_path / "w.db", 1)
    for text in (SECRET, "b"):
        notes.put({text[:1].encode() * 16: text})
        wordings["model", "1", text] = text
    assert (notes.kept(), wordings.kept()) == (1, 1)
    assert SECRET.encode() not in (tmp_path / "n.db").read_bytes()
    assert SECRET.encode() not in (tmp_path / "w.db").read_bytes()


@pytest.mark.usefixtures("careless")
@pytest.mark.parametrize("count", [1, 50])
def test_a_vector_that_was_deleted_is_not_in_the_file(tmp_path: Path, count: int) -> None:
    path = tmp_path / "cache.db"
    vectors = [np.arange(i, i + 1024, dtype=np.float32)[None] for i in range(1, count + 1)]
    with closing(VectorCache(path, 10_000_000)) as cache:
        for number, vector in enumerate(vectors):
            cache.put("model@1024", {number.to_bytes(16, "big"): vector})
        assert cache.clear() == count
    kept = path.read_bytes()
    assert not [vector for vector in vectors if vector[:, :64].tobytes() in kept]


@pytest.mark.parametrize("writes", [True, False])
@pytest.mark.parametrize(
    ("fill", "forget"),
    [
        (fill_vectors, forget_vectors),
        (fill_notes, forget_notes),
        (fill_wordings, forget_wordings),
    ],
)
def test_a_cache_in_use_is_not_said_to_be_erased(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    fill: Callable[[Path], None],
    forget: Callable[[Path], int | None],
    writes: bool,
) -> None:
    for module in ("dense.vector_cache", "llm.note_cache", "llm.wording_cache"):
        monkeypatch.setattr(f"pincite.providers.{module}._BUSY_S", 0.01)
    path = tmp_path / "cache.db"
    fill(path)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE" if writes else "BEGIN")
        other.execute("SELECT count(*) FROM sqlite_master").fetchall()
        assert forget(path) is None


def test_a_cache_that_is_not_there_is_neither_counted_nor_created(tmp_path: Path) -> None:
    for cache in (notes_beside(tmp_path / "cache.db"), Wordings(tmp_path / "wordings.db")):
        assert (cache.kept(), cache.forget()) == (0, 0)
    assert list(tmp_path.iterdir()) == []


def test_texts_that_are_stored_again_push_out_no_others(tmp_path: Path) -> None:
    notes = NoteCache(tmp_path / "n.db", most=3)
    notes.put({b"a" * 16: "1", b"b" * 16: "2"})
    for _ in range(5):
        notes.put({b"b" * 16: "2"})
    assert notes.kept() == 2
    notes.put({b"c" * 16: "3", b"d" * 16: "4"})
    assert sorted(notes.get([letter * 16 for letter in (b"a", b"b", b"c", b"d")])) == [
        letter * 16 for letter in (b"b", b"c", b"d")
    ]


def test_a_text_that_cannot_be_stored_costs_no_run(tmp_path: Path) -> None:
    notes, wordings = NoteCache(tmp_path / "n.db"), Wordings(tmp_path / "w.db")
    notes.put({KEY: "\ud800", b"l" * 16: "a"})
    wordings["model", "1", "question"] = "\ud800"
    assert (notes.get([KEY]), notes.kept(), wordings.kept()) == ({}, 0, 0)
