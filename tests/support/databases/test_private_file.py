"""A private file is made and checked beside SQLite, which keeps its locks."""

from __future__ import annotations

import errno
import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pincite.providers.dense.vector_cache import VectorCache
from pincite.support.databases.private_file import require_private_file
from pincite.support.databases.private_sqlite import PrivateFile

_READS = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
print(db.execute("SELECT count(*) FROM one").fetchone()[0])
db.close()
"""
STEPS = ("PRAGMA application_id = 7; CREATE TABLE one (x);",)


def read_beside(path: Path) -> int:
    """What another process reads, which then lets go of the file: the last one deletes its log."""
    command = [sys.executable, "-c", _READS, str(path)]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def test_a_second_look_at_a_file_leaves_the_locks_of_the_first(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    first, second = (PrivateFile(path, "the test", 7, STEPS) for _ in range(2))
    with first.writing() as db:
        db.execute("INSERT INTO one VALUES (1)")
    assert second.rows("SELECT count(*) FROM one") == [(1,)]
    second.close()
    assert read_beside(path) == 1
    with first.writing() as db:
        db.execute("INSERT INTO one VALUES (2)")
    assert read_beside(path) == 2
    assert first.rows("SELECT count(*) FROM one") == [(2,)]
    first.close()


def test_the_file_is_its_users_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    assert require_private_file(path, make=True).st_size == 0
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o644)
    require_private_file(path, make=False)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [one.name for one in tmp_path.iterdir()] == ["a.db"]


def refuse(*_: object) -> None:
    raise PermissionError(errno.EPERM, "Operation not permitted")


def test_a_file_system_without_hard_links_has_private_files_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "link", refuse)
    path = tmp_path / "a.db"
    before = os.umask(0)
    try:
        require_private_file(path, make=True)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    cache = VectorCache(tmp_path / "cache.db", 1_000_000)
    cache.put("model@8", {b"k" * 16: np.ones((1, 8), np.float32)})
    assert cache.status().models == {"model@8": 1}
    cache.close()
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.db", "cache.db"]


def test_a_file_that_cannot_be_made_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pincite.support.databases.private_file.name_once", refuse)
    with pytest.raises(PermissionError):
        require_private_file(tmp_path / "a.db", make=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["link", "folder", "pipe", "nothing"])
def test_what_is_no_ordinary_file_is_refused(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a.db"
    if kind == "link":
        path.symlink_to(tmp_path / "elsewhere")
    elif kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    with pytest.raises(OSError, match=r"link|regular|directory|No such"):
        require_private_file(path, make=kind != "nothing")


def test_sqlite_opens_what_was_made(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    require_private_file(path, make=True)
    db = sqlite3.connect(path)
    db.execute("CREATE TABLE one (x)")
    db.close()
