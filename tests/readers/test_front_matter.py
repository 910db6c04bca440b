"""Front matter is read as its writer meant it, and nothing in it hangs or runs."""

from __future__ import annotations

import re
from datetime import date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.readers.front_matter import front_matter_of
from pincite.readers.titles import title_of
from pincite.readers.untrusted_yaml import MOST_CHARS


def page(block: str, mark: str = "---") -> str:
    return f"{mark}\n{block}\n{mark}\n\n# Heading\n\nText.\n"


def test_scalars_and_lists_of_texts_are_values_and_the_rest_is_for_others() -> None:
    block = """title: A page
course: ml
year: 2026
share: 0.5
visible: true
due: 2026-11-22
topics: [nets, trees]
people:
  - Ada
empty:
nested: {a: 1}
tables: [{a: 1}]
"""
    found = front_matter_of(page(block))
    assert found.problem == ""
    assert found.values == {
        "title": "A page",
        "course": "ml",
        "year": 2026,
        "share": 0.5,
        "visible": True,
        "due": "2026-11-22",
        "topics": ["nets", "trees"],
        "people": ["Ada"],
    }


@pytest.mark.parametrize(
    "text", ["no", "yes", "on", "012", "12:30", "1_000", "0x1F", ".inf", "1e5"]
)
def test_what_only_old_yaml_takes_for_something_else_is_a_text(text: str) -> None:
    assert front_matter_of(page(f"a: {text}")).values == {"a": text}


def test_toml_stands_between_plus_signs() -> None:
    block = 'course = "ml"\nyear = 2026\nday = 2026-11-22\nat = 2026-11-22T10:00:00Z\n[more]\nx = 1'
    found = front_matter_of(page(block, "+++"))
    values = dict(found.values)
    assert values.pop("at") == datetime.fromisoformat("2026-11-22T10:00:00+00:00")
    assert values == {"course": "ml", "year": 2026, "day": date(2026, 11, 22)}


def test_a_mark_of_the_order_of_bytes_and_other_line_ends_do_not_hide_it() -> None:
    assert front_matter_of("\ufeff---\r\na: b\r\n...\r\ntext").values == {"a": "b"}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "---",
        "---\n",
        "---\na: b\n",
        "text\n---\na: b\n---\n",
        "----\na: b\n----\n",
        "--- a\n---\n",
    ],
)
def test_what_is_not_between_two_marks_at_the_beginning_is_none(text: str) -> None:
    found = front_matter_of(text)
    assert (dict(found.values), found.problem) == ({}, "")


def test_text_between_two_lines_is_no_front_matter_and_no_mistake() -> None:
    found = front_matter_of("---\nJust a sentence.\n---\n")
    assert (dict(found.values), found.problem) == ({}, "")


@pytest.mark.parametrize(
    ("block", "problem"),
    [
        ("a: [b", "expected"),
        ("a: b: c", "mapping values"),
        ("a: &x b\nc: *x", "aliases"),
        ("a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]", "aliases"),
        ("<<: *x", "aliases"),
        ("a: !!python/object/apply:os.system ['touch /tmp/x']", "tags"),
        ("a: !!bool x", "tags"),
        ("a: " + "[" * 30_000, "nesting depth|too deep"),  # PyYAML 6.0.4 says so itself
        ("\n".join(" " * depth + "a:" for depth in range(300)), "too deep"),
        ("a: [" + "1," * 10_000 + "1]", "too many"),
        ("a: " + "b" * MOST_CHARS, "are read"),
        ("a: \x00", "control characters"),
        ("? [a]\n: b", "unhashable"),
    ],
    ids=range(13),
)
def test_yaml_that_cannot_be_is_a_problem_in_one_line(block: str, problem: str) -> None:
    found = front_matter_of(page(block))
    assert dict(found.values) == {}
    assert re.search(problem, found.problem)
    assert "\n" not in found.problem
    assert len(found.problem) <= 120


@pytest.mark.parametrize(
    "block",
    ["a = ", ".".join("a" * 30_000) + " = 1", "a = " + "[" * 30_000, "a = " + "9" * 60_000],
    ids=range(4),
)
def test_toml_that_cannot_be_is_a_problem(block: str) -> None:
    found = front_matter_of(page(block, "+++"))
    assert dict(found.values) == {}
    assert found.problem


@given(st.text(alphabet="-+.: \n\"'[]{}&*!|>?#%@a1=\t\r\ud800\x00", max_size=200))
def test_any_text_has_front_matter_or_none(block: str) -> None:
    for mark in ("---", "+++"):
        found = front_matter_of(page(block, mark))
        assert not (found.values and found.problem)


def test_items_that_are_no_texts_become_texts_and_null_is_none() -> None:
    block = "tags: [2024, draft]\nyears: [2023, 2024]\nsome: [a, null]\nmany: [true, 1.5]\nno: [~]"
    assert front_matter_of(page(block)).values == {
        "tags": ["2024", "draft"],
        "years": ["2023", "2024"],
        "some": ["a"],
        "many": ["true", "1.5"],
        "no": [],
    }
    assert front_matter_of(page("on = [2026-11-22, 3]", "+++")).values == {
        "on": ["2026-11-22", "3"]
    }


@pytest.mark.parametrize(
    ("block", "title"),
    [
        ("title: Its own", "Its own"),
        ("course: ml", "Heading"),
        ("title: Foo # c", "Foo"),
        ("title: >-\n  A long\n  title", "A long title"),
        ("title: null", "Heading"),
        ("title: []", "Heading"),
        ("title: 'It''s fine'", "It's fine"),
        ("title: 1984", "1984"),
        ("title: Rust: a tour", "Rust: a tour"),  # no YAML, and frequent
        ("other:\n  title: Of another", "Heading"),
    ],
)
def test_the_title_is_what_the_front_matter_says(block: str, title: str) -> None:
    for text in (page(block), f"\ufeff{page(block)}", page(block).replace("\n", "\r\n")):
        assert title_of(text, "a.md", "markdown") == title


def test_toml_has_a_title_as_well() -> None:
    assert title_of(page('title = "Its own" # c', "+++"), "a.md", "markdown") == "Its own"
    hostile = page(f"title = 0x{'f' * 60_000}", "+++")
    assert title_of(hostile, "a.md", "markdown")
    assert front_matter_of(hostile).problem
