"""What other programs keep on a Qdrant server is searched as it is, and never written to."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from qdrant_client import models

from pincite.errors import StoreError, UsageError
from pincite.scope.where import parse_where
from pincite.stores.foreign_ids import PointIds
from pincite.support.fields import replace
from tests.stores.foreign import (
    BM25,
    ENCODER,
    TEXTS,
    asking,
    embed,
    hex_of,
    langchain,
    llamaindex,
    load,
    mcp_server_qdrant,
    opened,
    point,
    put,
    reading_server,
    search,
)
from tests.stores.qdrant_http import Recorder

pytestmark = [
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning"),
    pytest.mark.filterwarnings("ignore:Local mode performs exact:UserWarning"),
]
UUID_ = "0192f0c1-0000-7000-8000-0000000000aa"


@pytest.fixture
def server() -> Iterator[Recorder]:
    with reading_server() as recorder:
        yield recorder


@pytest.mark.parametrize(
    ("layout", "make", "names", "path"),
    [
        ("langchain", langchain, {}, "source"),
        ("langchain", langchain, {"dense": "content", "sparse": "langchain-sparse"}, "source"),
        ("llamaindex", llamaindex, {}, "file_path"),
        ("llamaindex", llamaindex, {"dense": "text-dense", "sparse": "text-sparse-new"}, ""),
        ("mcp-server-qdrant", mcp_server_qdrant, {"dense": "fast-all-minilm-l6-v2"}, "path"),
    ],
)
def test_the_layouts_of_others_are_searched_by_meaning_and_by_word(
    server: Recorder, layout: str, make: Any, names: dict[str, str], path: str
) -> None:
    metadata = [{path: f"docs/{n}.md"} if path else {} for n in range(3)]
    payloads = [make(text, **about) for text, about in zip(TEXTS, metadata, strict=True)]
    points = [point(n, t, p, **names) for n, (t, p) in enumerate(zip(TEXTS, payloads, strict=True))]
    sparse = names.get("sparse", "")
    put(server, "theirs", points, [names["dense"]] if names else None, sparse=sparse)
    asked = asking(sparse=BM25.encode_query("rotate the key") if sparse else None)
    rankings = search(server, asked, keys=layout, sparse=sparse)
    assert [(r.signal, r.kind) for r in rankings] == [
        ("dense", "cosine"),
        *([("sparse", "bm25")] if sparse else []),
    ]
    for ranking in rankings:
        assert ranking.hits[0].id == hex_of(0)
        assert ranking.collection == "wiki"
    assert rankings[0].hits[0].score == pytest.approx(
        float(embed("rotate the key") @ ENCODER.vector(TEXTS[0])), abs=1e-5
    )
    (stored,) = load(server, 0, keys=layout, sparse=sparse)
    chunk = stored.chunk
    assert (chunk.text, chunk.path) == (TEXTS[0], "docs/0.md" if path else "")
    assert (chunk.repo, chunk.ref, chunk.start_line, chunk.end_line) == ("wiki", "", 0, 0)
    assert np.allclose(stored.vector, ENCODER.vector(TEXTS[0]), atol=1e-6)


def test_each_side_knows_what_the_other_found(server: Recorder) -> None:
    names = {"dense": "d", "sparse": "s"}
    points = [point(n, text, langchain(text), **names) for n, text in enumerate(TEXTS)]
    put(server, "theirs", points, ["d"], sparse="s")
    request = asking(sparse=BM25.encode_query("backups"), dense_limit=1, sparse_limit=1)
    dense, sparse = search(server, request, sparse="s")
    assert dense.depth == sparse.depth == 1
    assert {hit.id for hit in dense.hits} == {hex_of(0), hex_of(1)}
    assert [hit.id for hit in sparse.hits] == [hex_of(1)]
    whole = search(server, asking(sparse=BM25.encode_query("backups")), sparse="s")
    known = {hit.id: hit.score for hit in whole[0].hits}
    assert {hit.id: hit.score for hit in dense.hits} == pytest.approx(
        {key: known[key] for key in (hex_of(0), hex_of(1))}
    )
    (fused,) = search(server, replace(request, fusion="rrf"), sparse="s")
    assert fused.signal == "fused"
    assert {hit.id for hit in fused.hits} == {hex_of(0), hex_of(1)}


@pytest.mark.parametrize(
    ("distance", "factor", "kind"),
    [
        (models.Distance.COSINE, 3.0, "cosine"),
        (models.Distance.DOT, 1.0, "cosine"),
        (models.Distance.DOT, 3.0, "dot"),
        (models.Distance.EUCLID, 1.0, "cosine"),
        (models.Distance.EUCLID, 3.0, "normalised"),
        (models.Distance.MANHATTAN, 1.0, "normalised"),
    ],
)
def test_more_is_better_whatever_the_distance(
    server: Recorder, distance: models.Distance, factor: float, kind: str
) -> None:
    points = []
    for number, text in enumerate(TEXTS):
        one = point(number, text, langchain(text))
        points.append(one.model_copy(update={"vector": [factor * v for v in one.vector]}))
    put(server, "theirs", points, distance=distance)
    (ranking,) = search(server, asking())
    assert ranking.kind == kind
    assert ranking.hits[0].id == hex_of(0)
    scores = [hit.score for hit in ranking.hits]
    assert scores == sorted(scores, reverse=True)
    truth = float(embed("rotate the key") @ ENCODER.vector(TEXTS[0]))
    if kind == "cosine":
        assert scores[0] == pytest.approx(truth, abs=1e-5)
    elif kind == "dot":
        assert scores[0] == pytest.approx(factor * truth, abs=1e-4)
    else:
        assert all(0 < score <= 1 for score in scores)


def test_numbers_and_uuids_are_ids_there_and_back(server: Recorder) -> None:
    ids: list[int | str] = [0, 7, 2**64 - 1, UUID_]
    assert len({hex_of(i)[:12] for i in ids}) == len(ids)
    assert [PointIds("wiki").point_id(hex_of(i)) for i in ids] == ids
    assert PointIds("other").chunk_id(7) != hex_of(7)
    put(server, "theirs", [point(i, TEXTS[0], langchain(f"{TEXTS[0]} {i}")) for i in ids])
    (ranking,) = search(server, asking())
    assert {hit.id for hit in ranking.hits} == set(map(hex_of, ids))
    found = load(server, *ids, "0192f0c1-0000-7000-8000-0000000000ff")
    assert [one.chunk.text for one in found] == [f"{TEXTS[0]} {i}" for i in ids]
    only = asking(filter=parse_where(f"id in ({hex_of(7)}, {hex_of(UUID_)})"))
    (ranking,) = search(server, only)
    assert {hit.id for hit in ranking.hits} == {hex_of(7), hex_of(UUID_)}

    async def pages() -> list[str]:
        async with opened(server, "theirs") as collection:
            first = await collection.page("wiki", None, 3)
            rest = await collection.page("wiki", first[-1].id, 3)
            begun = await collection.page("wiki", hex_of(UUID_)[:12], 1)
            return [chunk.id for chunk in (*first, *rest, *begun)]

    assert asyncio.run(pages()) == [*map(hex_of, ids), hex_of(UUID_)]


def test_a_query_of_another_size_is_refused_with_the_size_that_fits(server: Recorder) -> None:
    put(server, "theirs", [point(0, TEXTS[0], langchain(TEXTS[0]))])
    with pytest.raises(UsageError) as caught:
        search(server, asking(dense=np.ones(4, np.float32) / 2))
    assert "16 dimensions, but hashing makes 4" in caught.value.message
    assert "@16" in caught.value.hint


def test_an_empty_collection_is_searched(server: Recorder) -> None:
    put(server, "theirs", [])
    (ranking,) = search(server, asking())
    assert ranking.hits == ()


def test_a_server_that_refuses_says_so_and_the_next_try_may_work(server: Recorder) -> None:
    put(server, "theirs", [point(0, TEXTS[0], langchain(TEXTS[0]))])

    async def ask() -> None:
        async with opened(server, "theirs") as collection:
            server.failing = [403]
            with pytest.raises(StoreError, match="403"):
                await collection.look()
            assert (await collection.look()).points == 1

    asyncio.run(ask())


def test_nothing_is_asked_where_nothing_can_fit(server: Recorder) -> None:
    put(server, "theirs", [point(0, TEXTS[0], langchain(TEXTS[0]))])
    search(server, asking(filter=parse_where("symbols = rotate")))
    assert not any(operation.endswith("/query/batch") for operation in server.operations)
