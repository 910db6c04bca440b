"""Step 1 of a conversation's search: nothing else is asked where nothing is near enough."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from pincite.catalog.sqlite import SqliteCatalog
from pincite.diagnostics.explain import explain_table
from pincite.errors import ConfigError, EnginePanicked, StoreError, UsageError
from pincite.index.local import LocalIndex
from pincite.model import (
    ChatMode,
    CollectionSpec,
    DocumentRecord,
    EvidencePack,
    IndexedDocument,
    Point,
    Scope,
    SignalKind,
)
from pincite.ports import Quote, Searchable, Seen
from pincite.presets import PRESETS
from pincite.profile import Profile, profile_from
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.stages.probe import ProbeConfig
from pincite.stores.memory import MemoryStore
from pincite.support.fields import replace
from pincite.trace import Trace
from tests.builders import chunk
from tests.search.recording import Recording
from tests.small_search import TEXTS, TopicEncoder, ask, make

GOOD = "how do I rotate a key with a new secret"
OFF_TOPIC = "zebra quantum ferment"
MODES: tuple[ChatMode, ...] = ("strict", "open", "learning")


def recorded(
    encoder: TopicEncoder | None = None,
    texts: Mapping[str, str] = TEXTS,
    name: str = "main",
    **values: Any,
) -> tuple[Searchable, Recording]:
    """A collection, and what its index is asked."""
    made = asyncio.run(make(encoder or TopicEncoder(), texts, name))
    recording = Recording(made.index, **values)
    return replace(made, index=recording), recording


def probing(mode: ChatMode = "strict", **values: Any) -> Profile:
    table = {
        "probe": {"enabled": True, **values},
        "answer": {"mode": mode},
        "context": {"around": "none"},
    }
    return profile_from(table, "test")


CHAT = PRESETS["chat"]


def codes(pack: EvidencePack) -> list[str]:
    return [notice.code for notice in pack.warnings]


@pytest.mark.parametrize("mode", MODES)
def test_what_is_near_enough_is_searched_for_in_full(mode: ChatMode) -> None:
    collection, asked = recorded()
    pack = ask(GOOD, collection, profile=probing(mode))
    assert pack.evidence[0].path == "keys"
    assert (pack.verdict.level, pack.verdict.signal, pack.verdict.kind) == (
        "grounded",
        "dense",
        "cosine",
    )
    assert pack.verdict.thresholds == "assumed"
    assert not pack.verdict.calibrated
    assert (pack.verdict.grounded_at, pack.verdict.weak_at) == (0.3, 0.3)
    assert pack.plan.passes == ("probe", "first")
    first, *rest = asked.searched
    assert (first.dense_limit, first.sparse, first.exact) == (1, None, True)
    assert rest


def test_below_the_threshold_strict_shows_nothing_and_asks_nothing_more() -> None:
    collection, asked = recorded()
    pack = ask(OFF_TOPIC, collection, profile=probing("strict", threshold=0.9))
    assert pack.verdict.level == "none"
    assert pack.evidence == ()
    assert len(pack.closest) == 1
    assert len(asked.searched) == len(asked.loaded) == 1
    assert asked.searched[0].dense_limit == 1
    assert pack.plan.passes == ("probe",)
    assert "below 0.90" in pack.verdict.reason


@pytest.mark.parametrize("mode", ["open", "learning"])
def test_below_the_threshold_other_modes_show_the_nearest_as_weak(mode: ChatMode) -> None:
    collection, asked = recorded()
    pack = ask(OFF_TOPIC, collection, profile=probing(mode, threshold=0.9))
    assert pack.verdict.level == "weak"
    assert len(pack.evidence) == 1
    assert len(asked.searched) == len(asked.loaded) == 1
    (notice,) = (one for one in pack.warnings if one.code == "below_threshold")
    assert pack.evidence[0].citation in notice.message
    assert mode in notice.message


def test_a_path_of_control_characters_is_named_without_them() -> None:
    collection, _ = recorded(texts={"a\x1b[31m\nb": "Rotate a key each night."})
    pack = ask(OFF_TOPIC, collection, profile=probing("open", threshold=1.0))
    said = "".join(one.message for one in pack.warnings if one.code == "below_threshold")
    assert said
    assert not {"\x1b", "\n"} & set(said)


@pytest.mark.parametrize("mode", MODES)
def test_an_empty_index_is_answered_with_none_and_asked_once(mode: ChatMode) -> None:
    collection, asked = recorded(texts={})
    pack = ask(GOOD, collection, profile=probing(mode))
    assert pack.verdict.level == "none"
    assert pack.evidence == pack.closest == ()
    assert len(asked.searched) == 1


def nearest_cosine(text: str) -> float:
    pack = ask(text, recorded()[0], profile=probing(threshold=1.0))
    return pack.verdict.value


@pytest.mark.parametrize(("more", "level"), [(0.0, "grounded"), (1e-9, "none")])
def test_an_equal_cosine_passes_and_a_smaller_one_does_not(more: float, level: str) -> None:
    threshold = nearest_cosine("night zebra") + more
    pack = ask("night zebra", recorded()[0], profile=probing(threshold=threshold))
    assert pack.verdict.level == level


@pytest.mark.parametrize("threshold", [-0.1, 1.1, float("nan")])
def test_a_threshold_that_is_no_share_is_refused(threshold: float) -> None:
    with pytest.raises(ConfigError, match="must be at least 0 and at most 1"):
        ProbeConfig(threshold=threshold)


def test_a_store_that_cannot_compare_with_every_vector_is_not_asked_to() -> None:
    collection, asked = recorded()
    ask(GOOD, replace(collection, exact=False), profile=probing())
    ask(GOOD, collection, profile=probing(exact=False))
    assert [request.exact for request in asked.searched if request.dense_limit == 1] == [False] * 2


def test_the_question_is_embedded_once() -> None:
    encoder = Counting()
    collection, _ = recorded(encoder)
    encoder.count = 0
    ask(GOOD, collection, profile=probing())
    assert encoder.count == 1
    two = collection, recorded(encoder, name="two")[0]
    encoder.count = 0
    ask(GOOD, *two, profile=probing())
    assert encoder.count == 1


@dataclass
class Counting(TopicEncoder):
    """Counts the questions that it embeds."""

    count: int = 0

    async def embed_query(self, text: str) -> Any:
        self.count += 1
        return await super().embed_query(text)


def test_one_of_several_collections_is_enough() -> None:
    far, far_asked = recorded(texts={"billing": TEXTS["billing"]}, name="far")
    near, _ = recorded(texts={"keys": TEXTS["keys"]}, name="near")
    pack = ask(GOOD, far, near, profile=probing(threshold=0.9))
    assert pack.verdict.level == "grounded"
    assert pack.evidence[0].collection == "near"
    assert len(far_asked.searched) == 2


def test_where_all_are_far_the_nearest_of_each_is_closest() -> None:
    one, _ = recorded(texts={"billing": TEXTS["billing"]}, name="one")
    two, _ = recorded(texts={"backups": TEXTS["backups"]}, name="two")
    pack = ask("night zebra secret key", one, two, profile=probing(threshold=1.0))
    assert [item.collection for item in pack.closest] == ["two", "one"]
    weak = ask("night zebra secret key", one, two, profile=probing("open", threshold=1.0))
    assert [item.collection for item in weak.evidence] == ["two"]


@pytest.mark.parametrize("mode", MODES)
def test_without_dense_vectors_the_usual_gate_decides_and_the_pack_says_so(mode: ChatMode) -> None:
    lexical = asyncio.run(make(None, TEXTS))
    pack = ask(GOOD, lexical, profile=probing(mode))
    assert pack.verdict.signal == "coverage"
    assert pack.evidence[0].path == "keys"
    assert "probe_unavailable" in codes(pack)
    assert ask(OFF_TOPIC, lexical, profile=probing(mode)).verdict.level == "none"
    chat = ask(GOOD, lexical, profile=replace(CHAT, answer=replace(CHAT.answer, mode=mode)))
    assert chat.evidence[0].path == "keys"
    assert {"probe_unavailable", "lexical_only"} <= set(codes(chat))


def test_what_is_far_in_one_collection_may_be_in_one_that_has_no_vectors() -> None:
    far, _ = recorded(texts={"billing": TEXTS["billing"]}, name="far")
    lexical = asyncio.run(make(None, {"keys": TEXTS["keys"]}, "lexical"))
    pack = ask(GOOD, far, lexical, profile=probing(threshold=0.9))
    assert pack.evidence[0].collection == "lexical"
    (notice,) = (one for one in pack.warnings if one.code == "probe_unavailable")
    assert "lexical: it has no dense vectors" in notice.message


def test_a_collection_that_is_not_encoded_yet_refuses_nothing() -> None:
    collection, asked = recorded()
    half = replace(collection, embedded=0.5)
    pack = ask(OFF_TOPIC, half, profile=probing(threshold=0.9))
    assert "probe_unavailable" in codes(pack)
    assert len(asked.searched) > 1
    assert "probe_unavailable" not in codes(ask(GOOD, half, profile=probing()))


def test_a_model_that_is_gone_degrades_to_words_and_says_so() -> None:
    encoder = TopicEncoder()
    collection, _ = recorded(encoder)
    encoder.broken = True
    pack = ask(GOOD, collection, profile=probing())
    assert {"probe_unavailable", "dense_unavailable"} <= set(codes(pack))
    assert pack.evidence[0].path == "keys"


def test_a_collection_that_fails_is_left_out_of_the_search_and_refuses_nothing() -> None:
    bad, _ = recorded(name="bad", error=StoreError("the engine is down"))
    far, _ = recorded(texts={"billing": TEXTS["billing"]}, name="far")
    pack = ask(GOOD, bad, far, profile=probing(threshold=0.9))
    assert {"probe_unavailable", "collection_failed"} <= set(codes(pack))
    with pytest.raises(StoreError):
        ask(GOOD, bad, profile=probing())


def test_a_panic_of_the_engine_is_raised() -> None:
    bad, _ = recorded(error=EnginePanicked("index out of bounds"))
    with pytest.raises(EnginePanicked):
        ask(GOOD, bad, profile=probing())


@pytest.mark.parametrize("kind", ["dot", "normalised"])
def test_where_the_store_measures_otherwise_the_true_cosine_is_taken(kind: SignalKind) -> None:
    true = nearest_cosine(GOOD)
    other, _ = recorded(kind=kind)
    passed = ask(GOOD, other, profile=probing())
    assert passed.verdict.value == pytest.approx(true, abs=1e-6)
    assert passed.verdict.kind == "cosine"
    below = ask(OFF_TOPIC, other, profile=probing(threshold=0.9))
    (notice,) = (one for one in below.warnings if one.code == "probe_unavailable")
    assert f"ranks by {kind}" in notice.message


def test_the_scope_holds_for_the_look_as_for_the_search() -> None:
    collection, asked = recorded()
    pack = ask(GOOD, collection, profile=probing(threshold=0.9), scope=Scope(paths=("billing",)))
    assert pack.verdict.level == "none"
    assert [item.path for item in pack.closest] == ["billing"]
    assert len(asked.searched) == 1
    none = ask(GOOD, collection, profile=probing("open"), scope=Scope(kinds=("code",)))
    assert none.verdict.level == "none"
    assert "nothing_in_scope" in codes(none)


class Changed:
    """Files of which some have been changed or removed."""

    def __init__(self, *paths: str) -> None:
        self.paths = paths

    async def look(
        self, quotes: Sequence[Quote], limit_s: float, *, refs: tuple[str, ...] = ()
    ) -> tuple[Seen, ...]:
        return tuple(
            Seen(one.chunk, one.context, "fresh", "stale" if one.chunk.path in self.paths else None)
            for one in quotes
        )


@pytest.mark.parametrize("mode", MODES)
def test_what_its_file_has_no_more_makes_no_question_look_answered(mode: ChatMode) -> None:
    collection, asked = recorded()
    pack = ask(GOOD, collection, profile=probing(mode, threshold=0.9), files=Changed("keys"))
    assert pack.verdict.level == ("none" if mode == "strict" else "weak")
    assert "keys" not in {item.path for item in (*pack.evidence, *pack.closest)}
    assert [request.dense_limit for request in asked.searched] == [1, 10]


def test_where_all_of_the_nearest_are_gone_the_usual_gate_decides() -> None:
    texts = {f"keys{n}": TEXTS["keys"] for n in range(12)}
    collection, _ = recorded(texts={**texts, "billing": TEXTS["billing"]})
    pack = ask(GOOD, collection, profile=probing(), files=Changed(*texts))
    assert {"probe_unavailable", "stale_omitted"} <= set(codes(pack))
    assert "keys" not in "".join(item.path for item in pack.evidence)


def test_the_look_is_a_step_that_explain_names_and_debug_keeps() -> None:
    trace = Trace(lambda: 0.0)
    with trace.listening():
        ask(OFF_TOPIC, recorded()[0], profile=probing(threshold=0.9), trace=trace)
    assert [step.stage for step in trace.steps] == [
        *("prepare", "probe", "gate", "select", "context", "look", "pack")
    ]
    shown = explain_table(trace)
    assert "below 0.90" in shown
    assert "no rephrasing was searched" in shown
    (exchange,) = trace.exchanges
    assert exchange.stage == "probe"
    assert exchange.asked["dense_limit"] == 1


async def of_two_courses(require: tuple[str, ...] = ()) -> tuple[Searchable, Recording]:
    """What one course has about keys the other one may not see."""
    encoder, sparse = TopicEncoder(), Bm25Encoder()
    index = LocalIndex(MemoryStore(), SqliteCatalog(":memory:"))
    spec = CollectionSpec(
        *("main", sparse.fingerprint, "chunker", encoder.fingerprint, encoder.dimensions),
        average_length=10.0,
        attributes={"course": "keyword"},
        require=require,
    )
    await index.create(spec)
    for course, path in (("theirs", "keys"), ("ours", "billing")):
        vector, length = sparse.encode_document(TEXTS[path], 10.0)
        (row,) = await encoder.embed_documents([TEXTS[path]])
        one = chunk(path, text=TEXTS[path], path=path, attributes={"course": course})
        record = DocumentRecord("acme", path, path, "0" * 64, "c0ffee", 1, 1, 1, length)
        await index.replace("main", [IndexedDocument(record, [Point(one, vector, length, row)])])
    recording = Recording(index)
    return Searchable(spec, recording, sparse, encoder, kinds=frozenset({"docs"})), recording


@pytest.mark.parametrize("mode", MODES)
def test_what_another_tenant_has_passes_no_threshold_and_is_named_nowhere(mode: ChatMode) -> None:
    collection, asked = asyncio.run(of_two_courses(("course",)))
    pack = ask(GOOD, collection, profile=probing(mode), scope=Scope(tags={"course": "ours"}))
    assert pack.verdict.level == ("none" if mode == "strict" else "weak")
    assert "keys" not in pack.to_json()
    assert len(asked.searched) == 1
    theirs = ask(GOOD, collection, profile=probing(mode), scope=Scope(tags={"course": "theirs"}))
    assert theirs.verdict.level == "grounded"


def test_tags_that_are_required_and_missing_are_refused_before_anything_is_asked() -> None:
    collection, asked = asyncio.run(of_two_courses(("course",)))
    for tags in ({}, {"course": ""}, {"course": ()}):
        with pytest.raises(UsageError):
            ask(GOOD, collection, profile=probing(), scope=Scope(tags=tags))
    assert not asked.searched
    assert not asked.loaded


@pytest.mark.parametrize("preset", PRESETS)
def test_no_warning_names_a_collection_that_a_search_is_bound_to(preset: str) -> None:
    names = ("secret-merger", "secret-sale")
    collections = [asyncio.run(make(None, TEXTS, name)) for name in names]
    profile = replace(PRESETS[preset], probe=ProbeConfig(enabled=True))
    bound = Scope(collections=names, unshown=("collections",))
    pack = ask(GOOD, *collections, profile=profile, scope=bound)
    (notice,) = (one for one in pack.warnings if one.code == "probe_unavailable")
    assert notice.message.endswith(": a collection: it has no dense vectors")
    assert not [one for one in pack.warnings if "secret-" in one.message]


def test_a_late_collection_that_a_search_is_bound_to_is_not_named() -> None:
    late, _ = recorded(name="merger", error=StoreError("the collection 'merger' is damaged"))
    far, _ = recorded(texts={"billing": TEXTS["billing"]}, name="sale")
    bound = Scope(collections=("merger", "sale"), unshown=("collections",))
    pack = ask(GOOD, late, far, profile=probing(threshold=0.9), scope=bound)
    assert "probe_unavailable" in codes(pack)
    assert not [one for one in pack.warnings if "merger" in one.message]
