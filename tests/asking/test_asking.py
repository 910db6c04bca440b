"""What callers say becomes a question and a profile; what cannot be is refused with what can."""

from __future__ import annotations

import math
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.asking import SearchOptions, checked, profile_of, question_of
from pincite.errors import UsageError
from pincite.model import Corpus, Question, Scope
from pincite.presets import EVIDENCE, PRESETS
from pincite.profile import Profile
from pincite.settings.load import Settings
from pincite.stages.select import SelectConfig
from pincite.support.fields import replace

SETTINGS = Settings(Path("i"), Path("m"), replace(Profile(), select=SelectConfig(results=7)))
LISTS = ("kinds", "paths", "not_paths", "collections", "sources")


def options(**given: Any) -> SearchOptions:
    return SearchOptions(given.pop("text", "a question"), **given)


@pytest.mark.parametrize("name", LISTS)
def test_a_text_in_place_of_a_list_is_one_of_it(name: str) -> None:
    one = question_of(options(**{name: "code"})).scope
    assert getattr(one, name) == ("code",)
    for several in (["code", "docs"], ("code", "docs"), iter(["code", "docs"])):
        assert getattr(question_of(options(**{name: several})).scope, name) == ("code", "docs")


def test_the_fields_of_a_scope_may_stand_one_by_one_or_together() -> None:
    fields: Any = {
        "collections": ("a",),
        "sources": ("b",),
        "kinds": ("docs",),
        "ref": "v1",
        "paths": ("c*",),
        "not_paths": ("d*",),
        "where": "kind = 'docs'",
    }
    apart = question_of(options(**fields, mode="build", budget_ms=20))
    assert apart == Question("a question", Scope(**fields), "build", 20)
    assert question_of(options(scope=Scope(**fields), mode="build", budget_ms=20)) == apart


@pytest.mark.parametrize("name", [*LISTS, "ref", "where"])
def test_a_scope_and_one_of_its_fields_is_wrong_usage_that_names_both(name: str) -> None:
    with pytest.raises(UsageError, match=rf"^scope= and {name}= exclude each other"):
        question_of(options(scope=Scope(), **{name: "docs"}))
    assert question_of(options(scope=Scope(), paths=(), ref=None, where="")).scope == Scope()


def test_a_scope_that_was_made_with_texts_for_lists_means_lists() -> None:
    careless: Any = {"kinds": "code", "paths": ["a", "b"], "sources": "acme"}
    meant = Scope(kinds=("code",), paths=("a", "b"), sources=("acme",))
    assert question_of(options(scope=Scope(**careless))).scope == meant
    assert checked(Question("q", Scope(**careless))).scope == meant


WRONG: list[tuple[str, Any, str]] = [
    ("text", None, "text is None; it takes a question as text"),
    ("text", b"q", "text is b'q'"),
    ("kinds", "markdown", "kinds is 'markdown'; it takes one of 'docs', 'code', 'data'"),
    ("kinds", ["code", "Docs"], "kinds is 'Docs'"),
    ("kinds", 3, "kinds is 3; it takes one or several texts"),
    ("kinds", None, "kinds is None"),
    ("paths", [Path("src")], r"paths has PosixPath\('src'\) in it; it takes texts"),
    ("paths", b"src", "paths is b'src'"),
    ("not_paths", {"a": 1}, "not_paths is {'a': 1}"),
    ("collections", 3, "collections is 3"),
    ("sources", [None], "sources has None in it"),
    ("ref", 3, "ref is 3; it takes a revision as text"),
    ("where", 3, "where is 3; it takes a filter as text"),
    ("where", 0, "where is 0; it takes a filter as text"),
    ("where", [], r"where is \[\]; it takes a filter as text"),
    ("where", {}, "where is {}; it takes a filter as text"),
    ("where", False, "where is False; it takes a filter as text"),
    ("where", "course", "where: an operator and a value are missing after course, at the end"),
    ("where", "kind = 'cod'", "where: no kind is named 'cod', at character 8"),
    ("mode", "bild", "mode is 'bild'; it takes one of 'build', 'debug', 'explain', 'refactor'"),
    ("by", "words", "by is 'words'; it takes one of 'hybrid', 'vector', 'keyword'"),
    ("context", "all", "context is 'all'; it takes one of 'none', 'unit', 'neighbours', 'section'"),
    ("preset", "best", "no preset is named 'best'; known presets: .*general"),
    ("preset", 3, "preset"),
    ("limit", 0, "limit is 0; it takes a whole number from 1 to 1,000"),
    ("limit", 10**9, "limit is 1000000000"),
    ("limit", "3", "limit is '3'"),
    ("limit", 3.0, r"limit is 3\.0"),
    ("limit", True, "limit is True"),
    ("budget_ms", 0, "budget_ms is 0; it takes milliseconds above 0, or None"),
    ("budget_ms", -1, "budget_ms is -1"),
    ("budget_ms", float("nan"), "budget_ms is nan"),
    ("budget_ms", 10**400, "budget_ms is 1000"),
    ("budget_ms", "20", "budget_ms is '20'"),
    ("scope", {"paths": "a"}, "scope is {'paths': 'a'}; it takes a Scope"),
    ("profile", "evidence", "profile is 'evidence'; it takes a Profile"),
]


@pytest.mark.parametrize(("name", "value", "said"), WRONG)
def test_what_cannot_be_is_wrong_usage_that_says_what_can(name: str, value: Any, said: str) -> None:
    asked = options(**{name: value})
    with pytest.raises(UsageError, match=said):
        _ = question_of(asked), profile_of(asked, SETTINGS)


def test_what_was_perhaps_meant_is_named() -> None:
    with pytest.raises(UsageError) as caught:
        question_of(options(mode="bild"))
    assert caught.value.hint == "mode='build'"


def test_where_nothing_is_asked_for_the_profile_is_the_same_object_each_time() -> None:
    assert profile_of(options(), SETTINGS) is profile_of(options(text="another"), SETTINGS)
    assert profile_of(options(), SETTINGS).select.results == 7


def test_each_wish_is_one_value_of_the_profile() -> None:
    asked = options(limit=40, by="keyword", context="section", show_all=True, corpus=Corpus("ADK"))
    found = profile_of(asked, SETTINGS)
    assert (found.select.results, found.retrieve.mode) == (40, "keyword")
    assert (found.context.around, found.select.on_none) == ("section", "keep")
    assert found.corpus.name == "ADK"
    assert found.load.pool >= 80


def test_a_preset_or_a_profile_stands_in_for_the_configured_one_and_not_both() -> None:
    by_name = profile_of(options(preset=EVIDENCE), SETTINGS)
    assert by_name == PRESETS[EVIDENCE].showing(12)
    given_profile = replace(Profile(), select=SelectConfig(results=2))
    assert profile_of(options(profile=given_profile), SETTINGS).select.results == 2
    assert profile_of(options(profile=given_profile, limit=3), SETTINGS).select.results == 3
    with pytest.raises(UsageError, match="profile= and preset= exclude each other"):
        profile_of(options(profile=given_profile, preset=EVIDENCE), SETTINGS)


anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text("ab*'= \ud800", max_size=9)
    | st.binary(max_size=3)
    | st.sampled_from(["docs", "code", "build", "hybrid", "none", "evidence", "kind = docs"]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2)
    ),
    max_leaves=4,
)
names = st.sampled_from(sorted({name for name, _, _ in WRONG} | {*LISTS}))


@given(st.dictionaries(names, anything, max_size=4))
def test_whatever_is_given_ends_in_a_question_or_in_wrong_usage(given_values: Any) -> None:
    asked = options(**given_values)
    try:
        question, profile = question_of(asked), profile_of(asked, SETTINGS)
    except UsageError:
        return
    question.text.encode()
    question.scope.where.encode()
    assert isinstance(profile, Profile)
    scope = question.scope
    lists = (scope.kinds, scope.paths, scope.not_paths, scope.collections, scope.sources)
    assert all(type(one) is tuple for one in lists)
    assert all(type(text) is str for one in lists for text in one)


@pytest.mark.parametrize(
    ("value", "held"),
    [
        (np.int64(2026), 2026),
        (["ml", np.str_("stats")], ("ml", "stats")),
        ({"stats", "ml"}, ("ml", "stats")),
        (date(2026, 11, 22), "2026-11-22"),
        (True, True),
    ],
)
def test_a_tag_is_sent_as_what_it_means(value: object, held: object) -> None:
    assert question_of(options(tags={"course": value})).scope.tags == {"course": held}


@pytest.mark.parametrize(
    "value", [None, [None], [["ml"]], math.nan, math.inf, 10**400, object(), {"a": 1}, b"ml"]
)
def test_a_tag_without_a_value_is_refused_by_name(value: object) -> None:
    with pytest.raises(UsageError, match=r"^tag 'course' is .*; it takes a text, a number"):
        question_of(options(tags={"course": value}))


def test_attributes_in_place_of_a_filter_are_tags() -> None:
    with pytest.raises(UsageError) as caught:
        question_of(options(where={"course": "ml"}))
    assert caught.value.hint == "tags={'course': 'ml'}"
