"""Notes of several institutions in one collection on a Qdrant server, judged by Voyage's reranker:
what goes over the wire, and what comes back."""

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from pincite.engine import AsyncPincite
from pincite.errors import ConfigError, TagsRequired
from tests.surfaces.campus import LACKING, QUESTION, TAGS, Campus, noted
from tests.surfaces.campus import campus as campus

SEARCH = "POST /collections/{collection_name}/points/query/batch"

pytestmark = [
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning"),
    pytest.mark.filterwarnings("ignore:Local mode performs exact:UserWarning"),
]


def test_fifteen_candidates_reach_the_reranker_which_gives_the_best_five(campus: Campus) -> None:
    scores = {f"n{n:02}": (30 + n) / 100 for n in range(20)}
    campus.write(scores)
    pack = campus.search()
    (body,) = campus.asked("/rerank")
    assert (body["model"], body["top_k"], body["query"]) == ("rerank-2", 5, QUESTION)
    assert len(body["documents"]) == 15
    texts = {noted(name, score) for name, score in scores.items()}
    assert set(body["documents"]) < texts  # the texts alone
    (query,) = campus.asked("/embeddings")
    assert (query["input_type"], query["input"]) == ("query", [QUESTION])
    best = sorted(
        (scores[one[len("A heat pump moves heat, says note ") :][:3]], one)
        for one in body["documents"]
    )[::-1]
    assert [one.text for one in pack] == [text for _, text in best[:5]]
    assert [one.score for one in pack] == [score for score, _ in best[:5]]
    assert pack.verdict.thresholds == "assumed"
    assert (pack.verdict.level, pack.verdict.signal) == ("grounded", "reranked")
    assert pack.plan.passes == ("first",)
    (found,) = campus.stored(SEARCH)
    (one,) = found["searches"]
    assert (one["limit"], one["using"]) == (15, "dense")
    assert one["filter"]["must"] == [
        {"key": name, "match": {"any": [value]}} for name, value in sorted(TAGS.items())
    ]


def test_who_asks_for_more_results_gets_more(campus: Campus) -> None:
    campus.write({f"n{n:02}": 0.5 for n in range(20)})
    pack = campus.search(limit=18)
    (body,) = campus.asked("/rerank")
    assert (len(pack), len(body["documents"])) == (18, 18)
    assert "top_k" not in body  # all of them


def test_a_collection_is_made_with_two_segments_and_1024_dimensions(campus: Campus) -> None:
    campus.write({"a": 0.5})
    (made,) = campus.stored("PUT /collections/{collection_name}")
    assert made["optimizers_config"] == {"default_segment_number": 2}
    assert (made["vectors"]["dense"]["size"], made["vectors"]["dense"]["distance"]) == (
        1024,
        "Cosine",
    )
    (embedded,) = campus.asked("/embeddings")
    assert embedded["input_type"] == "document"


def test_a_point_has_the_names_of_the_application_and_its_result_too(campus: Campus) -> None:
    campus.write({"a": 0.5})
    (payload,) = campus.payloads()
    names = ("text", "page_number", "isVisual", "imageUrl", *TAGS, "courseName", "chunkIndex")
    held = {name: payload[name] for name in names}
    wanted = {"page_number": 3, "isVisual": False, "imageUrl": None, "chunkIndex": 0}
    assert held == {"text": noted("a", 0.5), **wanted, **TAGS, "courseName": "Physics"}
    pack = campus.search(where="page_number = 3 and chunkIndex = 0 and isVisual = false")
    one = {
        "text": noted("a", 0.5),
        "score": 0.5,
        "page": 3,
        "isVisual": False,
        "imageUrl": None,
    }
    assert pack.to_notes() == [one]
    assert len(campus.search(where="page_number = 4")) == 0
    assert len(campus.search(where="not imageUrl exists")) == 1


@pytest.mark.parametrize(("score", "level"), [(0.2, "grounded"), (0.1999, "none")])
def test_the_threshold_passes_itself_and_nothing_below(
    campus: Campus, score: float, level: str
) -> None:
    campus.write({"a": score, "b": 0.1})
    pack = campus.search()
    assert (pack.verdict.level, pack.verdict.value) == (level, score)
    assert [one.score for one in pack] == ([0.2, 0.1] if level == "grounded" else [])


def test_a_name_that_is_defined_does_not_lift_what_is_below_the_threshold(campus: Campus) -> None:
    campus.write({"a": 0.1})
    place = campus.folder / "code/pumps.py"
    place.parent.mkdir()
    place.write_text("# relevance=0.1\ndef move_heat():\n    return 1\n", encoding="utf-8")
    campus.within(lambda engine: engine.index(place.parent, attributes=TAGS))
    pack = campus.search("what does move_heat() do")
    assert {"pumps.py", "north/exam/a"} == {one.path for one in pack.closest}
    assert (pack.verdict.level, len(pack), pack.plan.passes) == ("none", 0, ("first",))


def test_without_candidates_the_reranker_is_not_asked(campus: Campus) -> None:
    campus.write({"a": 0.9})
    pack = campus.search(tags={"institution": "south", "mode": "exam"})
    assert (pack.verdict.level, len(pack), pack.to_notes()) == ("none", 0, [])
    assert campus.asked("/rerank") == []


@pytest.mark.parametrize("named", [True, False])
def test_without_a_reranker_what_is_measured_decides_and_the_pack_says_so(
    campus: Campus, named: bool
) -> None:
    """With a key that is lost after indexing, and with no reranker at all."""
    campus.write({"a": 0.1})
    if named:
        campus.server.fail("401", times=1, path="/rerank")
    else:
        campus.configure('[models]\nrerank = ""')
    pack = campus.search()
    codes = [notice.code for notice in pack.warnings]
    assert "rerank_missing" in codes
    assert ("rerank_unavailable" in codes) is named
    assert pack.verdict.signal in ("coverage", "dense")
    assert pack.verdict.thresholds == "assumed"  # voyage's cosines are not the bundled model's


def test_without_a_reranker_a_note_has_its_cosine(campus: Campus) -> None:
    campus.write({"a": 0.1, "b": 0.2, "c": 0.3})
    campus.configure('[models]\nrerank = ""')
    pack = campus.search()
    cosines = [one.value for item in pack for one in item.signals if one.kind == "cosine"]
    assert len(cosines) == 3
    assert [note["score"] for note in pack.to_notes()] == cosines
    assert 1 > cosines[0] > cosines[-1] > 0
    assert pack[0].score == 1.0  # the order's: a share of the best


def test_a_model_of_another_size_is_refused_before_anything_is_made(campus: Campus) -> None:
    campus.configure('[models]\ndense = "voyage:voyage-code-2"')
    with pytest.raises(ConfigError, match=r"1536 dimensions, but store\.dimensions is 1024"):
        campus.write({"a": 0.5})
    assert campus.qdrant.requests == []


def test_forgotten_tags_are_refused_before_anybody_is_asked(campus: Campus) -> None:
    campus.write({"a": 0.9})
    pack = campus.search()
    citation = pack[0].citation
    calls: dict[str, Callable[[AsyncPincite, dict[str, Any]], Awaitable[Any]]] = {
        "search": lambda engine, tags: engine.search(QUESTION, tags=tags),
        "get": lambda engine, tags: engine.get(citation, tags=tags),
        "verify": lambda engine, tags: engine.verify(pack, tags=tags),
        "check": lambda engine, tags: engine.check([citation], tags=tags),
        "delete": lambda engine, tags: engine.delete(ids=["a"], tags=tags),
    }

    async def refused(engine: AsyncPincite) -> None:
        for (name, call), tags in itertools.product(calls.items(), LACKING):
            campus.server.record.clear()
            campus.qdrant.requests.clear()
            with pytest.raises(TagsRequired):
                await call(engine, tags)
            assert campus.server.record.requests == 0, (name, tags)
            assert [one for one, _ in campus.qdrant.requests if "/points" in one] == [], name

    campus.within(refused)
