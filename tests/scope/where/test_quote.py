"""A value that is quoted is a value, whatever somebody typed."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pincite
from pincite import UsageError
from pincite.ports import AnyOf, Filter, Is, Prefix, Range
from pincite.scope.where import parse_where, quote
from pincite.scope.where.attributes import whole

SCHEMA = (
    ("course", "keyword"),
    ("due", "date"),
    ("grade", "float"),
    ("visible", "boolean"),
    ("year", "integer"),
)


def meant(text: str) -> Filter:
    return parse_where(text, SCHEMA)


@given(st.text(min_size=1))
def test_any_text_is_one_value(text: str) -> None:
    assert meant(f"course = {quote(text)}") == Filter(must=(AnyOf("course", (text,)),))
    both = meant(f"course ^= {quote(text)} and year = 1").must
    assert both == (Prefix("course", text), Range("year", gte=1, lte=1))


@given(st.lists(st.text(min_size=1), min_size=1, unique=True))
def test_several_texts_are_a_list(texts: list[str]) -> None:
    (found,) = meant(f"course in {quote(texts)}").must
    assert found == AnyOf("course", tuple(texts))


@given(st.integers(-(2**63), 2**63 - 1))
def test_a_whole_number_is_a_number(number: int) -> None:
    assert meant(f"year = {quote(number)}").must == (Range("year", gte=number, lte=number),)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_finite_number_is_a_number(number: float) -> None:
    assert meant(f"grade >= {quote(number)}").must == (Range("grade", gte=number),)


@given(st.dates(min_value=date(2, 1, 1), max_value=date(9998, 1, 1)))
def test_a_day_is_the_whole_day(day: date) -> None:
    assert meant(f"due = {quote(day)}").must == (whole("due", day.isoformat()),)


def test_a_moment_and_a_boolean_are_what_they_are() -> None:
    moment = datetime(2026, 11, 22, 10, tzinfo=UTC)
    assert meant(f"due < {quote(moment)}") == meant("due < '2026-11-22T10:00:00Z'")
    assert meant(f"visible = {quote(True)}").must == (Is("visible", True),)


@pytest.mark.parametrize(
    "value",
    [None, [], (), {}, b"x", float("nan"), float("inf"), 2**63, [["a"]], [None], [1], object()],
)
def test_what_is_no_value_is_refused(value: Any) -> None:
    with pytest.raises(UsageError, match="is not valid in a filter"):
        quote(value)


def test_what_a_user_typed_cannot_widen_a_filter() -> None:
    typed = 'ml" or visible = true or course = "ml'
    assert meant(f"course = {quote(typed)}").must == (AnyOf("course", (typed,)),)
    assert quote(["ml", "stats"]) == '("ml", "stats")'
    assert pincite.quote is quote
