"""Files of the cache of what models returned: only their user can read them, and they can be
erased."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

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


def forget_notes(path: Path) -> int:
    return NoteCache(path).forget()


def forget_wordings(path: Path) -> int:
    return Wordings(path).forget()


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


@pytest.mark.parametrize(
    ("fill", "forget"), [(fill_notes, forget_notes), (fill_wordings, forget_wordings)]
)
def test_a_text_that_was_deleted_is_not_in_the_file(
    tmp_path: Path, fill: Callable[[Path], None], forget: Callable[[Path], int]
) -> None:
    path = tmp_path / "cache.db"
    fill(path)
    assert SECRET.encode() in path.read_bytes()
    assert forget(path) == 1
    assert SECRET.encode() not in path.read_bytes()
    assert forget(path) == 0


def test_a_vector_that_was_deleted_is_not_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "cache.db"
    with closing(VectorCache(path, 1_000_000)) as cache:
        vector = np.arange(1, 65, dtype=np.float32)[None]
        cache.put("model@64", {KEY: vector})
        assert cache.clear() == 1
    assert vector.tobytes() not in path.read_bytes()


def test_a_cache_that_is_not_there_is_neither_counted_nor_created(tmp_path: Path) -> None:
    for cache in (notes_beside(tmp_path / "cache.db"), Wordings(tmp_path / "wordings.db")):
        assert (cache.kept(), cache.forget()) == (0, 0)
    assert list(tmp_path.iterdir()) == []
