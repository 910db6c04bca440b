"""Paths that were misspelt are near those that are there, however many there are."""

from __future__ import annotations

from difflib import get_close_matches
from itertools import islice
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.scope.near import near_names, near_paths
from tests.time_limits import GROWS_S

PATHS = (
    "src/app.py",
    "src/pincite/near.py",
    "docs/keys.md",
    "docs/backups.md",
    "README.md",
    "tests/test_app.py",
)


@pytest.mark.parametrize(
    ("glob", "best"),
    [
        ("scr/*.py", "src/app.py"),
        ("apps.py", "src/app.py"),
        ("src/pincit/*.py", "src/pincite/near.py"),
        ("./docs/key.md", "docs/keys.md"),
        ("Docs\\kesy.md", "docs/keys.md"),
        ("docs/backup", "docs/backups.md"),
        ("READM.md", "README.md"),
        ("test/test_ap*", "tests/test_app.py"),
    ],
)
def test_the_nearest_path_comes_first(glob: str, best: str) -> None:
    assert near_paths([glob], PATHS, 3)[0] == best


@pytest.mark.parametrize("glob", ["", "*", "zzz", "/", "../..", "[", "?", "a" * 100_000])
def test_nothing_is_near_what_is_like_nothing(glob: str) -> None:
    assert near_paths([glob], PATHS, 3) == ()


@given(st.lists(st.text(max_size=30), max_size=4), st.lists(st.text(max_size=30), max_size=20))
def test_what_is_near_is_there_each_once_and_in_any_order_the_same(
    globs: list[str], paths: list[str]
) -> None:
    found = near_paths(globs, paths, 3)
    assert len(found) == len(set(found)) <= 3
    assert set(found) <= set(paths)
    assert found == near_paths(globs, reversed(paths), 3)


def test_of_many_paths_those_that_hold_a_name_are_looked_at() -> None:
    many = [f"pkg{n}/mod/file_{n}.py" for n in range(150_000)]
    assert near_paths(["pgk/file_149999.py"], many, 1) == ("pkg149999/mod/file_149999.py",)


def test_names_are_near_by_their_letters() -> None:
    assert near_names(["htpx"], ["httpx", "fastapi"], 3) == ("httpx",)
    assert near_names(["zzz"], ["httpx", "fastapi"], 3) == ()


@given(
    st.lists(st.text("abcd", max_size=12), max_size=3),
    st.lists(st.text("abcd", max_size=12), max_size=12),
)
def test_near_names_are_close_matches(names: list[str], known: list[str]) -> None:
    close = (one for name in names for one in get_close_matches(name, known, 3))
    assert near_names(names, known, 3) == tuple(islice(dict.fromkeys(close), 3))


def test_names_of_one_letter_do_not_hang() -> None:
    known = [f"{'a' * 80}{n}" for n in range(4_000)]
    begun = process_time()
    found = near_names(["a" * 80] * 8, known, 3)
    assert process_time() - begun < GROWS_S / 6  # it took half a minute
    assert len(found) == 3


def test_a_path_of_many_folders_and_names_of_one_letter_do_not_hang() -> None:
    known = [f"{'a' * 68}{n}/b" for n in range(4_000)]
    begun = process_time()
    near_paths(["/".join(f"{'a' * 70}{n}" for n in range(50))], known, 3)
    assert process_time() - begun < GROWS_S
