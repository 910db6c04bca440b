"""Bounds hold besides whatever a caller asks for."""

from __future__ import annotations

from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.asking import SearchOptions, question_of
from pincite.asking.question import checked
from pincite.errors import TagsRequired, UsageError
from pincite.model import CollectionSpec, Question, Scope
from pincite.ports.predicate import matches
from pincite.profile import Profile
from pincite.retrieval_log import Asked
from pincite.scope.filter import check_scope_of, given_filter
from pincite.scope.required import require_tags
from pincite.scope.schema import for_collection, schema_of
from pincite.scope.tagged_index import filters_of
from tests.builders import chunk

SPEC = CollectionSpec(
    *("chunks", "bm25", "chunker"),
    attributes={"space_id": "keyword", "source_ids": "keywords", "year": "integer"},
    require=("space_id",),
)
SPACES = ("a", "b", "c")
WHERES = (
    "",
    "space_id = 'a'",
    "space_id = 'a' or space_id = 'b'",
    "not space_id = 'a'",
    "year >= 2 or source_ids = 'x'",
    "space_id exists",
)


@given(
    st.sets(st.sampled_from(SPACES)),
    st.sampled_from(WHERES),
    st.sampled_from(SPACES),
    st.lists(st.sampled_from("xyz"), max_size=2, unique=True),
    st.integers(0, 3),
)
def test_nothing_outside_of_its_bounds_passes_whatever_the_filter_is(
    spaces: set[str], where: str, space: str, sources: list[str], year: int
) -> None:
    scope = Scope(where=where, bounds={"space_id": tuple(sorted(spaces))})
    schema = check_scope_of([SPEC], scope)
    filter_ = for_collection(given_filter(scope, schema), SPEC)
    require_tags(SPEC, filter_)  # as the process that has the index asks again
    held = {"space_id": space, "source_ids": tuple(sources), "year": year}
    one = chunk("a", attributes={name: value for name, value in held.items() if value != ()})
    free = for_collection(given_filter(Scope(where=where), schema_of([SPEC], Scope())), SPEC)
    assert matches(filter_, "r", one) == (space in spaces and matches(free, "r", one))


def test_many_values_are_looked_up_and_mean_the_same() -> None:
    bounds = {"space_id": tuple(str(n) for n in range(100_000))}
    filter_ = filters_of([SPEC], {}, bounds)["chunks"]
    held = [chunk("a", attributes={"space_id": str(n)}) for n in (0, 99_999, 100_000)]
    assert [matches(filter_, "r", one) for one in held] == [True, True, False]


def test_bounds_on_what_a_collection_does_not_know_let_nothing_pass() -> None:
    other = CollectionSpec("other", "bm25", "chunker")
    filters = filters_of([SPEC, other], {}, {"space_id": ("a",)})
    assert matches(filters["chunks"], "r", chunk("a", attributes={"space_id": "a"}))
    assert not matches(filters["other"], "r", chunk("a"))


def test_without_bounds_what_is_required_is_asked_for_as_before() -> None:
    with pytest.raises(TagsRequired):
        check_scope_of([SPEC], Scope(bounds={"source_ids": ("x",)}))


def test_no_option_of_a_caller_is_a_bound() -> None:
    assert "bounds" not in {one.name for one in fields(SearchOptions)}
    assert question_of(SearchOptions("a question")).scope.bounds == {}


@pytest.mark.parametrize("bounds", [{"space_id": "a"}, {"space_id": ["a"]}, {"space_id": (1,)}])
def test_bounds_that_are_no_tuples_of_texts_are_refused(bounds: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="bounds 'space_id'"):
        checked(Question("a question", Scope(bounds=bounds)))  # type: ignore[arg-type]


def test_a_logged_question_keeps_its_bounds_or_cannot_be_asked_again() -> None:
    few = Scope(bounds={"space_id": ("a",)})
    assert Asked.of(Question("a question", few), Profile()).question.scope == few
    many = Scope(bounds={"space_id": ("a",), "document_id": tuple(map(str, range(101)))})
    again = Asked.of(Question("a question", many), Profile()).question.scope
    assert again.bounds == {}
    with pytest.raises(TagsRequired):
        check_scope_of([SPEC], again)
