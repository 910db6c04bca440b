"""The embedded engine beside the local mode of `qdrant-client`, on the documentation of this
project: what a search gives must not depend on which of the two stands behind it."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Coroutine
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from qdrant_client import AsyncQdrantClient

from pincite.model import Hit, Point, Ranking
from pincite.ports import AnyOf, Filter, Phrase, SearchRequest, Store, Text
from pincite.stages.fuse import FuseConfig, fuse
from pincite.stores.qdrant.connection import Connection
from pincite.stores.qdrant.store import QdrantStore
from pincite.stores.qdrant_edge.store import EdgeStore
from pincite.support.fields import replace
from pincite.testing.fusions import agree
from pincite.testing.points import DENSE_SPEC, point_of, request_for
from pincite.testing.scores import assert_ordered
from tests.quick_folder import quick_folder

pytestmark = [
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning"),
    pytest.mark.filterwarnings("ignore:Local mode performs exact:UserWarning"),
]

_DOCS = Path(__file__).parents[2] / "docs"
_CHUNKS = 300
_QUESTIONS = 12
_LIMIT = 20
#: Of a score's size, or of 1. Dense ones were seen to differ by 1.3e-7, sparse ones by 1.7e-7.
_TOLERANCE = 1e-5

FILTERS = (
    Filter(),
    Filter(must=(AnyOf("path", ("stores.md", "architecture.md")),)),
    Filter(must_not=(AnyOf("symbols", ("index",)),)),
    Filter(must=(Text("text", "the store"),)),
    Filter(should=(Phrase("text", "the index"), AnyOf("source_type", ("code",)))),
)


@cache
def corpus() -> list[Point]:
    """Some paragraphs of the documentation."""
    every = [
        (str(path.relative_to(_DOCS)), number, text)
        for path in sorted(_DOCS.rglob("*.md"))
        for number, text in enumerate(path.read_text(encoding="utf-8").split("\n\n"))
    ]
    found = []
    for name, number, text in random.Random(7).sample(every, _CHUNKS):
        symbols = tuple(sorted({"index", "store", "search"} & set(text.split())))
        found.append(point_of(text, f"{name}/{number}", path=name, symbols=symbols))
    return found


def questions() -> list[str]:
    """A few words of some paragraphs."""
    dice = random.Random(8)
    return [
        " ".join(dice.sample(words, min(5, len(words))))
        for point in dice.sample(corpus(), _QUESTIONS)
        if (words := point.chunk.text.split())
    ]


async def both(check: Any) -> None:
    with quick_folder() as folder:
        edge: Store = EdgeStore(folder)
        local: Store = QdrantStore(Connection(AsyncQdrantClient(":memory:"), "the local engine"))
        points = corpus()
        for store in (edge, local):
            await store.create(DENSE_SPEC)
            await store.stage("main", {"r1": points})
            await store.publish("main", {"r1": None})
        await check(edge, local)
        await edge.close()
        await local.close()


def run(check: Any) -> None:
    session: Coroutine[Any, Any, None] = both(check)
    asyncio.run(session)


def assert_alike(ours: Ranking, theirs: Ranking) -> None:
    """The same scores place by place, and the same ids where scores are not tied."""
    assert (ours.signal, ours.kind, ours.depth) == (theirs.signal, theirs.kind, theirs.depth)
    for ranking in (ours, theirs):
        assert_ordered(ranking)
    mine, others = ours.hits[: ours.depth], theirs.hits[: theirs.depth]
    scores = [hit.score for hit in others]
    assert [hit.score for hit in mine] == pytest.approx(scores, rel=_TOLERANCE, abs=_TOLERANCE)
    floor = scores[-1] + 2 * _TOLERANCE * (1 + abs(scores[-1])) if scores else 0.0
    assert above(mine, floor) == above(others, floor)
    known = {hit.id: hit.score for hit in theirs.hits}
    for hit in ours.hits:
        if hit.id in known:
            assert hit.score == pytest.approx(known[hit.id], rel=_TOLERANCE, abs=_TOLERANCE)


def above(hits: tuple[Hit, ...], floor: float) -> set[str]:
    return {hit.id for hit in hits if hit.score > floor}


def requests() -> list[SearchRequest]:
    return [
        request_for(text, filter=one, exact=True, dense_limit=_LIMIT, sparse_limit=_LIMIT)
        for text in questions()
        for one in FILTERS
    ]


def test_dense_sparse_and_filtered_rankings_are_the_same() -> None:
    async def check(edge: Store, local: Store) -> None:
        found = 0
        for request in requests():
            ours = await edge.search("main", request)
            theirs = await local.search("main", request)
            for mine, other in zip(ours, theirs, strict=True):
                assert_alike(mine, other)
                found += len(mine.hits)
        assert found > 1_000

    run(check)


Answer = tuple[Ranking, ...]


def in_both(ours: Answer, theirs: Answer) -> tuple[Answer, Answer]:
    """Both answers with the hits that both have. Each engine has an order of its own for hits of
    the same score. Where they are tied at the limit, the engines return different ones, and the
    lowest score of these scales all others."""
    answers = (ours, theirs)
    mine, others = ({hit.id for ranking in one for hit in ranking.hits} for one in answers)
    for answer, alone in ((ours, mine - others), (theirs, others - mine)):
        assert alone <= tied(answer)
    one, other = (tuple(only(ranking, mine & others) for ranking in each) for each in answers)
    return one, other


def tied(answer: Answer) -> set[str]:
    """The hits whose score on one of the sides is that of the last hit within the limit."""
    found: set[str] = set()
    for ranking in answer:
        hits = ranking.hits[: ranking.depth]
        floor = hits[-1].score if hits else 0.0
        found |= {hit.id for hit in hits if hit.score == pytest.approx(floor, rel=_TOLERANCE)}
    return found


def only(ranking: Ranking, ids: set[str]) -> Ranking:
    depth = sum(hit.id in ids for hit in ranking.hits[: ranking.depth])
    hits = tuple(hit for hit in ranking.hits if hit.id in ids)
    return replace(ranking, hits=hits, depth=depth)


async def assert_fused_alike(edge: Store, local: Store, request: SearchRequest) -> None:
    answers = [await store.search("main", request) for store in (edge, local)]
    fused = [fuse(answer, FuseConfig()) for answer in in_both(*answers)]
    ours, theirs = ({one.id: one.score for one in found} for found in fused)
    assert len(ours) >= 0.9 * _LIMIT
    assert ours == pytest.approx(theirs, abs=1e-4)


def test_our_fusion_of_either_is_the_same() -> None:
    async def check(edge: Store, local: Store) -> None:
        for request in requests()[:: len(FILTERS)]:
            await assert_fused_alike(edge, local, request)

    run(check)


def test_our_fusion_of_either_is_the_same_if_many_are_tied_at_the_limit() -> None:
    """A hit that only one engine returned had the lowest score, so that all scores differed."""
    words = ("turnstile", "gate", "bread", "dough", "key", "secret", "index", "store")
    texts = [f"lantern {one} {other}" for one in words for other in words if one != other]

    async def check(edge: Store, local: Store) -> None:
        for store in (edge, local):
            await store.stage("main", {"r2": [point_of(text) for text in texts]})
            await store.publish("main", {"r2": None})
        limits = {"exact": True, "dense_limit": _LIMIT, "sparse_limit": len(texts) - 3}
        for text in ("lantern", "lantern turnstile"):
            await assert_fused_alike(edge, local, request_for(text, **limits))

    run(check)


@pytest.mark.parametrize("fusion", ["rrf", "dbsf"])
def test_fusion_by_either_engine_is_that_of_the_branches(fusion: str) -> None:
    async def check(edge: Store, local: Store) -> None:
        for request in requests()[:: len(FILTERS)]:
            whole = replace(request, complete=False, dense_limit=_CHUNKS, sparse_limit=_CHUNKS)
            branches = await edge.search("main", whole)
            asked = replace(request, fusion=fusion, fusion_limit=10)
            for store in (edge, local):
                (ranking,) = await store.search("main", asked)
                agree(ranking, branches, asked)

    run(check)
