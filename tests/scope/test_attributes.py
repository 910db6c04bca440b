"""Attributes in filters and as tags, and collections that require some."""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.errors import TagsRequired, UsageError
from pincite.model import Attributes, AttributeType, CollectionSpec, Scope
from pincite.ports import (
    AnyOf,
    Condition,
    DateRange,
    Exists,
    Filter,
    Ids,
    Is,
    Prefix,
    Range,
    Searchable,
)
from pincite.ports.predicate import matches
from pincite.scope.filter import check_scope_of, given_filter, kinds_of, scope_filter
from pincite.scope.required import require_tags
from pincite.scope.schema import for_collection
from pincite.scope.tags import tag_conditions
from pincite.scope.where import Schema, parse_where, print_where
from pincite.support.fields import replace
from pincite.testing.points import DENSE_SPEC, chunk_of, request_for
from pincite.testing.random_attributes import random_attributes, random_filter
from tests.small_search import TEXTS, TopicEncoder, ask, make

SCHEMA: Schema = (
    *(("course", "keyword"), ("due", "date"), ("labels", "keywords"), ("visible", "boolean")),
    *(("weight", "float"), ("year", "integer")),
)
SPEC = replace(DENSE_SPEC, attributes=dict(SCHEMA or ()))
PAGE = (Path(__file__).parents[2] / "docs/attributes.md").read_text(encoding="utf-8")


def day(first: str, following: str) -> DateRange:
    """From the beginning of the one to that of the other."""
    return DateRange("due", gte=f"{first}T00:00:00Z", lt=f"{following}T00:00:00Z")


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("course = ml", AnyOf("course", ("ml",))),
        ("labels in (a, 'b c')", AnyOf("labels", ("a", "b c"))),
        ("course ^= m", Prefix("course", "m")),
        ("due exists", Exists("due")),
        ("year = 9007199254740993", Range("year", gte=2**53 + 1, lte=2**53 + 1)),
        ("2020 <= year < 2026", Range("year", gte=2020, lt=2026)),
        ("weight > -0.5", Range("weight", gt=-0.5)),
        ("visible = TRUE", Is("visible", True)),
        ("due = 2026-11-22", day("2026-11-22", "2026-11-23")),
        ("2026-01-01 <= due < 2027-01-01", day("2026-01-01", "2027-01-01")),
        ("2026-12-31 >= due", DateRange("due", lt="2027-01-01T00:00:00Z")),
        ("due > 2026-11-22", DateRange("due", gte="2026-11-23T00:00:00Z")),
        ("due >= 2026-11-22", DateRange("due", gte="2026-11-22T00:00:00Z")),
        ("due < 2026-11-22", DateRange("due", lt="2026-11-22T00:00:00Z")),
        ("due <= 2026-11-22", DateRange("due", lt="2026-11-23T00:00:00Z")),
        ("due < '2026-11-22T10:00:00+01:00'", DateRange("due", lt="2026-11-22T09:00:00Z")),
        ("due <= 9999-12-31", DateRange("due", lte="9999-12-31T23:59:59.999999Z")),
    ],
)
def test_each_form_says_one_condition(text: str, meant: Condition) -> None:
    assert parse_where(text, SCHEMA) == Filter(must=(meant,))
    assert parse_where(f"not ({text})", SCHEMA) == Filter(must_not=(meant,))
    assert parse_where(print_where(Filter(must=(meant,))), SCHEMA) == Filter(must=(meant,))
    parse_where(text, None)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("coures = x", "no field is named 'coures', at character 1"),
        ("Course = x", "no field is named 'Course', at character 1"),
        ("year = x", "'x' is not a number, at character 8"),
        ("year = 99999999999999999999", "outside of 64 bits, at character 8"),
        ("year in (1, 2)", "a list takes keywords, at character 6"),
        ("weight = 1e999", "not finite, at character 10"),
        ("visible = 1", "neither true nor false, at character 11"),
        ("visible > true", "has the type boolean, at character 9"),
        ("due = soon", "not a date; write 2026-11-22"),
        ("due = 2026-13-01", "month must be in 1..12, at character 7"),
        ("course > 3", "course takes values, at character 8"),
        ("3 < course", "a range takes a number or a date"),
        ("2020 <= yaer", "expected start_line, end_line, weight, year, due|at character 9"),
        ("year = 1 or due = 2026-01-01 and year = 2", "cannot have `and` inside of `or`"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        parse_where(text, SCHEMA)


def test_a_close_name_is_offered() -> None:
    with pytest.raises(UsageError) as caught:
        parse_where("coures = x", SCHEMA)
    assert caught.value.hint == "use course instead of coures"


def test_without_a_schema_only_the_form_is_looked_at() -> None:
    text = "a not in (1, 2) and (b = 1 or b = 2) and (c > 3 or d = 2) and source_type = code"
    parse_where(text, None)
    assert kinds_of(Scope(where=text)) == {"code"}
    for wrong in ("a", "a =", "a in b", "a in (b", "a ~ b", "a = 1 or"):
        with pytest.raises(UsageError):
            parse_where(wrong, None)


OPERATORS = "; expected =, !=, ^=, <, <=, >, >=, in, not in, exists"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("course", "an operator and a value are missing after course, at the end" + OPERATORS),
        ("(course)", "an operator and a value are missing after course, at character 8"),
        ("course and kind = docs", "are missing after course, at character 8 ('and kind = docs')"),
        ("course ml", f"an operator is missing after course, at character 8 ('ml'){OPERATORS}"),
        ("course (a, b)", "an operator is missing after course, at character 8 ('(a, b)')"),
        (
            "course ~ ml",
            f"~ searches text and title, and course is neither, at character 8 ('~ ml'){OPERATORS}",
        ),
        ("course not ml", "course not, at character 12 ('ml'); expected in"),
        ("course =", "a value is missing, at the end"),
    ],
)
def test_without_a_schema_what_is_missing_is_said(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)):
        parse_where(text, None)


@given(st.randoms(use_true_random=False))
def test_a_printed_filter_lets_the_same_chunks_pass(dice) -> None:  # type: ignore[no-untyped-def]
    filter_ = random_filter(dice)
    types: Schema = tuple(sorted({"student": "keyword", **dict(SCHEMA or ())}.items()))
    again = parse_where(print_where(filter_), types)
    for number in range(20):
        chunk = chunk_of("fox", attributes=random_attributes(dice, number))
        assert matches(again, "r", chunk) is matches(filter_, "r", chunk), print_where(filter_)


@given(st.text(max_size=40), st.booleans())
def test_any_text_is_parsed_or_refused(text: str, known: bool) -> None:
    for whole in (text, f"year {text}", f"due = {text}", f"{text} <= year", f"labels in ({text}"):
        with suppress(UsageError):
            assert print_where(parse_where(whole, SCHEMA if known else None)) is not None


def test_tags_become_conditions_of_their_type() -> None:
    tags: Attributes = {
        "course": ("ml", "stats"),
        "year": 2026,
        "weight": "0.5",
        "visible": "true",
        "due": "2026-11-22",
    }
    assert tag_conditions(tags, SCHEMA) == (
        *(AnyOf("course", ("ml", "stats")), day("2026-11-22", "2026-11-23"), Is("visible", True)),
        *(Range("weight", gte=0.5, lte=0.5), Range("year", gte=2026, lte=2026)),
    )


def test_a_list_of_values_is_as_good_as_a_tuple() -> None:
    tags: dict[str, Any] = {"course": ["ml", "stats", "ml"]}
    assert tag_conditions(tags, SCHEMA) == (AnyOf("course", ("ml", "stats")),)


@pytest.mark.parametrize(
    ("tags", "said"),
    [
        ({"coures": "ml"}, "no attribute is named 'coures'"),
        ({"year": "soon"}, "tag 'year' has the type integer"),
        ({"year": True}, "tag 'year' has the type integer"),
        ({"course": ""}, "has no value"),
        ({"course": ()}, "has no value"),
        ({"year": ("1", "2")}, "takes one"),
        ({"course": 3}, "not a keyword"),
    ],
)
def test_a_tag_that_cannot_be_is_refused(tags: Attributes, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        tag_conditions(tags, SCHEMA)


OTHER = replace(SPEC, name="other", attributes={"year": "keyword", "term": "integer"})


@pytest.mark.parametrize(
    "scope",
    [
        *(Scope(where=f"year {rest}") for rest in ("= 2020", "= x", "in (a, b)", "^= 2", "exists")),
        *(Scope(where=text) for text in ("2019 < year", "2019 < year <= 2021", "not year = 1")),
        Scope(where="course = ml and not (labels = a or year != 2020)"),
        Scope(where="path = x or year > 3"),
        Scope(tags={"year": 2020}),
        Scope(bounds={"year": ("2020",)}),
    ],
)
def test_one_name_of_two_types_cannot_be_asked_for_and_both_collections_are_named(
    scope: Scope,
) -> None:
    for specs in ([SPEC, OTHER], [SPEC, SPEC, OTHER]):
        with pytest.raises(UsageError, match="integer in 'main' and keyword in 'other'") as caught:
            check_scope_of(specs, scope)
        assert caught.value.hint == "search one of them: -c other"


@pytest.mark.parametrize(
    "scope",
    [
        Scope(),
        Scope(where="course = year and term = 3"),
        Scope(where="text ~ year or title ~ 'year 2020'", tags={"labels": "year"}),
        Scope(paths=("year",), sources=("year",)),
    ],
)
def test_one_name_of_two_types_matters_only_where_it_is_asked_for(scope: Scope) -> None:
    schema = check_scope_of([SPEC, OTHER], scope)
    assert dict(schema or ()) == {
        **{name: kind for name, kind in SPEC.attributes.items() if name != "year"},
        "term": "integer",
    }
    assert hash(schema) == hash(check_scope_of([OTHER, SPEC], scope))


def test_each_collection_alone_has_its_own_type() -> None:
    asked = Scope(where="year = 2020")
    for spec, meant in (
        (SPEC, Range("year", gte=2020, lte=2020)),
        (OTHER, AnyOf("year", ("2020",))),
    ):
        assert given_filter(asked, check_scope_of([spec], asked)) == Filter(must=(meant,))


def test_a_required_name_of_two_types_is_asked_for_first() -> None:
    requiring = replace(SPEC, require=("year",))
    with pytest.raises(TagsRequired, match="'main' requires year"):
        check_scope_of([requiring, OTHER], Scope())
    with pytest.raises(UsageError, match="integer in 'main' and keyword in 'other'"):
        check_scope_of([requiring, OTHER], Scope(tags={"year": 2020}))


def test_a_name_of_two_types_does_not_keep_a_search_from_both() -> None:
    def typed(one: Searchable, kind: AttributeType) -> Searchable:
        return replace(one, spec=replace(one.spec, attributes={"year": kind}))

    first = typed(asyncio.run(make(None, TEXTS, "first")), "integer")
    second = typed(asyncio.run(make(None, TEXTS, "second")), "keyword")
    pack = ask("rotate a key", first, second)
    assert {item.path for item in pack.evidence} == {"keys"}
    assert set(pack.plan.collections) == {"first", "second"}
    assert ask("zebra", first, second, scope=Scope(paths=("keys",))).evidence == ()
    with pytest.raises(UsageError, match="one search cannot filter both by it"):
        ask("rotate a key", first, second, scope=Scope(where="year = 2020"))


def test_nothing_fits_an_attribute_that_a_collection_does_not_have() -> None:
    bare = replace(SPEC, attributes={})
    year, path = Range("year", gte=1), AnyOf("path", ("x",))
    nothing = Ids(())
    assert for_collection(Filter(must=(year, path)), bare) == Filter(must=(nothing, path))
    assert for_collection(Filter(must_not=(year, path)), bare) == Filter(must_not=(path,))
    assert for_collection(Filter(should=(year, path)), bare) == Filter(should=(path,))
    assert for_collection(Filter(should=(year,)), bare) == Filter(should=(nothing,))


REQUIRING = replace(SPEC, require=("course", "year"))


def test_required_tags_are_pinned_by_values() -> None:
    for text in (
        "course = ml and year = 2026",
        "course in (ml, stats) and year = 2026 and (labels = a or path = x)",
    ):
        require_tags(REQUIRING, parse_where(text, SCHEMA))
    one_day = replace(SPEC, require=("due", "visible"))
    require_tags(one_day, parse_where("due = 2026-11-22 and visible = false", SCHEMA))
    require_tags(one_day, parse_where("due = 2026-11-22T10:00:00Z and visible = true", SCHEMA))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "course = ml",
        "course = ml and year > 2020",
        "course = ml or year = 2026",
        "course ^= m and year = 2026",
        "course exists and year = 2026",
        "course != ml and year = 2026",
        "course = '' and year = 2026",
        "course in () and year = 2026",
        "not (course != ml or year != 2026) and (course = a or year = 1) and course ^= m"
        " and year >= 1 and not course = ml",
    ],
)
def test_what_does_not_pin_a_required_tag_is_refused(text: str) -> None:
    filter_ = parse_where(text, SCHEMA)
    if text.startswith("not ("):  # by De Morgan both are pinned after all
        require_tags(REQUIRING, filter_)
        return
    with pytest.raises(TagsRequired, match="'main' requires") as caught:
        require_tags(REQUIRING, filter_)
    assert "--tag" in caught.value.hint


def test_a_range_of_days_pins_nothing() -> None:
    due = replace(SPEC, require=("due",))
    for text in ("2026-11-22 <= due < 2026-11-24", "due >= 2026-11-22", "due exists"):
        with pytest.raises(TagsRequired):
            require_tags(due, parse_where(text, SCHEMA))


class Unreachable(TopicEncoder):
    """Whoever embeds has gone too far."""

    async def embed_query(self, text: str):  # type: ignore[no-untyped-def]
        raise AssertionError(text)


async def _requiring(encoder: TopicEncoder | None, name: str = "main") -> Searchable:
    one = await make(None, TEXTS, name)
    spec: CollectionSpec = replace(
        one.spec, attributes={"course": "keyword"}, require=("course",), counted=True
    )
    await one.index.create(spec)  # type: ignore[attr-defined]
    records = await one.index.documents(name)
    await one.index.touch(  # type: ignore[attr-defined]
        name, [replace(r, attributes={"course": "ml"}) for r in records if r.path == "keys"]
    )
    return replace(one, spec=spec, dense=encoder)


def test_a_search_without_required_tags_asks_nobody() -> None:
    one = asyncio.run(_requiring(Unreachable()))
    other = replace(asyncio.run(make(None, TEXTS, "open")), dense=Unreachable())
    for scope in (Scope(), Scope(where="not course = x"), Scope(where="course ^= m")):
        with pytest.raises(TagsRequired, match="main"):
            ask("rotate a key", one, other, scope=scope)


def test_tags_reach_the_store_and_the_pack() -> None:
    one = asyncio.run(_requiring(None))
    for scope in (Scope(tags={"course": "ml"}), Scope(where="course = ml")):
        pack = ask("rotate a key", one, scope=scope)
        assert [(item.path, dict(item.attributes)) for item in pack.evidence] == [
            ("keys", {"course": "ml"})
        ]
        assert pack.schema_version == "1.5"
    assert ask("rotate a key", one, scope=Scope(tags={"course": "other"})).evidence == ()


def test_a_collection_without_an_attribute_beside_one_with_it() -> None:
    one, other = asyncio.run(_requiring(None)), asyncio.run(make(None, TEXTS, "open"))
    pack = ask("rotate a key", one, other, scope=Scope(tags={"course": "ml"}))
    assert {item.collection for item in pack.evidence} == {"main"}
    alone = asyncio.run(scope_filter(other, Scope(where="path = x")))
    assert alone == Filter(must=(AnyOf("path", ("x",)),))


def test_the_index_itself_refuses_who_goes_around() -> None:
    one = asyncio.run(_requiring(None))
    for filter_ in (Filter(), Filter(must=(Exists("course"),))):
        with pytest.raises(TagsRequired):
            asyncio.run(one.index.search("main", request_for("key", dense=None, filter=filter_)))


def test_every_filter_of_the_page_is_one() -> None:
    shown = re.findall(r"^\| `([^`]+)` \|", PAGE, re.MULTILINE)
    filters = [text for text in shown if re.search(r"[=<>]|exists", text)]
    assert len(filters) >= 8
    for text in filters:
        assert parse_where(text, SCHEMA) != Filter()
