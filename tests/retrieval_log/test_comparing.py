"""Two events beside each other: every difference has its name and its reason."""

from __future__ import annotations

import math

import msgspec
import pytest

from pincite.model import Question, Scope, Signal
from pincite.model.evidence import OmittedWhy
from pincite.profile import Profile, profile_from
from pincite.retrieval_log import (
    Asked,
    CollectionState,
    Event,
    Failure,
    Found,
    Replay,
    RerankState,
    Shown,
    compare,
)
from pincite.retrieval_log.reading import event_from
from pincite.support.fields import replace

ASKED = Asked.of(Question("a question"), Profile())
STATE = CollectionState("dense/1", "bm25/1", "chunks/1", 2, 20, {"acme": "c0ffee"})


def shown(*ids: str, score: float = 0.5) -> tuple[Shown, ...]:
    return tuple(
        Shown(n, f"c:{i}", i, "main", f"cite {i}", f"{i}.md#L1-L2", one, (one,))
        for n, i in enumerate(ids, start=1)
        for one in (Signal("fused", "rrf", score),)
    )


def event(*ids: str, found: tuple[str, ...] = (), score: float = 0.5) -> Event:
    return Event(
        query_id="aaaa",
        time="2026-01-01T00:00:00Z",
        version="1",
        asked=ASKED,
        collections={"main": STATE},
        found=tuple(Found("main", i, {"fused": 1.0}) for i in found or ids),
        shown=shown(*ids, score=score),
    )


def beside(then: Event, now: Event, present: tuple[str, ...] = ("a", "b", "c")) -> Replay:
    return compare(then, now, ASKED.profile, {("main", i): None for i in present})


def test_the_same_twice_is_the_same() -> None:
    found = beside(event("a", "b"), event("a", "b"))
    assert found.same
    assert [item.reason for item in found.items] == ["", ""]


def test_ranks_and_scores_that_changed_are_named() -> None:
    swapped = beside(event("a", "b"), event("b", "a"))
    assert not swapped.same
    assert [(i.chunk_id, i.rank_then, i.rank_now, i.reason) for i in swapped.items] == [
        ("b", 2, 1, "rank"),
        ("a", 1, 2, "rank"),
    ]
    scored = beside(event("a"), event("a", score=0.6))
    assert [item.reason for item in scored.items] == ["score"]
    assert beside(event("a"), event("a", score=0.5 + 1e-9)).same


def test_an_item_that_is_not_shown_any_more_says_where_it_went() -> None:
    then = event("a", "b", "c")
    now = event("a", found=("a", "x", "b"))
    reasons = {i.chunk_id: i.reason for i in beside(then, now, present=("a", "b")).items}
    assert reasons["b"] == "is found at 3, and not shown"
    assert reasons["c"].startswith("is no longer in the index")
    unfound = beside(then, now, present=("a", "b", "c"))
    assert unfound.items[-1].reason == "is in the index, and not found"


def test_an_item_that_the_search_omits_says_why() -> None:
    present: dict[tuple[str, str], OmittedWhy | None] = {
        ("main", "a"): "stale",
        ("main", "b"): "deleted",
        ("main", "c"): "stale",
    }
    then, now = event("a", "b", "c"), event("c", found=("a", "b", "c"))
    found = compare(then, now, ASKED.profile, present)
    assert {i.chunk_id: i.reason for i in found.items} == {
        "a": "its file has changed since it was indexed",
        "b": "its file is gone",
        "c": "rank",  # it is shown
    }


def test_an_item_that_is_new_says_where_it_was() -> None:
    then = event("a", found=("a", "b"))
    found = beside(then, event("a", "b", "c"))
    assert [i.reason for i in found.items] == [
        "",
        "was found at 2, and not shown",
        "was not found",
    ]


def test_collections_models_and_settings_that_changed_are_named() -> None:
    then = replace(event("a"), reranker=RerankState("rerank/1", "f00", 12))
    other = replace(STATE, dense="dense/2", chunks=21, sources={"acme": "beef"})
    now = replace(
        event("a"), version="2", collections={"main": other, "more": STATE}, reranker=None
    )
    today = {**ASKED.profile, "select": {**ASKED.profile["select"], "results": 12}}
    found = compare(then, now, today, {})
    assert not found.same
    assert {one.name: (one.then, one.now) for one in found.index} == {
        "main.chunks": (20, 21),
        "main.sources.acme": ("c0ffee", "beef"),
        "more.documents": (None, 2),
        "more.chunks": (None, 20),
        "more.sources": (None, {"acme": "c0ffee"}),
    }
    assert {one.name: (one.then, one.now) for one in found.models} == {
        "version": ("1", "2"),
        "main.dense": ("dense/1", "dense/2"),
        "reranker": ("rerank/1", None),
    }
    assert [(one.name, one.then, one.now) for one in found.settings] == [("select.results", 5, 12)]


def test_an_error_in_place_of_a_pack_is_a_change() -> None:
    failed = replace(event(), error=Failure("StoreError", "lost"))
    assert not beside(event("a"), failed).same
    assert beside(failed, failed).same


@pytest.mark.parametrize("budget_ms", [None, 250.0])
def test_a_question_is_read_as_it_was_asked(budget_ms: float | None) -> None:
    question = Question("a question", Scope(paths=("src/*",), ref="v2"), "build", budget_ms)
    read = msgspec.json.decode(msgspec.json.encode(Asked.of(question, Profile())), type=Asked)
    assert read.question == question


@pytest.mark.parametrize(
    "key",
    [
        *("answer.timeout_s", "retrieve.timeout_s", "rerank.timeout_s", "expand.timeout_s"),
        "gate.answerable_s",
    ],
)
def test_a_search_without_a_time_limit_is_read_as_it_was_asked(key: str) -> None:
    table, _, name = key.partition(".")
    profile = profile_from({table: {name: math.inf}}, "here")
    then = replace(event("a"), asked=Asked.of(Question("a question"), profile))
    read = event_from(msgspec.json.encode(then))
    assert read == then
    assert profile_from(read.asked.profile, "the log") == profile
    assert not compare(read, then, then.asked.profile, {}).settings
