"""Descriptions go downwards by whole parts of a path, and nothing else is kept."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.model import Source
from pincite.model.descriptions import (
    MOST_DESCRIPTIONS,
    described,
    descriptions_of,
    indexed_description,
    place_of,
)

SOURCE = Source(
    *("s", "/s", "folder"),
    descriptions={"": "all", "a": "outer", "a/b": "inner", "a/b/c.md": "file", "ab": "other"},
)


def test_a_path_has_those_above_it_outermost_first() -> None:
    assert descriptions_of(SOURCE, "a/b/c.md") == ("all", "outer", "inner", "file")
    assert descriptions_of(SOURCE, "a/bc/d.md") == ("all", "outer")
    assert descriptions_of(SOURCE, "ab/x.md") == ("all", "other")
    assert descriptions_of(SOURCE, "x.md") == ("all",)


def test_encoders_read_the_innermost_first_and_not_too_much() -> None:
    assert indexed_description(SOURCE, "a/b/c.md") == "file inner outer all"
    long = Source("s", "/s", "folder", descriptions={"": "word " * 200})
    assert len(indexed_description(long, "x.md")) == 240


def test_later_words_win_empty_ones_remove_and_paths_count_from_the_part() -> None:
    kept = described({"docs/a": "old", "x": "stays"}, {"a/": "new", ".": "part"}, "docs/")
    assert kept == {"docs": "part", "docs/a": "new", "x": "stays"}
    assert described(kept, {"docs/a": " "}) == {"docs": "part", "x": "stays"}


@pytest.mark.parametrize(
    "path", ["..", "a/../b", "/a", "~/a", "a\\b", "a\x07", "x" * 4_097, "\ud800"]
)
def test_paths_that_lead_elsewhere_are_refused(path: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        place_of(path)


@pytest.mark.parametrize("text", [3, None, ["x"], "x" * 1_001, "\ud800"])
def test_what_is_no_description_is_refused(text: object) -> None:
    with pytest.raises(ValueError, match=r".+"):
        described({}, {"a": text})


def test_there_is_an_end_to_them() -> None:
    with pytest.raises(ValueError, match="the maximum is"):
        described({}, {f"a{n}": "x" for n in range(MOST_DESCRIPTIONS + 1)})


@given(st.lists(st.sampled_from(["", ".", "a", "b c"]), max_size=6))
def test_a_place_is_the_same_however_it_is_written(parts: list[str]) -> None:
    path = "/".join(parts).lstrip("/")
    assert place_of(place_of(path)) == place_of(path)
    assert place_of(f"./{path}/") == place_of(path)
