"""A search among documents that are chosen finds what a filter with all of them finds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pincite.model import CollectionSpec, Point, Ranking
from pincite.ports import AnyOf, Ids, SearchRequest
from pincite.scope.choosing import DOCUMENT_ID, Choice, ChosenIndex
from pincite.stores.memory import MemoryStore
from pincite.support.fields import replace
from pincite.testing.points import DENSE_SPEC, point_of, request_for

pytestmark = pytest.mark.anyio

SPEC: CollectionSpec = replace(DENSE_SPEC, name="main", attributes={DOCUMENT_ID: "keyword"})
WORDS = ("fox", "hen", "cow", "owl", "brown", "white", "red")
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4), max_size=40)


@dataclass
class Chosen:
    """Documents that are chosen, and how often was asked for all of them. `many`: how many they
    are, where most have no hits."""

    ids: frozenset[str]
    asked: list[int] = field(default_factory=list)
    whole: int = 0
    most: list[int | None] = field(default_factory=list)
    many: int = 0

    async def among(self, ids: frozenset[str]) -> frozenset[str]:
        self.asked.append(len(ids))
        return ids & self.ids

    async def all_of(self, most: int | None) -> tuple[str, ...] | None:
        self.whole += 1
        self.most.append(most)
        if most is not None and (self.many or len(self.ids)) > most:
            return None
        return tuple(sorted(self.ids))


async def _store(texts: list[str]) -> MemoryStore:
    """Two chunks to a document."""
    store = MemoryStore()
    await store.create(SPEC)
    points: dict[str, list[Point]] = {}
    for number, text in enumerate(texts):
        named = {DOCUMENT_ID: f"d{number // 2}"}
        point = point_of(text, f"chunk {number}", attributes=named)
        points.setdefault(f"r{number // 2}", []).append(point)
    await store.stage(SPEC.name, points)
    await store.publish(SPEC.name, dict.fromkeys(points))
    return store


async def _both(
    store: MemoryStore, chosen: Chosen, request: SearchRequest
) -> tuple[tuple[Ranking, ...], tuple[Ranking, ...]]:
    """What a filter finds, and what is found without one."""
    only = AnyOf(DOCUMENT_ID, tuple(sorted(chosen.ids))) if chosen.ids else Ids(())
    plain = replace(request, filter=replace(request.filter, must=(only,)))
    index: Any = store
    without = ChosenIndex(index, Choice(chosen.among, chosen.all_of))
    return await store.search("main", plain), await without.search("main", request)


@settings(max_examples=40, deadline=None)
@given(
    texts=TEXTS,
    numbers=st.sets(st.integers(0, 19)),
    asked=st.sampled_from(WORDS),
    limits=st.tuples(st.integers(1, 8), st.integers(1, 8)),
    complete=st.booleans(),
)
async def test_it_finds_what_the_filter_finds(
    texts: list[list[str]],
    numbers: set[int],
    asked: str,
    limits: tuple[int, int],
    complete: bool,
) -> None:
    store = await _store([" ".join(words) for words in texts])
    chosen = Chosen(frozenset(f"d{number}" for number in numbers))
    dense, sparse = limits
    request = request_for(asked, dense_limit=dense, sparse_limit=sparse, complete=complete)
    with_filter, without = await _both(store, chosen, request)
    assert without == with_filter


async def test_where_nearly_all_hits_are_of_others_it_asks_for_all_that_are_chosen() -> None:
    store = await _store([f"fox {'hen ' * (number % 7)}" for number in range(1_200)])
    chosen = Chosen(frozenset({"d599"}))
    with_filter, without = await _both(store, chosen, request_for("fox", dense_limit=2_000))
    assert without == with_filter
    assert chosen.whole == 1


async def test_a_short_list_is_asked_for_before_it_looks_at_many_hits() -> None:
    """A long one is asked for when all else was tried; what is found is the same."""
    store = await _store([f"fox {'hen ' * (number % 7)}" for number in range(1_200)])
    request = request_for("fox", dense=None, dense_limit=20, sparse_limit=20)
    seen = {}
    for many in (1_500, 1_000_000):
        chosen = Chosen(frozenset({"d599"}), many=many)
        with_filter, without = await _both(store, chosen, request)
        assert without == with_filter
        seen[many] = (chosen.most, sum(chosen.asked))
    short, long = seen[1_500], seen[1_000_000]
    assert short[0] == [16 * 8 * 20]
    assert long[0] == [16 * 8 * 20, 16 * 32 * 20, 16 * 128 * 20]
    assert short[1] <= 2 * 20 < long[1]


async def test_a_list_is_not_asked_for_where_the_next_hits_may_be_enough() -> None:
    store = await _store(["fox"] * 400)
    chosen = Chosen(frozenset(f"d{number}" for number in range(0, 200, 4)))
    request = request_for("fox", dense=None, dense_limit=20, sparse_limit=20)
    with_filter, without = await _both(store, chosen, request)
    assert without == with_filter
    assert chosen.whole == 0
    assert len(chosen.asked) > 1


async def test_documents_are_asked_for_once_in_a_search_and_only_those_that_were_found() -> None:
    store = await _store(["fox", "hen", "cow", "owl"] * 50)
    chosen = Chosen(frozenset(f"d{number}" for number in range(100)))
    index: Any = store
    search = ChosenIndex(index, Choice(chosen.among, chosen.all_of))
    for _ in range(3):
        await search.search("main", request_for("fox", dense=None, sparse_limit=60))
    assert (len(chosen.asked), chosen.whole) == (1, 0)
    assert chosen.asked[0] < 100
