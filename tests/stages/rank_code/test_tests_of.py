"""Questions for the tests of one thing: the file of tests with its name comes first."""

from __future__ import annotations

from typing import Any

import pytest

from pincite.model import Candidate, Question, Signal
from pincite.providers.sparse.analyser import informative_terms
from pincite.stages.prepare import PrepareConfig, prepare
from pincite.stages.rank_code import RankCodeConfig, rank_code
from tests.builders import chunk

ENGLISH = informative_terms("english")


def one(name: str, score: float, path: str, kind: Any = "code") -> Candidate:
    found = chunk(name, id=name, path=path, source_type=kind)
    return Candidate("main", found, (Signal("fused", "normalised", score),))


PAGE = one("page", 1.0, "docs/plugins/lyrics.rst", "docs")
PLUGIN = one("plugin", 0.9, "plugins/lyrics.py")
OTHER = one("other", 0.8, "test/test_plugins.py")
OTHER_TOO = one("other too", 0.7, "test/test_lyrics_import.py")
TEST = one("test", 0.3, "test/plugins/test_lyrics.py")
ALL = (PAGE, PLUGIN, OTHER, OTHER_TOO, TEST)


def first(question: str, *found: Candidate, defined_first: int = 3) -> str:
    query = prepare(Question(question), PrepareConfig())
    return rank_code(query, found, ENGLISH, RankCodeConfig(defined_first=defined_first))[0].chunk.id


@pytest.mark.parametrize(
    "question",
    [
        *("tests of the lyrics plugin", "tests for the lyrics plugin", "unit tests for lyrics"),
        *("where are the tests of lyrics", "show me the tests for the `lyrics` plugin"),
        *("which test covers lyrics?", "which tests cover the lyrics plugin?"),
        *("how is the lyrics plugin tested", "how is lyrics tested?", "where is lyrics tested"),
        *("is there a test for lyrics?", "tests of plugins.lyrics"),
    ],
)
def test_the_file_of_tests_with_the_name_comes_first(question: str) -> None:
    assert first(question, *ALL) == "test"


def test_without_a_file_of_this_name_nothing_changes() -> None:
    some = (PAGE, PLUGIN, OTHER, OTHER_TOO)
    assert first("how is the lyrics plugin tested", *some) == "page"
    assert first("tests of the lyrics import", *ALL) == "other too"


@pytest.mark.parametrize(
    "path",
    [
        *("src/test/java/LyricsTest.java", "src/LyricsTests.cs", "spec/lyrics_spec.rb"),
        *("web/lyrics.test.ts", "pkg/lyrics_test.go", "tests/lyrics.rs", "t/test_Lyrics.py"),
    ],
)
def test_files_of_tests_have_the_names_of_many_languages(path: str) -> None:
    assert first("tests of the lyrics plugin", PAGE, PLUGIN, one("it", 0.1, path)) == "it"


def test_a_file_that_is_a_test_by_its_name_precedes_one_by_its_folder() -> None:
    found = (PAGE, one("helper", 0.9, "test/lyrics.py"), one("it", 0.2, "test/test_lyrics.py"))
    assert first("tests of lyrics", *found) == "it"
    assert first("tests of lyrics", *found[:2]) == "helper"


def test_a_kind_may_be_part_of_the_name() -> None:
    found = (PAGE, one("it", 0.2, "test/test_lyrics_plugin.py"))
    assert first("tests of the lyrics plugin", *found) == "it"


def test_zero_definitions_first_switches_it_off() -> None:
    assert first("tests of the lyrics plugin", PAGE, TEST, defined_first=0) == "page"
