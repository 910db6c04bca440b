"""The kinds of files that a question asks for."""

from __future__ import annotations

import pytest

from pincite.questions.file_kinds import AskedKinds, asked_kinds
from tests.counting import grows_in_proportion


@pytest.mark.parametrize(
    ("question", "kinds"),
    [
        ("rotate the key", AskedKinds()),
        ("how is a fixture torn down", AskedKinds(tests=True, code=True)),
        ("tests that a key expires", AskedKinds(tests=True, wants_tests=True)),
        ("documentation of the cache", AskedKinds(prose=True, wants_pages=True)),
        ("the manual of the canceller", AskedKinds(prose=True, wants_pages=True)),
        ("the readme", AskedKinds(prose=True)),
        ("helm values", AskedKinds(data=True)),
        ("a demo of the cache", AskedKinds(minor=True)),
        ("how do I rotate the key", AskedKinds(use=True)),
        ("does it run offline", AskedKinds(use=True)),
        ("where is the key rotated", AskedKinds(code=True)),
    ],
)
def test_a_question_asks_for_kinds_of_files(question: str, kinds: AskedKinds) -> None:
    assert asked_kinds(question) == kinds


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("tests of the lyrics plugin", ("lyrics", "lyrics plugin")),
        ("how is lyrics tested?", ("lyrics",)),
        ("which test covers `lyrics`", ("lyrics",)),
        ("tests of plugins.lyrics", ("plugins.lyrics",)),
    ],
)
def test_a_question_for_the_tests_of_one_thing_names_it(
    question: str, names: tuple[str, ...]
) -> None:
    assert asked_kinds(question).under_test == names


@pytest.mark.parametrize(
    "question",
    [
        *("how does the lyrics plugin work", "documentation of the lyrics plugin", "lyrics"),
        *("how are lyrics fetched and tested for errors", "which function tests for lyrics"),
        *("tests of", "tests that lyrics are fetched when they are missing in the file"),
        "how is the lyrics plugin tested before it is loaded",
    ],
)
def test_other_questions_name_no_tests(question: str) -> None:
    assert asked_kinds(question).under_test == ()


@pytest.mark.parametrize("word", ["a_b ", "a_", "aTest", "a.b", "1.1.", "Node.js "])
def test_what_a_long_text_asks_for_takes_time_in_proportion(word: str) -> None:
    def ask(size: int) -> None:
        asked_kinds("is " + word * size)

    assert grows_in_proportion(ask, 5_000)


@pytest.mark.parametrize("word", ["a ", "a"])
def test_a_long_text_names_nothing_that_is_tested(word: str) -> None:
    assert asked_kinds("tests of " + word * 100_000).under_test == ()
