"""Fields of other programs: what chunks and filters make of them, and what does not fit."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from qdrant_client import models

from pincite.errors import UsageError
from pincite.scope.where import parse_where
from tests.stores.foreign import (
    TEXTS,
    asking,
    hex_of,
    langchain,
    load,
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


@pytest.fixture
def server() -> Iterator[Recorder]:
    with reading_server() as recorder:
        yield recorder


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


@pytest.mark.parametrize("blank", ["", " ", "\n\u3000"])
def test_a_point_without_words_is_no_evidence(server: Recorder, blank: str) -> None:
    payloads = [{"body": blank}, {"body": " keys"}]
    put(server, "theirs", [point(n, "x", p) for n, p in enumerate(payloads)])
    assert [one.chunk.text for one in load(server, 0, 1, keys={"text": "body"})] == [" keys"]


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
        ({"collection": "nowhere"}, "no collection is named 'nowhere'"),
        ({}, "several vectors or none; known vectors: 'a', 'b'"),
        ({"vector": "c"}, "no vector 'c'; known vectors: 'a', 'b'"),
        ({"vector": "a", "sparse": "bm26"}, "no sparse vector 'bm26'; known vectors: 'bm25'"),
        ({"vector": "a", "dimensions": 384}, "have 16 dimensions, but hashing makes 384"),
        ({"vector": "a", "keys": {"text": "content"}}, "they have metadata.source, page_content"),
        ({"collection": "plain", "vector": "a"}, "one vector without a name: remove `vector`"),
        ({"collection": "many"}, "several vectors for each point"),
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
