"""A filter that a program sets holds besides that of the caller, and no message shows it."""

from __future__ import annotations

from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.asking import SearchOptions, question_of
from pincite.asking.question import checked
from pincite.errors import UsageError
from pincite.model import CollectionSpec, Question, Scope
from pincite.ports.predicate import matches
from pincite.profile import Profile
from pincite.retrieval_log import Asked
from pincite.scope.filter import check_scope_of, given_filter, kinds_of
from tests.builders import chunk

SPEC = CollectionSpec(
    *("chunks", "bm25", "chunker"), attributes={"space": "keyword", "year": "integer"}
)
FILTERS = (
    *("", "space = a", "not space = a", "space in (a, b) or space = c"),
    *("1 <= year < 3 and space exists", "not (year = 1 or space = b)"),
)


@given(
    st.sampled_from(FILTERS),
    st.sampled_from((*FILTERS, "year = 1 or space = b")),
    st.sampled_from("abc"),
    st.integers(0, 3),
)
def test_both_filters_hold(bound: str, where: str, space: str, year: int) -> None:
    schema = check_scope_of([SPEC], Scope())
    one = chunk("a", attributes={"space": space, "year": year})

    def fits(scope: Scope) -> bool:
        return matches(given_filter(scope, schema), "r", one)

    both = fits(Scope(where=where, bound_where=bound))
    assert both == (fits(Scope(where=where)) and fits(Scope(where=bound)))


def test_the_kinds_are_those_of_both_filters() -> None:
    assert kinds_of(Scope(where="kind in (docs, code)", bound_where="kind = docs")) == {"docs"}


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("spaces = a", "no field is named 'spaces', at character 1 ('spaces = a')"),
        ("year = x", "'x' is not a number, at character 8 ('x')"),
        ("year = 1 and (space = a", "a parenthesis is not closed, at the end"),
        ("year = 1) and (space = a", "the filter continues after its end, at character 9"),
        ("year = 1 or space = a and year = 2", "inside of `or`, at character 13 ('space"),
        ("year = 1 or space = a", "bound to an `or` already, and can have only one, at char"),
    ],
)
def test_an_error_shows_what_the_caller_wrote_at_its_own_position(where: str, said: str) -> None:
    scope = Scope(where=where, bound_where="space = secret or year = 99")
    with pytest.raises(UsageError) as raised:
        given_filter(scope, check_scope_of([SPEC], Scope()))
    assert said in str(raised.value)
    assert not {"secret", "99"} & set(str(raised.value).replace("'", " ").split())


@pytest.mark.parametrize("bound", ["secret = 1", "year = secret", "year ="])
def test_a_bound_filter_that_cannot_be_asked_is_only_in_the_cause(bound: str) -> None:
    with pytest.raises(UsageError, match="the filter that this search is bound to") as raised:
        check_scope_of([SPEC], Scope(where="year = 1", bound_where=bound))
    assert "secret" not in str(raised.value)
    assert str(raised.value.__cause__).startswith("where: ")


def test_an_attribute_of_two_types_is_named_only_if_the_caller_asks_for_it() -> None:
    other = CollectionSpec("other", "bm25", "chunker", attributes={"year": "date"})
    with pytest.raises(UsageError, match="'year' has the type integer"):
        check_scope_of([SPEC, other], Scope(where="year = 1"))
    with pytest.raises(UsageError, match=r"^the filter that this search is bound to"):
        check_scope_of([SPEC, other], Scope(where="space = a", bound_where="year = 1"))


def test_no_option_of_a_caller_is_a_bound_filter_and_a_scope_keeps_it() -> None:
    assert "bound_where" not in {one.name for one in fields(SearchOptions)}
    scope = Scope(bound_where="kind = docs")
    assert question_of(SearchOptions("a question", scope=scope)).scope == scope
    assert Asked.of(Question("a question", scope), Profile()).question.scope == scope
    with pytest.raises(UsageError, match="bound_where is 5; it takes a filter as text"):
        checked(Question("a question", Scope(bound_where=5)))  # type: ignore[arg-type]
