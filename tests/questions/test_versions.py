"""Versions in questions, headings and passages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.questions.versions import (
    PassageVersions,
    asked_versions,
    canonical,
    has_body,
    sections,
    versions_in,
)

RST = (
    "Version 3.1.1\n-------------\n\nReleased 2025-05-13\n\nVersion 3.1.0\n-------------\n\nNew.\n"
)


@pytest.mark.parametrize(
    ("question", "versions"),
    [
        ("when was version 3.1.3 released?", {"3.1.3"}),
        ("what is new in 3.1.0", {"3.1"}),
        ("what changed in the flask 3.1.1 release?", {"3.1.1"}),
        ("was the flag removed in 2.0?", {"2.0"}),
        ("when was Flask 2.0 released?", {"2.0"}),
        ("upgrade from v1.4 to 2.0", {"1.4", "2.0"}),
        ("Version 3.1.0", {"3.1"}),
        ("flask 3.1.0 changelog", {"3.1"}),
        ("breaking changes in 2.0.0rc1", {"2.0rc1"}),
        ("which bugs were fixed in 2024.7.4", {"2024.7.4"}),
    ],
)
def test_a_question_is_about_a_version(question: str, versions: set[str]) -> None:
    asked = asked_versions(question)
    assert asked.all == versions
    assert asked.about


@pytest.mark.parametrize(
    ("question", "versions"),
    [
        ("how do I install flask 3.1.3?", {"3.1.3"}),
        ("requests 2.31.0: certificate verify failed", {"2.31"}),
        ("why was the header removed in 2.31.0", {"2.31"}),
        ("a timeout of 2.5 seconds", set()),
        ("what changed in 2.5 seconds", set()),
        ("does the loss change by 0.05 in the last step", set()),
        ("what was added on 192.168.0.1", set()),
        ("what changed on 15.01.2024 and 2024.01.15", set()),
        ("what changed on 2024-01-15", set()),
        ("which version removed the flag", set()),
        ("how does Python 3.8 start", set()),
    ],
)
def test_a_question_is_not_about_a_version(question: str, versions: set[str]) -> None:
    asked = asked_versions(question)
    assert asked.all == versions
    assert not asked.about


def test_a_long_text_is_no_question_about_a_version() -> None:
    assert not asked_versions("what is new in 3.1.0 " + "x " * 300).all


@pytest.mark.parametrize(
    "question",
    [
        "what changed between 2.0 and 2.1?",
        "what changed between flask 2.0 and version 2.1",
        "changes from version 2.0 to version 2.1",
        "what was removed since 2.0 until 2.1",
        "changes in 2.0 vs 2.1",
        "differences of 2.0 versus the release 2.1",
        "what changed in 2.0 compared to 2.1",
        "changes 2.0..2.1",
        "changelog 2.0...2.1",
        "what changed 2.0 -> 2.1",
        "upgrade from `2.0` to `2.1`",
    ],
)
def test_one_version_of_a_range_is_enough(question: str) -> None:
    ranged = asked_versions(question)
    assert ranged.all == {"2.0", "2.1"}
    assert ranged.lacking({"2.1"}) == ()
    assert ranged.lacking({"2.2"}) == ("2.0", "2.1")


@pytest.mark.parametrize(
    "question",
    [
        "what changed in 2.1.1 and 9.9.9",
        "what changed in 2.1.1 and what in 9.9.9",
        "what changed in 2.1.1, 9.9.9?",
        "was it fixed in 2.1.1 or in 9.9.9?",
        "which release is newer, 2.1.1 or 9.9.9, and where does it come from",
        "does flask 2.1.1 support werkzeug 9.9.9?",
        "was it fixed in 2.1.1 or 9.9.9",
    ],
)
def test_each_of_several_versions_counts(question: str) -> None:
    asked = asked_versions(question)
    assert asked.lacking({"2.1.1"}) == ("9.9.9",)
    assert asked.lacking({"2.1.1", "9.9.9"}) == ()


def test_versions_beside_a_range_count_alone() -> None:
    asked = asked_versions("what changed between 2.0 and 2.1 and in 9.9.9")
    assert asked.groups == (("2.0", "2.1"), ("9.9.9",))
    assert asked.lacking({"2.1"}) == ("9.9.9",)


def test_equal_versions_have_one_form() -> None:
    assert {canonical(one) for one in ("v2.0.0", "2.0", "V2.0.0.0")} == {"2.0"}
    assert canonical("2.0.0-rc.1") == canonical("2.0rc1")
    assert canonical("2.10") != canonical("2.1")


@given(st.lists(st.integers(0, 99), min_size=2, max_size=3), st.integers(1, 9))
def test_another_last_part_is_another_version(parts: list[int], more: int) -> None:
    version = ".".join(map(str, parts))
    assert canonical(f"{version}.{more}") != canonical(version)


def test_targets_of_links_name_no_version() -> None:
    line = "## [1.11.2](https://example.com/compare/v1.11.1...v1.11.2) (2026-08-17)"
    assert versions_in(line) == {"1.11.2"}
    assert versions_in("see https://example.com/2.0.1/ and flask-3.1.3.") == {"3.1.3"}


def test_headings_are_found_with_their_places() -> None:
    first, second = sections(RST)
    assert first == (0, frozenset(("3.1.1",)))
    assert second == (RST.index("Version 3.1.0"), frozenset(("3.1",)))
    assert [named for _, named in sections("## 2.1\n\nx\n\n**2.0 (2026)**\n\ny 1.9\n")] == [
        {"2.1"},
        {"2.0"},
    ]


def test_a_heading_without_text_below_is_no_section() -> None:
    assert list(sections("Fixed.\n\n## 2.0\n\n")) == []
    assert list(sections("Fixed.\n\nVersion 2.0\n-----------\n")) == []
    assert list(sections("Fixed.\n\nVersion 2.0\n-----------\n\nBug fixes\n~~~~~~~~~\n")) == []
    assert not has_body("Version 2.0\n-----------\n")
    assert has_body("Version 2.0\n-----------\n\nFixed.\n")


def test_a_title_counts_where_no_heading_has_a_version() -> None:
    changelog = PassageVersions("Version 3.1.3", ("Version 1.0",), "Older.", "CHANGES.rst")
    assert changelog.all == {"1.0"}
    page = PassageVersions("What is new in 4.0", ("Features",), "A.", "releases/v4.0.1.rst")
    assert page.all == {"4.0", "4.0.1"}


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("was it fixed in 2.1 or 2.2?", ("2.1", "2.2")),
        ("was it fixed in `2.1`, `2.2` or version 2.3?", ("2.1", "2.2", "2.3")),
        ("does it support versions 2.1, 2.2, and 2.3", ("2.1", "2.2", "2.3")),
        ("what changed in 2.1, 2.5 seconds ago", ("2.1",)),
        ("is the ratio 2.1 or 2.2", ()),
    ],
)
def test_a_version_behind_another_one_in_a_list_counts_too(
    question: str, said: tuple[str, ...]
) -> None:
    assert asked_versions(question).said == said
