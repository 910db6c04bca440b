"""What other programs keep on a Qdrant server is searched as it is, and never written to."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from qdrant_client import models

from pincite.errors import StoreError, UsageError
from pincite.model import Ranking
from pincite.ports import SearchRequest
from pincite.stores.foreign_ids import PointIds
from pincite.where import parse_where
from tests.stores.foreign import (
    BM25,
    ENCODER,
    TEXTS,
    embed,
    hex_of,
    langchain,
    llamaindex,
    mcp_server_qdrant,
    opened,
    point,
    put,
)
from tests.stores.qdrant_http import Recorder, recording_server

pytestmark = [
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning"),
    pytest.mark.filterwarnings("ignore:Local mode performs exact:UserWarning"),
]
UUID_ = "0192f0c1-0000-7000-8000-0000000000aa"
READS = {
    "GET /collections/{collection_name}",
    "GET /collections/{collection_name}/exists",
    "POST /collections/{collection_name}/points",
    "POST /collections/{collection_name}/points/scroll",
    "POST /collections/{collection_name}/points/query/batch",
}


@pytest.fixture
def server() -> Iterator[Recorder]:
    """Whatever a test does: everything that was asked follows the description and only reads."""
    with recording_server() as recorder:
        yield recorder
        assert recorder.wrong == []
        assert recorder.operations <= READS


def asking(text: str = "rotate the key", **values: Any) -> SearchRequest:
    return SearchRequest(**({"dense": embed(text)} | values))


def search(
    server: Recorder, request: SearchRequest, name: str = "theirs", **values: Any
) -> tuple[Ranking, ...]:
    async def ask() -> tuple[Ranking, ...]:
        async with opened(server, name, **values) as collection:
            return await collection.search("wiki", request)

    return asyncio.run(ask())


def load(server: Recorder, *ids: int | str, name: str = "theirs", **values: Any) -> tuple[Any, ...]:
    async def ask() -> tuple[Any, ...]:
        async with opened(server, name, **values) as collection:
            return await collection.load("wiki", list(map(hex_of, ids)), vectors=True)

    return asyncio.run(ask())


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


KEYS = {
    "text": "body",
    "path": "meta.file",
    "url": "meta.link",
    "ref": "meta.rev",
    "repo": "meta.repo",
    "title": "headline",
    "language": "meta.lang",
    "source_type": "meta.type",
    "start_line": "meta.from",
    "end_line": "meta.to",
    "headings": "meta.headings",
    "symbols": "meta.name",
}
WHOLE: dict[str, Any] = {
    "body": "def rotate(): ...",
    "headline": "Keys",
    "meta": {
        "file": "src/keys.py",
        "link": "https://example.org/keys",
        "rev": "v1",
        "repo": "acme",
        "lang": "python",
        "type": "code",
        "from": 3,
        "to": "4",
        "headings": ["A", "B"],
        "name": "rotate",
    },
}


def test_every_field_comes_from_where_the_map_says_and_nothing_is_made_up(
    server: Recorder,
) -> None:
    odd = {"body": "b", "meta": {"from": -3, "to": True, "type": "pdf", "headings": "A", "rev": 7}}
    backwards = {"body": "c", "meta": {"from": 9, "to": 3}}
    flat = {"body": "d", "meta.file": "flat.md", "meta": "no table"}
    payloads = [WHOLE, odd, backwards, flat, {"meta": {"file": "without.md"}}]
    put(server, "theirs", [point(n, "x", p) for n, p in enumerate(payloads)])
    whole, second, third, fourth = (one.chunk for one in load(server, *range(5), keys=KEYS))
    assert (whole.text, whole.title, whole.path) == ("def rotate(): ...", "Keys", "src/keys.py")
    assert (whole.repo, whole.ref, whole.language) == ("acme", "v1", "python")
    assert (whole.source_type, whole.url) == ("code", "https://example.org/keys")
    assert (whole.start_line, whole.end_line) == (3, 4)
    assert (whole.headings, whole.symbols) == (("A", "B"), ("rotate",))
    assert (second.start_line, second.end_line, second.source_type) == (0, 0, "docs")
    assert (second.headings, second.ref, second.path, second.url) == (("A",), "7", "", None)
    assert (third.start_line, third.end_line, third.repo) == (0, 0, "wiki")
    assert (fourth.path, fourth.ref) == ("flat.md", "")


@pytest.mark.parametrize(
    ("where", "found"),
    [
        ("path ^= src/", {0}),
        ("path = docs/b.md", {1}),
        ("not path ^= src/", {1, 2}),
        ("path exists", {0, 1}),
        ("start_line >= 3 and end_line < 9", {0}),
        ("repo = wiki", {0, 1, 2}),
        ("repo != wiki", set()),
        ("source_type = docs", {0, 1, 2}),
        ("source_type = code", set()),
        ("source_type = code or path ^= src/", {0}),
        ("source_type = docs or path ^= src/", {0, 1, 2}),
        ("language = go", set()),
        ("language != go", {0, 1, 2}),
        ("url exists", set()),
        ("title ~ anything", set()),
        ("text ~ keys", {0}),
        ("text ~ 'keys here'", {0}),
    ],
)
def test_a_filter_means_what_it_means_elsewhere(
    server: Recorder, where: str, found: set[int]
) -> None:
    payloads: list[dict[str, Any]] = [
        {"body": "keys here", "meta": {"file": "src/keys.py", "from": 3, "to": 4}},
        {"body": "backups", "meta": {"file": "docs/b.md", "from": 1, "to": 99}},
        {"body": "invoices"},
    ]
    put(server, "theirs", [point(n, p["body"], p) for n, p in enumerate(payloads)])
    server.words["theirs"] = ["body"]
    names = ("text", "path", "start_line", "end_line")
    request = asking(filter=parse_where(where))
    (ranking,) = search(server, request, keys={name: KEYS[name] for name in names})
    assert {hit.id for hit in ranking.hits} == set(map(hex_of, found))


def test_words_without_a_full_text_index_are_refused(server: Recorder) -> None:
    put(server, "theirs", [point(0, TEXTS[0], langchain(TEXTS[0]))])
    with pytest.raises(UsageError, match="page_content has no full-text index"):
        search(server, asking(filter=parse_where("text ~ key")))


def test_globs_and_revisions_cannot_be_asked(server: Recorder) -> None:
    async def ask() -> None:
        async with opened(server, "theirs") as collection:
            with pytest.raises(UsageError) as caught:
                await collection.documents("wiki")
            assert "--where" in caught.value.hint
            with pytest.raises(UsageError, match="not indexed"):
                await collection.document("wiki", "wiki", "a.md")

    asyncio.run(ask())


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"collection": "nowhere"}, "there is no collection 'nowhere'"),
        ({}, "several vectors or none; there are: 'a', 'b'"),
        ({"vector": "c"}, "no vector 'c'; there are: 'a', 'b'"),
        ({"vector": "a", "sparse": "bm26"}, "no sparse vector 'bm26'; there are: 'bm25'"),
        ({"vector": "a", "dimensions": 384}, "have 16 dimensions, and hashing gives 384"),
        ({"vector": "a", "keys": {"text": "content"}}, "they have metadata.source, page_content"),
        ({"collection": "plain", "vector": "a"}, "one vector without a name: leave `vector` out"),
        ({"collection": "many"}, "many vectors for each point"),
        ({"collection": "ours"}, "belongs to an index of Pincite"),
    ],
)
def test_what_does_not_fit_is_refused_with_what_there_is(
    server: Recorder, values: dict[str, Any], said: str
) -> None:
    text = langchain(TEXTS[0], source="a.md")
    named = point(0, TEXTS[0], text, dense="a", sparse="bm25")
    put(server, "theirs", [named], ["a", "b"], sparse="bm25")
    put(server, "plain", [point(0, TEXTS[0], text)])
    each = models.MultiVectorConfig(comparator=models.MultiVectorComparator.MAX_SIM)
    params = models.VectorParams(size=16, distance=models.Distance.COSINE, multivector_config=each)
    server.engine.create_collection("many", vectors_config=params)
    server.engine.create_collection("ours", vectors_config=params, metadata={"pincite": {}})
    with pytest.raises(UsageError) as caught:
        search(server, asking(), **({"name": values.pop("collection", "theirs")} | values))
    assert said in caught.value.message
    assert "[collections.wiki]" in caught.value.hint


def test_a_query_of_another_size_is_refused_with_the_size_that_fits(server: Recorder) -> None:
    put(server, "theirs", [point(0, TEXTS[0], langchain(TEXTS[0]))])
    with pytest.raises(UsageError) as caught:
        search(server, asking(dense=np.ones(4, np.float32) / 2))
    assert "16 dimensions, and hashing gives 4" in caught.value.message
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
