"""Texts of models are kept for the next process; a cache that is damaged costs nothing."""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.providers.llm.wording_cache import Wordings

KEY = ("model", "1", "how is a key rotated?\n")


def test_what_one_process_kept_the_next_one_has(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "wordings.db"
    Wordings(path)[KEY] = "lex: rotate"
    later = Wordings(path)
    assert later.get(KEY) == "lex: rotate"
    for other in (("else", *KEY[1:]), ("model", "2", KEY[2]), (*KEY[:2], "another")):
        assert later.get(other) is None


def test_parts_of_a_key_do_not_run_into_each_other(tmp_path: Path) -> None:
    known = Wordings(tmp_path / "wordings.db")
    known["ab", "c", "d"] = "one"
    assert Wordings(known.path).get(("a", "bc", "d")) is None


def test_only_its_user_can_read_it_and_no_question_is_in_it(tmp_path: Path) -> None:
    path = tmp_path / "wordings.db"
    path.touch(mode=0o666)
    path.chmod(0o666)
    Wordings(path)[KEY] = "lex: rotate"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert b"how is a key" not in path.read_bytes()


def test_it_holds_the_newest_and_no_text_that_is_too_long(tmp_path: Path) -> None:
    path = tmp_path / "wordings.db"
    known = Wordings(path, most=5)
    for number in range(20):
        known["model", "1", str(number)] = f"lex: {number}"
    known["model", "1", "long"] = "x" * 1_000_000
    later = Wordings(path)
    held = [number for number in range(20) if later.get(("model", "1", str(number)))]
    assert held == [15, 16, 17, 18, 19]
    assert later.get(("model", "1", "long")) is None
    assert path.stat().st_size < 100_000


def test_a_damaged_file_begins_again(tmp_path: Path) -> None:
    path = tmp_path / "wordings.db"
    Wordings(path)["model", "1", "before"] = "lex: x"
    raw = path.read_bytes()
    path.write_bytes(raw[:100] + b"\xff" * (len(raw) - 100))
    known = Wordings(path)
    assert known.get(KEY) is None
    known[KEY] = "lex: rotate"
    assert Wordings(path).get(KEY) == "lex: rotate"


@given(st.integers(0, 20_000), st.binary(min_size=1, max_size=64))
def test_bytes_that_were_changed_anywhere_raise_nothing(
    tmp_path_factory: pytest.TempPathFactory, at: int, raw: bytes
) -> None:
    path = tmp_path_factory.mktemp("cache") / "wordings.db"
    Wordings(path)[KEY] = "lex: rotate"
    with path.open("r+b") as file:
        file.seek(at % path.stat().st_size)
        file.write(raw)
    known = Wordings(path)
    assert known.get(KEY) is None or isinstance(known[KEY], str)
    known["model", "1", "next"] = "vec: x"
    assert known["model", "1", "next"] == "vec: x"


@pytest.mark.parametrize("value", [b"\xff\xfe", 7, "x" * 50_000])
def test_what_is_no_text_of_ours_is_not_taken(tmp_path: Path, value: object) -> None:
    path = tmp_path / "wordings.db"
    Wordings(path)[KEY] = "lex: rotate"
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("CREATE TABLE copy AS SELECT * FROM wordings")
        db.execute("DROP TABLE wordings")
        db.execute("CREATE TABLE wordings (id INTEGER PRIMARY KEY, key BLOB UNIQUE, text)")
        db.execute("INSERT INTO wordings SELECT id, key, ? FROM copy", (value,))
    assert Wordings(path).get(KEY) is None


def test_a_pipe_a_link_or_a_folder_in_its_place_is_left_alone(tmp_path: Path) -> None:
    pipe, link, folder, target = (tmp_path / name for name in ("pipe", "link", "folder", "target"))
    os.mkfifo(pipe)
    target.write_text("precious")
    link.symlink_to(target)
    folder.mkdir()
    for path in (pipe, link, folder, tmp_path / "target" / "below", Path("/proc/wordings.db")):
        known = Wordings(path)
        known[KEY] = "lex: rotate"
        assert known[KEY] == "lex: rotate"
        assert Wordings(path).get(KEY) is None
    assert target.read_text() == "precious"


def test_a_file_that_somebody_else_writes_to_delays_no_search(tmp_path: Path) -> None:
    path = tmp_path / "wordings.db"
    Wordings(path)[KEY] = "lex: rotate"
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("BEGIN EXCLUSIVE")
        known = Wordings(path)
        assert known.get(KEY) is None
        known["model", "1", "next"] = "vec: x"
        assert known["model", "1", "next"] == "vec: x"
        db.execute("ROLLBACK")
    assert Wordings(path).get(KEY) == "lex: rotate"


def test_without_a_file_it_is_a_memory() -> None:
    known = Wordings(None)
    known[KEY] = "lex: rotate"
    assert dict(known) == {KEY: "lex: rotate"}
    del known[KEY]
    assert known.get(KEY) is None
