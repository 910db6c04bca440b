"""The query path as a whole, on the reference store: the order of its steps, and three moods."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Sequence
from typing import Any

import pytest

from pincite.errors import ConfigError, EnginePanicked, StoreError, UsageError
from pincite.model import Chunk, EvidencePack, Ranking, Scope
from pincite.ports import Readable, Searchable, SearchRequest, Stored
from pincite.presets import PRESETS
from pincite.profile import Profile
from pincite.scope.filter import kinds_of
from pincite.stages.fuse import FuseConfig
from pincite.stages.retrieve import RetrieveConfig
from pincite.stages.select import SelectConfig
from pincite.support.fields import replace
from pincite.trace import Trace
from tests.small_search import TEXTS, TopicEncoder, ask, make


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_answers_a_good_question_a_junk_one_and_an_empty_index(name: str) -> None:
    full = asyncio.run(make(TopicEncoder(), TEXTS))
    empty = asyncio.run(make(TopicEncoder(), {}))
    profile = PRESETS[name]
    good = ask("how do I rotate a key with a new secret", full, profile=profile)
    assert good.evidence[0].path == "keys"
    assert ask("zebra quantum ferment", full, profile=profile).verdict.level == "none"
    assert ask("rotate a key", empty, profile=profile).evidence == ()


@pytest.fixture(params=["hybrid", "lexical"])
def collection(request: pytest.FixtureRequest) -> Searchable:
    encoder = TopicEncoder() if request.param == "hybrid" else None
    return asyncio.run(make(encoder, TEXTS))


def test_the_steps_come_in_this_order() -> None:
    ticks = itertools.count()
    trace = Trace(lambda: float(next(ticks)))
    ask("rotate a key", asyncio.run(make(TopicEncoder(), TEXTS)), trace=trace)
    assert [step.stage for step in trace.steps] == [
        *("prepare", "retrieve", "fuse", "load", "dedup", "smooth", "rank_code"),
        *(
            "rerank",
            "blend",
            "versions_first",
            "cover",
            "gate",
            "select",
            "context",
            "look",
            "pack",
        ),
    ]
    assert trace.timings_ms()["prepare"] == 1000.0


def test_a_good_question_finds_its_passage_first(collection: Searchable) -> None:
    pack = ask("how do I rotate a key with a new secret", collection)
    assert pack.evidence[0].path == "keys"
    assert pack.verdict.level == "grounded"
    assert pack.coverage["docs"] >= 1


def test_a_junk_question_is_answered_with_none(collection: Searchable) -> None:
    pack = ask("zebra quantum ferment", collection)
    assert pack.verdict.level == "none"
    assert pack.evidence == ()


def test_an_empty_index_is_answered_with_none() -> None:
    for encoder in (TopicEncoder(), None):
        pack = ask("rotate a key", asyncio.run(make(encoder, {})))
        assert pack.verdict.level == "none"
        assert pack.evidence == ()


def test_an_empty_question_is_refused(collection: Searchable) -> None:
    with pytest.raises(UsageError):
        ask(" ", collection)


def test_equal_input_gives_equal_packs(collection: Searchable) -> None:
    assert ask("thirty days", collection) == ask("thirty days", collection)


def test_a_model_that_is_gone_degrades_to_words_and_says_so() -> None:
    encoder = TopicEncoder()
    collection = asyncio.run(make(encoder, TEXTS))
    encoder.broken = True
    pack = ask("rotate a key with a new secret", collection)
    assert pack.evidence[0].path == "keys"
    assert pack.plan.rung == "lexical"
    assert "dense_unavailable" in [notice.code for notice in pack.warnings]


def test_two_collections_are_ranked_as_one_and_counted() -> None:
    encoder = TopicEncoder()
    first = asyncio.run(make(encoder, {"keys": TEXTS["keys"]}, "one"))
    second = asyncio.run(make(encoder, {"backups": TEXTS["backups"]}, "two"))
    pack = ask("when do backups run at night", first, second)
    assert pack.evidence[0].path == "backups"
    assert pack.evidence[0].collection == "two"
    assert set(pack.plan.counts) == {"one", "two"}


class Broken:
    """An index whose engine is down."""

    async def search(self, collection: str, request: SearchRequest) -> tuple[Ranking, ...]:
        raise StoreError("the engine is down")


class Hanging:
    """An index that never answers."""

    async def search(self, collection: str, request: SearchRequest) -> tuple[Ranking, ...]:
        await asyncio.sleep(60)
        return ()


@pytest.mark.parametrize("index", [Broken(), Hanging()])
def test_a_collection_that_fails_or_hangs_is_left_out_and_named(index: Broken | Hanging) -> None:
    good = asyncio.run(make(None, TEXTS))
    bad = replace(good, spec=replace(good.spec, name="bad"), index=index)
    profile = Profile()
    profile = replace(profile, retrieve=replace(profile.retrieve, timeout_s=1.0))
    pack = ask("rotate a key with a new secret", good, bad, profile=profile)
    assert pack.evidence[0].path == "keys"
    assert pack.plan.collections == ("main",)
    failed = [notice for notice in pack.warnings if notice.code == "collection_failed"]
    assert "bad" in failed[0].message


class Overtaken:
    """An index whose documents are gone by the time that their chunks are asked for, so often."""

    def __init__(self, index: Readable, times: int) -> None:
        self.index, self.times = index, times

    async def search(self, collection: str, request: SearchRequest) -> tuple[Ranking, ...]:
        return await self.index.search(collection, request)

    async def document(self, collection: str, source: str, path: str) -> tuple[Chunk, ...]:
        return await self.index.document(collection, source, path)

    async def chunk_ids(
        self, collection: str, documents: Sequence[tuple[str, str]]
    ) -> tuple[tuple[str, ...], ...]:
        return await self.index.chunk_ids(collection, documents)

    async def load(
        self, collection: str, ids: Sequence[str], *, vectors: bool = False
    ) -> tuple[Stored, ...]:
        self.times -= 1
        return () if self.times >= 0 else await self.index.load(collection, ids, vectors=vectors)


@pytest.mark.parametrize(("times", "shown"), [(1, True), (2, True), (3, False)])
def test_a_search_that_a_writer_has_overtaken_begins_again(times: int, shown: bool) -> None:
    good = asyncio.run(make(None, TEXTS))
    pack = ask("rotate a key", replace(good, index=Overtaken(good.index, times)))
    assert bool(pack.evidence) == shown
    assert ("index_changed" in [notice.code for notice in pack.warnings]) == (not shown)


class Deaf(Overtaken):
    """An index that finds, and has nothing to say of it: it fails, or never answers."""

    async def load(
        self, collection: str, ids: Sequence[str], *, vectors: bool = False
    ) -> tuple[Stored, ...]:
        if self.times:
            await asyncio.sleep(60)
        raise StoreError("the server is down")


@pytest.mark.parametrize("hangs", [0, 1])
def test_a_collection_that_finds_and_then_fails_or_hangs_is_left_out_and_named(hangs: int) -> None:
    good = asyncio.run(make(None, TEXTS))
    spec = replace(good.spec, name="bad")
    deaf = Deaf(asyncio.run(make(None, TEXTS, name="bad")).index, hangs)
    bad = replace(good, spec=spec, index=deaf)
    profile = replace(Profile(), retrieve=replace(Profile().retrieve, timeout_s=1.0))
    pack = ask("rotate a key", good, bad, profile=profile)
    assert {one.collection for one in pack.evidence} == {"main"}
    assert [one.code for one in pack.warnings if one.code != "lexical_only"] == [
        "collection_failed"
    ]
    with pytest.raises(StoreError):
        ask("rotate a key", bad, profile=profile)


def test_what_others_lack_is_no_reason_to_begin_again() -> None:
    good = asyncio.run(make(None, TEXTS))
    lacking = Overtaken(good.index, 99)
    pack = ask("rotate a key", replace(good, index=lacking, foreign=True))
    assert lacking.times == 98
    assert "index_changed" not in [notice.code for notice in pack.warnings]


def test_nothing_is_begun_again_once_the_budget_is_spent() -> None:
    good = asyncio.run(make(None, TEXTS))
    busy = Overtaken(good.index, 99)
    pack = ask("rotate a key", replace(good, index=busy), budget_ms=1)
    assert busy.times == 98
    assert "index_changed" in [notice.code for notice in pack.warnings]


def test_a_panic_of_the_engine_is_not_the_failure_of_one_collection() -> None:
    class Panicking:
        async def search(self, collection: str, request: SearchRequest) -> tuple[Ranking, ...]:
            raise EnginePanicked("index out of bounds")

    good = asyncio.run(make(None, TEXTS))
    bad = replace(good, spec=replace(good.spec, name="bad"), index=Panicking())
    with pytest.raises(EnginePanicked):
        ask("rotate a key", good, bad)


def test_if_no_collection_answers_the_error_is_raised() -> None:
    good = asyncio.run(make(None, TEXTS))
    with pytest.raises(StoreError, match="down"):
        ask("key", replace(good, index=Broken()))


def test_more_results_than_are_loaded_are_refused_when_the_profile_is_built() -> None:
    with pytest.raises(UsageError, match=r"load\.pool"):
        Profile(select=SelectConfig(results=100))


def test_the_scope_restricts_by_path_ref_and_kind(collection: Searchable) -> None:
    def paths(scope: Scope) -> set[str]:
        profile = Profile(select=SelectConfig(on_none="keep"))
        pack = ask("key backup invoice", collection, scope=scope, profile=profile)
        return {item.path for item in pack.evidence}

    assert paths(Scope(paths=("key*",))) == {"keys"}
    assert "keys" not in paths(Scope(not_paths=("key*",)))
    assert paths(Scope(ref="c0ff")) == set(TEXTS)
    assert paths(Scope(ref="beef")) == set()
    assert paths(Scope(kinds=("code",))) == set()


def test_the_scope_restricts_by_a_filter_together_with_the_rest(collection: Searchable) -> None:
    def paths(**scope: Any) -> set[str]:
        profile = Profile(select=SelectConfig(on_none="keep"))
        pack = ask("key backup invoice", collection, scope=Scope(**scope), profile=profile)
        return {item.path for item in pack.evidence}

    assert paths(where="path = keys") == {"keys"}
    assert paths(where="path = keys or text ~ invoices") == {"keys", "billing"}
    assert paths(where="not path ^= k", paths=("*ing",)) == {"billing"}
    assert paths(where="source_type = code") == set()
    with pytest.raises(UsageError, match=r"where: .* at the end"):
        paths(where="path =")


def test_a_filter_for_one_kind_of_source_asks_for_no_other() -> None:
    assert kinds_of(Scope()) == {"docs", "code", "data"}
    assert kinds_of(Scope(where="source_type = code and path ^= a")) == {"code"}
    assert kinds_of(Scope(kinds=("docs", "data"), where="source_type in (docs, code)")) == {"docs"}


def by(**values: str) -> Profile:
    return Profile(retrieve=RetrieveConfig(**values))  # type: ignore[arg-type]


def signals_of(pack: EvidencePack, path: str) -> dict[str, tuple[str, float]]:
    (item,) = (one for one in pack.evidence if one.path == path)
    return {signal.name: (signal.kind, signal.value) for signal in item.signals}


def test_a_vector_weight_of_none_is_a_keyword_search_and_of_one_a_vector_search() -> None:
    """W15."""
    collection = asyncio.run(make(TopicEncoder(), TEXTS))
    for weight, mode in ((0.0, "keyword"), (1.0, "vector")):
        weighted = replace(Profile(), fuse=FuseConfig(vector_weight=weight))
        question = "the new key of each night"
        ours = ask(question, collection, profile=weighted)
        alone = ask(question, collection, profile=by(mode=mode))
        assert [one.path for one in ours.evidence] == [one.path for one in alone.evidence]
        assert len(ours.evidence) > 1


def test_a_keyword_search_may_be_a_filter_whose_hits_are_all_alike() -> None:
    """W5: what has every word scores 1, whatever it says besides."""
    collection = asyncio.run(make(TopicEncoder(), TEXTS))
    profile = by(mode="keyword", keyword="filter")
    pack = ask("key secret", collection, profile=profile)
    assert [one.path for one in pack.evidence] == ["keys"]
    assert signals_of(pack, "keys")["sparse"] == ("share", 1.0)
    assert ask("key night", collection, profile=profile).evidence == ()
    pack = ask("key secret", collection, profile=by(keyword="filter"))
    assert {"dense", "sparse"} <= signals_of(pack, "keys").keys()


def test_a_way_to_search_that_there_is_not_is_refused() -> None:
    for wrong in ({"mode": "magic"}, {"keyword": "magic"}):
        with pytest.raises(ConfigError, match="use one of"):
            by(**wrong)
