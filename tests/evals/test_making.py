"""Golden sets are made: generated from chunks, grown by judging, and approximate search is seen."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass

import pytest

from pincite.errors import UsageError
from pincite.evals.analysis.approximate import check_ann
from pincite.evals.golden.generate import generate
from pincite.evals.golden.label import judge, next_id, pool
from pincite.evals.golden.questions import Expected, GoldenQuery
from pincite.evals.golden.targets import counts_for
from pincite.model import Ranking, Scope
from pincite.ports import Readable, Searchable, SearchRequest
from pincite.profile import Profile
from pincite.support.fields import replace
from pincite.testing.fakes import HashingEncoder
from tests.builders import chunk
from tests.evals.builders import DOCUMENTS, GOLDEN, collection, hybrid, subject_of

LONG = {
    f"{name}-{part}": f"{text} Part {part} says more of {name}, at some length. " * 4
    for name, text in DOCUMENTS.items()
    for part in ("one", "two")
}


def test_questions_by_rule_are_synthetic_repeatable_and_answered_by_their_chunk() -> None:
    source = collection(LONG)
    found = asyncio.run(generate([source], 6, seed=3))
    assert len(found) == 6
    assert found == asyncio.run(generate([source], 6, seed=3))
    assert found != asyncio.run(generate([source], 6, seed=4))
    assert len({query.expected[0].path for query in found}) == 6
    assert all(query.synthetic.startswith("rule: ") for query in found)
    assert all(query.expected[0].grade == 3 for query in found)
    assert asyncio.run(generate([collection()], 6)) == ()  # all too short


def test_a_model_writes_questions_where_there_is_one() -> None:
    prompts = []

    async def model(prompt: str) -> str:
        prompts.append(prompt)
        return f' "What about {len(prompts)}?"\n'

    found = asyncio.run(generate([collection(LONG)], 3, ask=model))
    assert [query.query for query in found] == [f"What about {n}?" for n in (1, 2, 3)]
    assert {query.synthetic for query in found} == {"model"}
    assert found[0].expected[0].path in prompts[0]


def test_headings_and_names_become_questions() -> None:
    from pincite.evals.golden import generate as module

    text = "word " * 100
    code = chunk("a", text=text, source_type="code", symbols=("Store", "publish"))
    docs = chunk("b", text=text, title="Guide", headings=("Guide", "Rotating `keys`"))
    counts = Counter(["word"] * 2)
    assert module._by_rule(code, counts, 2, 1) == ("what does publish do?", "rule: name")
    assert module._by_rule(docs, counts, 2, 1) == ("Rotating keys (Guide)", "rule: heading")
    assert module._by_rule(docs, counts, 2, 2)[1] == "rule: rare words"


def test_the_pool_has_what_any_ranking_names_and_nothing_that_is_judged() -> None:
    subject = hybrid()
    query = GOLDEN.queries[0]
    fresh = replace(query, expected=())
    everything = asyncio.run(pool(fresh, subject.deps, Profile(), Scope(), 3))
    assert {"keys", "access"} <= {one.chunk.path for one in everything}
    assert all(any(rank <= 3 for _, rank in one.found_by) for one in everything)
    left = asyncio.run(pool(query, subject.deps, Profile(), Scope(), 3))
    assert {one.chunk.path for one in left} == {one.chunk.path for one in everything} - {
        *("keys", "access")
    }


def test_a_judgement_names_lines_and_counts() -> None:
    one = chunk("a", start_line=3, end_line=9)
    judged = judge(GoldenQuery("q", "x?"), one, 2)
    assert judged.expected == (
        Expected("docs/a.md", 3, 9, 2, source_type="docs", repo="acme/docs"),
    )
    assert counts_for(one, judged.expected[0])
    assert next_id([GoldenQuery("q002", "x"), GoldenQuery("b", "y")]) == "q003"


@dataclass
class Forgetful:
    """An index whose approximate search overlooks one chunk."""

    index: Readable
    overlooked: str

    async def search(self, name: str, request: SearchRequest) -> tuple[Ranking, ...]:
        rankings = await self.index.search(name, request)
        if request.exact:
            return rankings
        return tuple(
            replace(
                one,
                hits=tuple(hit for hit in one.hits if hit.id != self.overlooked),
                depth=sum(hit.id != self.overlooked for hit in one.hits[: one.depth]),
            )
            if one.signal == "dense"
            else one
            for one in rankings
        )

    def __getattr__(self, name: str) -> object:
        return getattr(self.index, name)


def test_what_approximate_search_misses_is_counted_and_named() -> None:
    whole = collection(dense=HashingEncoder())
    chunks = {one.path: one.id for one in asyncio.run(whole.index.page("main", None, 100))}
    index: Readable = Forgetful(whole.index, chunks["keys"])  # type: ignore[assignment]
    subject = subject_of(Searchable(whole.spec, index, whole.sparse, whole.dense))
    report = asyncio.run(check_ann(subject, GOLDEN.queries[:3], Profile(), depth=5))
    assert report.questions == 3
    first = next(one for one in report.missed if one.query_id == "q1")
    assert (first.place, first.expected, first.chunk_id) == ("keys#L1", True, chunks["keys"])
    wanted = 5 * 3
    assert report.recall == pytest.approx((wanted - len(report.missed)) / wanted)
    exact = asyncio.run(check_ann(hybrid(), GOLDEN.queries, Profile(), depth=5, sample=2))
    assert (exact.recall, exact.missed, exact.questions) == (1.0, (), 2)


def test_approximate_search_is_not_checked_without_vectors() -> None:
    for subject, depth, sample, said in (
        (subject_of(collection()), 5, 5, "have no vectors"),
        (hybrid(), -1, 5, "the depth is -1"),
        (hybrid(), 5, 0, "the sample is 0"),
    ):
        with pytest.raises(UsageError, match=said):
            asyncio.run(check_ann(subject, GOLDEN.queries, Profile(), depth=depth, sample=sample))
