"""A model that refuses without a citation is told from one that answers in the negative."""

from __future__ import annotations

import pytest

from pincite.answering.check.declined import declined
from tests.answering.check.refusals import NEGATIVES, REFUSALS


@pytest.mark.parametrize("text", REFUSALS)
def test_that_the_passages_do_not_answer_is_a_refusal(text: str) -> None:
    assert declined(text) == text
    assert declined(f" {text}\n") == text


@pytest.mark.parametrize("text", NEGATIVES)
def test_a_negative_answer_is_no_refusal(text: str) -> None:
    assert declined(text) == ""


@pytest.mark.parametrize("text", REFUSALS)
def test_a_refusal_that_goes_on_with_an_answer_is_none(text: str) -> None:
    bare = text.strip("*").rstrip(".")
    assert declined(f"{bare}; the default is 30 days.") == ""
    assert declined(f"{bare}. The default is 30 days.") == ""
    assert declined(f"The documentation says: {bare}.") == ""
