"""Filters in text: what they say, what they cannot, and what is said when they are wrong."""

from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pincite.scope.where
from pincite.errors import UsageError
from pincite.ports import (
    FILTER_FIELDS,
    NUMBER_FIELDS,
    TEXT_FIELDS,
    AnyOf,
    Condition,
    Exists,
    Filter,
    Ids,
    Phrase,
    Prefix,
    Range,
    Text,
    equals,
)
from pincite.ports.predicate import matches
from pincite.scope.where import parse_where, print_where
from pincite.scope.where.fields import FIELDS
from pincite.testing.filters import filterable_points, random_filter

ONE = "0123456789abcdef" * 2
CODE, GO, SRC = equals("source_type", "code"), equals("language", "go"), Prefix("path", "src/")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("", Filter()),
        ("  \n", Filter()),
        ("source_type = code", Filter((CODE,))),
        ('source_type=code and path^="src/" and not language==go', Filter((CODE, SRC), (GO,))),
        ("language != go", Filter(must_not=(GO,))),
        ("kind = 'code'", Filter((CODE,))),
        ("KIND in (code)", Filter((CODE,))),
        ("source = acme", Filter((equals("repo", "acme"),))),
        ("repo = acme", Filter((equals("repo", "acme"),))),
        ("source ^= 'a b' and kind exists", Filter((Prefix("repo", "a b"), Exists("source_type")))),
        ("not language != go", Filter((GO,))),
        ("language = (go, python)", Filter((AnyOf("language", ("go", "python")),))),
        ("language in (go, 'python')", Filter((AnyOf("language", ("go", "python")),))),
        ("language not in (go)", Filter(must_not=(GO,))),
        ("language in ()", Filter((AnyOf("language", ()),))),
        ("repo = acme/docs", Filter((equals("repo", "acme/docs"),))),
        (r'path = "a \"b\\c"', Filter((equals("path", r'a "b\c'),))),
        ("path = 'it\\'s' AND url EXISTS", Filter((equals("path", "it's"), Exists("url")))),
        ('path = "in"', Filter((equals("path", "in"),))),
        (f"id = #{ONE}", Filter((Ids((ONE,)),))),
        (f"id != {ONE}", Filter(must_not=(Ids((ONE,)),))),
        ("start_line >= 10", Filter((Range("start_line", gte=10.0),))),
        ("start_line = 10", Filter((Range("start_line", gte=10.0, lte=10.0),))),
        ("end_line != 10", Filter(must_not=(Range("end_line", gte=10.0, lte=10.0),))),
        ("10 <= start_line < 20.5", Filter((Range("start_line", gte=10.0, lt=20.5),))),
        ("20 > start_line", Filter((Range("start_line", lt=20.0),))),
        ("text ~ rotate", Filter((Text("text", "rotate"),))),
        ('text ~ "rotate the key"', Filter((Phrase("text", "rotate the key"),))),
        ("title ~ all (key, 'rotate it')", Filter((Text("title", "key rotate it"),))),
        ("language = go or path ^= src/", Filter(should=(GO, SRC))),
        ("(language = go or path ^= src/) and source_type = code", Filter((CODE,), (), (GO, SRC))),
        ("language = go or (language = c)", Filter((AnyOf("language", ("go", "c")),))),
        ("not (source_type = code or path ^= src/)", Filter(must_not=(CODE, SRC))),
        ("not (source_type != code and not path ^= src/)", Filter(should=(CODE, SRC))),
        (
            "(language = go or language = c) and (source_type = code or path ^= src/)",
            Filter((AnyOf("language", ("go", "c")),), (), (CODE, SRC)),
        ),
    ],
)
def test_what_a_text_means(text: str, meant: Filter) -> None:
    assert parse_where(text) == meant
    assert parse_where(print_where(meant)) == meant


@pytest.mark.parametrize(
    ("text", "at", "said"),
    [
        ("colour = red", 1, "no field is named 'colour'"),
        ("source_type = code and lang = go", 24, "no field is named 'lang'"),
        ("source_type = cod", 15, "no kind is named 'cod'; docs, code, data"),
        ("kind = 'cod'", 8, "no kind is named 'cod'; docs, code, data"),
        ("path", 0, "path takes values, at the end; expected =, !=, in, not in, ^=, exists"),
        ("path ~ x", 6, "path takes values"),
        ("path =", 0, "a value is missing"),
        ("path = and", 8, "and is a keyword"),
        ("path = (a b)", 11, "expected , or )"),
        ("path = (a, b", 0, "expected , or )"),
        ("path in a", 9, "a list such as (a, b)"),
        ("path not a", 10, "expected in"),
        ("path = src/*.py", 8, "compared literally"),
        ('path = "src', 8, "this quote is not closed"),
        ("path = a path = b", 10, "expected and, or, or the end"),
        ("path = a &&", 10, "expected and, or, or the end"),
        ("(path = a", 0, "a parenthesis is not closed"),
        ("path = a)", 9, "expected and, or, or the end"),
        ("path = a and", 0, "the condition is incomplete"),
        ("id = abc", 6, "32 digits"),
        ("id exists", 4, "expected =, !=, in, not in"),
        (
            "text = fox",
            6,
            "text is searched by keywords, at character 6 ('= fox'); expected ~, exists",
        ),
        ("text ~ all fox", 12, "a list such as (some, words)"),
        ("start_line ~ 3", 12, "start_line is a number"),
        ("start_line > x", 14, "a number is missing"),
        ("start_line > 1e999", 14, "too large"),
        ("start_line = (1, 2)", 14, "a number is missing"),
        ("3 < path", 5, "expected start_line, end_line"),
        ("3 < start_line > 2", 16, "the same way"),
        ("3 = start_line", 3, "expected <, <=, >, >="),
        ("^", 1, "unknown character"),
        ("path = a or path = b and language = c", 13, "cannot have `and` inside of `or`"),
        ("path = a or language != c", 13, "cannot have `not` inside of `or`"),
        ("not (path = a and language = c)", 6, "cannot have `not` inside of `or`"),
        (
            "(path = a or language = b) and (path = c or language = d)",
            33,
            "only one `or`",
        ),
        ("(" * 60 + "path = a" + ")" * 60, 52, "nested `not`"),
        ("not " * 9_999 + "path = a", 0, "exceed the limit"),
    ],
)
def test_what_is_wrong_is_named_with_its_place_and_what_is_allowed(
    text: str, at: int, said: str
) -> None:
    with pytest.raises(UsageError) as caught:
        parse_where(text)
    message = caught.value.message
    assert message.startswith("where: ")
    assert all(part in message for part in said.split("; "))
    place = re.search(r"at character (\d+)", message)
    assert (int(place[1]) if place else 0) == at, message


def test_a_pattern_is_refused_with_the_prefix_that_is_meant() -> None:
    with pytest.raises(UsageError) as caught:
        parse_where("path = src/*.py")
    assert caught.value.hint == 'path ^= "src/", or "src/*.py" for the literal text'


def test_an_unknown_field_names_the_known_ones_and_the_one_that_is_meant() -> None:
    for given_name, meant in (("kinds", "kind"), ("langage", "language"), ("file", "path")):
        with pytest.raises(UsageError) as caught:
            parse_where(f"{given_name} = x")
        for field in FIELDS:
            assert field in caught.value.message
        assert caught.value.hint == f"use {meant} instead of {given_name}"


def test_a_printed_filter_has_the_names_that_people_use() -> None:
    filter_ = parse_where("source_type = code and repo != acme and repo ^= a and not url exists")
    printed = 'kind = code and source ^= "a" and source != acme and not url exists'
    assert print_where(filter_) == printed


def _of_no_kind(condition: Condition) -> bool:
    """Does it name a kind of source that there is not?"""
    return isinstance(condition, AnyOf) and "d" in condition.values


def test_a_printed_filter_lets_the_same_points_pass() -> None:
    points = [point for seed in range(3) for point in filterable_points(30, seed)]
    ids = [point.chunk.id for point in points]
    dice = random.Random(7)
    passed = printed = 0
    for _ in range(600):
        filter_ = random_filter(dice, ids)
        if any(_of_no_kind(one) for one in filter_.conditions):
            continue
        again = parse_where(print_where(filter_))
        printed += 1
        for point in points[::7]:
            let = matches(filter_, "r1", point.chunk)
            assert matches(again, "r1", point.chunk) is let, print_where(filter_)
            passed += let
        assert parse_where(print_where(again)) == again
    assert printed > 500
    assert passed > 500


_values = st.text(max_size=6).filter(lambda text: text.isprintable() or "\n" in text)
_numbers = st.one_of(
    st.integers(-(10**6), 10**6).map(float), st.floats(allow_nan=False, allow_infinity=False)
)
_conditions = st.one_of(
    st.builds(
        AnyOf,
        st.sampled_from([field for field in FILTER_FIELDS if field != "source_type"]),
        st.lists(_values, max_size=3).map(tuple),
    ),
    st.builds(Prefix, st.sampled_from(FILTER_FIELDS), _values),
    st.builds(Exists, st.sampled_from((*FILTER_FIELDS, *NUMBER_FIELDS, *TEXT_FIELDS))),
    st.builds(Text, st.sampled_from(TEXT_FIELDS), _values),
    st.builds(Phrase, st.sampled_from(TEXT_FIELDS), _values),
    st.builds(lambda field, low: Range(field, gt=low), st.sampled_from(NUMBER_FIELDS), _numbers),
    st.builds(
        lambda low, high: Range("end_line", gte=low, lt=high),
        *(_numbers, _numbers),
    ),
    st.just(Ids((ONE, ONE[::-1]))),
)
_filters = st.builds(
    Filter,
    must=st.lists(_conditions, max_size=3).map(tuple),
    must_not=st.lists(_conditions, max_size=3).map(tuple),
    should=st.lists(_conditions, max_size=3).map(tuple),
)


@given(_filters)
def test_parsed_and_printed_and_parsed_is_the_same(filter_: Filter) -> None:
    once = parse_where(print_where(filter_))
    assert parse_where(print_where(once)) == once
    assert once.must_not == filter_.must_not
    assert once.must[: len(filter_.must)] == filter_.must


@given(st.text(max_size=40))
def test_any_text_is_a_filter_or_an_error_that_says_where(text: str) -> None:
    try:
        filter_ = parse_where(text)
    except UsageError as error:
        message = error.message
    else:
        message = "where: "
        assert parse_where(print_where(filter_)) == filter_
    assert message.startswith("where: ")


def test_the_forms_of_the_documentation_are_all_there_are() -> None:
    described = pincite.scope.where.__doc__ or ""
    assert parse_where(described.split("\n")[2])
    for form in re.findall(r"`(f [^`]*|\d+ <= f[^`]*)`", described):
        field = "path"
        if "true" in form:
            field = "visible"
        elif "2026-" in form:
            field = "due"
        elif re.search(r"\d", form):
            field = "start_line"
        elif "~" in form:
            field = "text"
        schema = (("due", "date"), ("visible", "boolean"))
        assert parse_where(re.sub(r"\bf\b", field, form), schema)
