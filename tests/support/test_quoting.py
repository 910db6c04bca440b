"""Names in quotes, as git prints them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.support.quoting import quoted, unquoted
from tests.sources.helpers import git

ODD = ("two\nlines", 'a"b', "a\\b", "\x1b[2J", "\u202eback", "tab\t", "\x7f", "plain name")


@given(st.text())
def test_a_quoted_name_is_read_as_it_was(name: str) -> None:
    assert unquoted(quoted(name)) == name or quoted(name) == name


@pytest.mark.parametrize("name", ODD)
def test_what_follows_a_name_stays(name: str) -> None:
    assert unquoted(f"{quoted(name)}:1-2") == f"{name}:1-2"


@pytest.mark.parametrize("text", ['"', '"a', 'a"b"', '"\\x":1', '"\\777":1', '"\\377":1', '"\\"'])
def test_what_is_no_quoted_name_stays(text: str) -> None:
    assert unquoted(text) == text


def test_names_that_git_quotes_are_read(tmp_path: Path) -> None:
    for name in ODD:
        (tmp_path / name).write_text("x")
    git(tmp_path, "init", "-q")
    listed = git(tmp_path, "ls-files", "--others").splitlines()
    assert sorted(map(unquoted, listed)) == sorted(ODD)
