"""A question as typed becomes a query."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.errors import ConfigError, UsageError
from pincite.model import Question
from pincite.stages.prepare import PrepareConfig, prepare


def test_white_space_is_collapsed_and_case_is_kept() -> None:
    assert prepare(Question("  How does\n\tFunctionTool  work? "), PrepareConfig()).text == (
        "How does FunctionTool work?"
    )


@pytest.mark.parametrize(
    ("text", "identifiers"),
    [
        ("what does max_results do", ("max_results",)),
        ("FunctionTool and LlmAgent", ("FunctionTool", "LlmAgent")),
        ("google.adk.agents is a package", ("google.adk.agents",)),
        ("utf8 and sha256", ("utf8", "sha256")),
        ("HTTPServer", ("HTTPServer",)),
        ("plain English words, nothing else.", ()),
        ("foo_bar foo_bar", ("foo_bar",)),
    ],
)
def test_identifiers_are_the_words_that_look_like_code(
    text: str, identifiers: tuple[str, ...]
) -> None:
    assert prepare(Question(text), PrepareConfig()).identifiers == identifiers


@pytest.mark.parametrize("text", ["", "   ", "\n\t"])
def test_an_empty_query_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(UsageError, match="empty"):
        prepare(Question(text), PrepareConfig())


def test_a_query_of_100000_characters_is_cut_and_says_so() -> None:
    query = prepare(Question("word " * 20_000), PrepareConfig())
    assert len(query.text) == 10_000
    assert query.notices[0].code == "query_cut"
    assert "99,999" in query.notices[0].message


def test_a_limit_below_one_is_refused() -> None:
    with pytest.raises(ConfigError, match="max_chars"):
        PrepareConfig(max_chars=0)


@given(st.text())
def test_any_text_gives_a_query_or_a_usage_error(text: str) -> None:
    try:
        query = prepare(Question(text), PrepareConfig())
    except UsageError:
        assert not text.split()
    else:
        assert query.text == " ".join(text.split())
