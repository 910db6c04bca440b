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
    assert 9_990 <= len(query.text) <= 10_000
    assert set(query.text.split(" ")) == {"word"}
    assert query.notices[0].code == "query_cut"
    assert "99,999" in query.notices[0].message


def test_the_beginning_and_the_end_of_a_long_traceback_are_kept_in_whole_lines() -> None:
    frames = [f'  File "/app/loop_{n}.py", line {n}, in step_{n}\n    run(n)\n' for n in range(700)]
    message = "RuntimeError: Event loop stopped before Future completed."
    start = "Traceback (most recent call last):"
    query = prepare(Question(f"{start}\n{''.join(frames)}{message}\n"), PrepareConfig())
    assert query.text.startswith(f'{start} File "/app/loop_0.py"')
    assert query.text.endswith(message)
    assert "RuntimeError" in query.identifiers
    assert 9_800 < len(query.text) <= 10_000
    assert all(f", line {n}, in step_{n} run(n)" in query.text for n in (0, 1, 698, 699))
    whole = sum(len(" ".join(frame.split())) + 1 for frame in frames if _held(frame, query.text))
    assert whole + len(start) + 1 + len(message) >= len(query.text) - len("run(n) ")
    assert "its beginning and its end" in query.notices[0].message


def _held(frame: str, text: str) -> bool:
    return " ".join(frame.split()) in text


@given(st.text("ab \n\r\x85\u2028\t", min_size=1), st.integers(1, 30))
def test_what_is_kept_are_a_beginning_and_an_end(text: str, most: int) -> None:
    whole = " ".join(text.split())
    if not whole:
        return
    kept = prepare(Question(text), PrepareConfig(max_chars=most)).text
    assert 0 < len(kept) <= most
    assert any(
        whole.startswith(kept[:at].strip()) and whole.endswith(kept[at:].strip())
        for at in range(len(kept) + 1)
    )


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
