"""Questions about a version: passages that have it come first."""

from __future__ import annotations

from typing import Any

from pincite.model import Candidate, Signal
from pincite.questions.versions import asked_versions
from pincite.stages.versions_first import versions_first
from tests.builders import chunk

ASKED = "when was version 3.1.3 released?"


def one(name: str, score: float, text: str, *headings: str, **values: Any) -> Candidate:
    found = chunk(name, id=name, text=text, headings=headings, **values)
    return Candidate("main", found, (Signal("blended", "normalised", score),))


OTHER = one("other", 0.9, "Released 2010-05-28", "Version 0.3.1")
MENTIONS = one("mentions", 0.8, "Works with 3.1.3 only.")
CODE = one("code", 0.7, '"""Since 3.1.3."""', source_type="code")
BARE = one("bare", 0.6, "Version 3.1.3\n-------------\n", "Version 3.1.3")
NOTES = one("notes", 0.5, "All of it.", path="docs/releases/v3.1.3.rst")
SECTION = one("section", 0.4, "Released 2026-02-18", "Version 3.1.3")
INSIDE = one("inside", 0.3, "## 3.1.4\n\nNew.\n\n## 3.1.3\n\nFixed.\n")


def order(question: str, *found: Candidate) -> list[str]:
    ranked = versions_first(asked_versions(question), found)
    return [candidate.chunk.id for candidate in ranked]


def test_headings_precede_titles_and_texts() -> None:
    found = (OTHER, MENTIONS, CODE, BARE, NOTES, SECTION, INSIDE)
    first = ["section", "inside", "bare", "notes", "mentions", "other", "code"]
    assert order(ASKED, *found) == first
    ranked = versions_first(asked_versions(ASKED), found)
    scores = [candidate.rank_signal.value for candidate in ranked]
    assert scores == sorted(scores, reverse=True)


def test_other_questions_keep_their_order() -> None:
    assert order("how do I install flask 3.1.3?", OTHER, SECTION) == ["other", "section"]
    assert order("when was it released?", OTHER, SECTION) == ["other", "section"]


def test_nothing_changes_if_no_passage_has_the_version() -> None:
    assert order("what is new in 3.9.9", OTHER, SECTION) == ["other", "section"]


def test_data_with_the_version_in_its_text_keeps_its_place() -> None:
    data = one("data", 0.9, '{"version": "3.1.3"}', source_type="data")
    assert order(ASKED, OTHER, data, MENTIONS) == ["mentions", "other", "data"]


def test_code_keeps_its_place_whatever_its_file_is_called() -> None:
    named = one("named", 0.9, "x = 1", path="releases/v3.1.3.py", source_type="code")
    headed = one("headed", 0.8, "x = 1", "3.1.3", source_type="code")
    assert order(ASKED, OTHER, named, headed, SECTION) == ["section", "other", "named", "headed"]


def test_the_best_passage_of_each_version_precedes_others_unless_they_are_a_range() -> None:
    more = one("more", 0.35, "And more.", "Version 3.1.3")
    newer = one("newer", 0.2, "Text.", "Version 3.1.4")
    found = (OTHER, SECTION, more, newer)
    listed = ["section", "newer", "more", "other"]
    assert order("what changed in 3.1.3 and in 3.1.4?", *found) == listed
    in_order = ["section", "more", "newer", "other"]
    assert order("what changed between 3.1.3 and 3.1.4?", *found) == in_order


def test_passages_of_the_version_have_a_signal() -> None:
    ranked = versions_first(asked_versions(ASKED), (SECTION, OTHER))
    assert [bool(found.signal("version")) for found in ranked] == [True, False]
