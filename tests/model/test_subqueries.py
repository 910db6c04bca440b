"""Lines that word a question otherwise: strictly read, and refused where a caller writes others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.errors import UsageError
from pincite.model import Expansion
from pincite.model.subqueries import checked_subqueries, read_subqueries

QUESTION = "how is a key rotated"


def test_each_line_is_for_a_side_and_the_intent_for_the_reranker() -> None:
    lines = [
        "lex: key rotation",
        "  vec:How does one  turn a key? ",
        "hyde: A key is rotated by rotate_key: see below.",
        "intent: operating a service",
    ]
    found = read_subqueries(lines, QUESTION)
    assert found.expansions == (
        Expansion("key rotation", kind="lex"),
        Expansion("How does one turn a key?", kind="vec"),
        Expansion("A key is rotated by rotate_key: see below.", kind="hyde"),
    )
    assert found.intent == "operating a service"
    assert found.wrong == ()
    assert read_subqueries(found.lines, QUESTION) == found


@pytest.mark.parametrize(
    "line",
    [
        *("lexical: key", "LEX: key", "- lex: key", "1. lex: key", "**lex:** key", "key rotation"),
        *("lex:", "vec:   ", "", "Here are some queries:", "lex key", "sql: select", "lex : key"),
        *("lex: a\x1b[2J", "vec: a\u202eb", "lex: a\x00", "lex: \ud800", f"lex: {'a' * 201}"),
        *(f"vec: {'a' * 501}", f"hyde: {'a' * 2_001}"),
    ],
)
def test_a_line_of_another_form_is_wrong_and_a_caller_is_told(line: str) -> None:
    assert read_subqueries([line], QUESTION).wrong == (line,)
    with pytest.raises(UsageError, match="is not a sub-query: write TYPE: TEXT"):
        checked_subqueries(["lex: key", line], QUESTION)


def test_a_line_may_have_the_joiners_of_its_language() -> None:
    line = "lex: کتاب\u200cها"
    assert read_subqueries([line], QUESTION).lines == (line,)


def test_more_than_there_may_be_of_a_kind_are_wrong() -> None:
    lines = [f"lex: word {n}" for n in range(5)]
    found = read_subqueries(lines, QUESTION)
    assert len(found.expansions) == 3
    assert found.wrong == ("lex: word 3", "lex: word 4")
    assert read_subqueries(["intent: a", "intent: b"], QUESTION).intent == "a"


def test_what_says_the_same_as_the_question_or_as_another_is_left_out() -> None:
    lines = ["lex: How is a KEY rotated", "vec: turn it", "vec: Turn it", "lex: turn it"]
    found = read_subqueries(lines, QUESTION)
    assert found.lines == ("vec: turn it", "lex: turn it")
    assert found.wrong == ()


@given(
    st.lists(st.one_of(st.text(), st.text().map("lex: {}".format), st.text().map("hyde:".__add__)))
)
def test_any_lines_are_read_and_what_is_read_reads_the_same_again(lines: list[str]) -> None:
    found = read_subqueries(lines, QUESTION)
    assert len(found.lines) + len(found.wrong) <= len(lines)
    again = read_subqueries(found.lines, QUESTION)
    assert (again.lines, again.wrong) == (found.lines, ())
