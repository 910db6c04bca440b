"""Attributes as given become values of a collection's types, or a named error."""

from __future__ import annotations

import math
from datetime import date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.errors import InvalidAttribute
from pincite.ingestion.attributes.normalise import Normalised, lacking, normalise
from pincite.model import AttributeType


def test_known_types_are_kept_and_new_ones_inferred() -> None:
    found = normalise(
        {"course": "ml", "year": 2026, "grade": 1, "due": date(2026, 11, 22), "labels": ["a"]},
        {"grade": "float"},
        "record 'a'",
    )
    assert found.values == {
        "course": "ml",
        "year": 2026,
        "grade": 1.0,
        "due": "2026-11-22",
        "labels": ("a",),
    }
    assert found.new == {
        "course": "keyword",
        "year": "integer",
        "due": "date",
        "labels": "keywords",
    }


@pytest.mark.parametrize("nothing", [None, "", [], ()])
def test_what_is_no_value_is_left_out_and_teaches_no_type(nothing: object) -> None:
    found = normalise({"course": nothing}, {}, "record 'a'")
    assert (dict(found.values), dict(found.new)) == ({}, {})


@pytest.mark.parametrize(
    ("attributes", "code", "said"),
    [
        ({"course": 3}, "attribute_invalid", "'course': 3 is not a keyword"),
        ({"grade": math.nan}, "attribute_invalid", "'grade': nan is not finite"),
        ({"grade": math.inf}, "attribute_invalid", "'grade': inf is not finite"),
        ({"nested": {"a": 1}}, "attribute_invalid", "'nested': a value cannot be a dict"),
        ({"mixed": ["a", 1]}, "attribute_invalid", "'mixed'"),
        ({"broken": "\ud800"}, "attribute_invalid", "not valid Unicode"),
        ({"big": 2**63}, "attribute_invalid", "outside of 64 bits"),
        ({"Path": "x"}, "attribute_reserved", "'Path' is reserved by Pincite"),
        ({"a b": "x"}, "attribute_name", "'a b' is not a valid attribute name"),
        ({3: "x"}, "attribute_name", "3 is not a valid attribute name"),
        ({f"n{i}": 1 for i in range(65)}, "too_many_attributes", "65 attributes are too many"),
    ],
)
def test_what_cannot_be_names_record_and_field(
    attributes: dict[str, object], code: str, said: str
) -> None:
    with pytest.raises(InvalidAttribute, match="record 'a17'") as caught:
        normalise(attributes, {"course": "keyword"}, "record 'a17'")
    assert caught.value.code == code
    assert said in caught.value.message


@given(
    st.dictionaries(
        st.from_regex(r"x[a-z0-9_]{0,8}", fullmatch=True),
        st.one_of(
            st.text(max_size=9),
            st.integers(-(2**63), 2**63 - 1),
            st.booleans(),
            st.floats(allow_nan=False, allow_infinity=False),
            st.dates(),
            st.lists(st.text(max_size=4), max_size=4),
        ),
        max_size=6,
    )
)
def test_normal_forms_are_their_own_normal_forms(attributes: dict[str, object]) -> None:
    first = normalise(attributes, {}, "record 'a'")
    again = normalise(first.values, first.new, "record 'a'")
    assert (again.values, dict(again.new)) == (first.values, {})


def test_missing_and_empty_are_both_lacking() -> None:
    assert lacking(("a", "b", "c"), {"b": 0, "c": ()}) == ("a", "c")


@pytest.mark.parametrize(
    "moment",
    [
        datetime(9999, 12, 31, 23, 59, 59, tzinfo=timezone(timedelta(hours=-5))),
        datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=1))),
        "9999-12-31T23:59:59-05:00",
    ],
)
def test_a_moment_that_has_no_year_in_utc_is_named(moment: object) -> None:
    with pytest.raises(InvalidAttribute, match=r"record 1: attribute 'due': .* is not a date"):
        normalise({"due": moment}, {"due": "date"}, "record 1")


@pytest.mark.parametrize("known", [{}, {"labs": "keywords"}])
def test_missing_items_of_a_list_are_left_out_whether_its_name_is_known_or_not(
    known: dict[str, AttributeType],
) -> None:
    found = normalise({"labs": ["a", None, ""]}, known, "record 1")
    assert found.values == {"labs": ("a",)}
    assert normalise({"labs": [None]}, known, "record 1") == Normalised({}, {})
