"""Locks between processes, by `flock` and by SQLite: the same tests for both."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from pincite.support.processes import locks
from pincite.support.processes.locks import HELD, is_held, open_lock, remove_lock, said_in, say_in

HOLDS = """
import sys
from pathlib import Path
from pincite.support.processes import locks
locks.FLOCK = sys.argv[2] == "flock"
lock = locks.open_lock(Path(sys.argv[1]))
assert lock.take()
print("taken", flush=True)
sys.stdin.read()
"""


@pytest.fixture(params=["flock", "sqlite"])
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """How locks are taken."""
    monkeypatch.setattr(locks, "FLOCK", request.param == "flock")
    return str(request.param)


def holder(path: Path, kind: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", HOLDS, str(path), kind]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "taken\n"
    return process


def end(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate(timeout=600)


def test_what_another_process_has_is_not_taken_until_it_is_killed(
    kind: str, tmp_path: Path
) -> None:
    path = tmp_path / "owner.lock"
    process = holder(path, kind)
    lock = open_lock(path)
    try:
        assert not lock.take()
        assert not lock.take(shared=True)
        assert is_held(path)
        end(process)
        assert not is_held(path)
        assert lock.take()
    finally:
        end(process)
        lock.close()
    left = {one.name for one in tmp_path.iterdir()}
    assert left <= {"owner.lock", f"owner.lock{HELD}"}


def test_two_open_locks_of_one_process_keep_each_other_out(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "owner.lock"
    first, second = open_lock(path), open_lock(path)
    assert first.take()
    assert not second.take()
    first.close()
    assert second.take()
    second.close()


def test_those_who_share_keep_out_whoever_does_not(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "owner.lock"
    one, another, alone = (open_lock(path) for _ in range(3))
    assert one.take(shared=True)
    assert another.take(shared=True)
    assert not is_held(path)
    assert not alone.take()
    one.close()
    another.close()
    assert alone.take()
    assert is_held(path)
    alone.close()


def test_a_lock_that_is_shared_is_not_taken_for_one_alone(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "owner.lock"
    one, another = open_lock(path), open_lock(path)
    assert one.take(shared=True)
    assert another.take(shared=True)
    assert not one.take()
    another.close()
    assert one.take()
    assert one.take()
    assert is_held(path)
    assert one.take(shared=True)
    assert not is_held(path)
    one.close()


def test_looking_whether_a_lock_is_held_does_not_let_go_of_it(kind: str, tmp_path: Path) -> None:
    """As closing any descriptor of a file lets go of POSIX locks on it."""
    path = tmp_path / "owner.lock"
    lock = open_lock(path)
    assert lock.take()
    looks = "import sys; from pathlib import Path; from pincite.support.processes import locks;"
    looks += "locks.FLOCK = sys.argv[2] == 'flock'; print(locks.is_held(Path(sys.argv[1])))"
    for _ in range(2):
        assert is_held(path)
        command = [sys.executable, "-c", looks, str(path), kind]
        assert subprocess.check_output(command, text=True) == "True\n"
    lock.close()


def test_what_is_said_in_a_lock_is_read_while_it_is_held(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "owner.lock"
    lock, other = open_lock(path), open_lock(path)
    assert lock.take()
    say_in(lock, b"4711      ")
    say_in(lock, b"815       ")
    assert said_in(other) == b"815       "
    lock.close()
    other.close()


def test_files_of_a_lock_are_for_their_user_alone(kind: str, tmp_path: Path) -> None:
    mask = os.umask(0)
    try:
        open_lock(tmp_path / "owner.lock").close()
    finally:
        os.umask(mask)
    assert {one.stat().st_mode & 0o777 for one in tmp_path.iterdir()} == {0o600}


def test_a_lock_that_is_not_there_is_not_held_and_not_made(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "owner.lock"
    assert not is_held(path)
    with pytest.raises(FileNotFoundError):
        open_lock(path, make=False)
    remove_lock(path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("hostile", ["garbage", "folder", "link", "pipe"])
def test_what_is_no_lock_of_ours_is_an_error_and_is_left_alone(
    hostile: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "FLOCK", False)
    path, held = tmp_path / "owner.lock", tmp_path / f"owner.lock{HELD}"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_bytes(b"precious")
    if hostile == "garbage":
        held.write_bytes(b"no database" * 1000)
    elif hostile == "folder":
        held.mkdir()
    elif hostile == "link":
        held.symlink_to(elsewhere)
    else:
        os.mkfifo(held)
    with pytest.raises(OSError, match=r"link|regular file|directory|has content"):
        opened_and_taken(path)
    assert elsewhere.read_bytes() == b"precious"


def opened_and_taken(path: Path) -> None:
    lock = open_lock(path)
    try:
        lock.take()
    finally:
        lock.close()


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
@pytest.mark.parametrize("write", [False, True])
def test_a_lock_with_content_is_that_of_others(kind: str, tmp_path: Path, write: bool) -> None:
    """SQLite would read its schema, and compute what that computes."""
    path = tmp_path / "owner.lock"
    path.touch(0o600)
    with closing(sqlite3.connect(f"{path}{HELD}")) as db:
        db.execute("CREATE TABLE planted (x)")
    with pytest.raises(OSError, match="has content, which no lock"):
        open_lock(path, write=write)
