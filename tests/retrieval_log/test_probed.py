"""A search that ends with its look at the nearest chunk is logged and replayed as any other."""

from __future__ import annotations

import asyncio
import itertools
from typing import Any

import msgspec

from pincite.deps import Deps
from pincite.model import EvidencePack, Question
from pincite.ports import CollectionInfo, Searchable
from pincite.presets import PRESETS
from pincite.profile import Profile, profile_from
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.providers.sparse.language import guess_language
from pincite.retrieval_log import Asked, Event, Recorder, compare
from pincite.search import search
from pincite.support.fields import replace
from pincite.trace import Trace
from tests.small_search import TEXTS, TopicEncoder, make


def logged(text: str, collection: Searchable, profile: Profile) -> tuple[Event, EvidencePack]:
    """As the engine does it."""
    heard: list[Event] = []
    recorder = Recorder(heard.append, name=lambda: "0123abcd", now=lambda: "2026-01-01T00:00:00Z")

    async def run() -> EvidencePack:
        ticks = itertools.count()
        trace = Trace(lambda: float(next(ticks)))
        terms = Bm25Encoder().analyser.terms
        deps = Deps([collection], lambda t: frozenset(terms(t)), guess_language)
        question = Question(text)
        with recorder.entry(Asked.of(question, profile), trace) as entry:
            entry.infos = [CollectionInfo(collection.spec, (), 3, 3, 30)]
            entry.pack = await search(question, deps, profile, trace)
        assert entry.pack is not None
        return entry.pack

    pack = asyncio.run(run())
    (event,) = heard
    return msgspec.json.decode(msgspec.json.encode(event), type=Event), pack


def table(profile: Profile) -> Any:
    return msgspec.to_builtins(profile)


def test_the_line_says_what_was_near_and_that_nothing_else_was_asked() -> None:
    collection = asyncio.run(make(TopicEncoder(), TEXTS))
    event, _ = logged("zebra quantum ferment", collection, PRESETS["chat"])
    assert event.verdict is not None
    assert (event.verdict.level, event.verdict.signal, event.verdict.kind) == (
        "none",
        "dense",
        "cosine",
    )
    assert event.verdict.thresholds == "assumed"
    assert list(event.request["passes"]) == ["probe"]
    assert "probe" in event.timings_ms
    assert "retrieve" not in event.timings_ms
    assert [one.stage for some in event.debug.values() for one in some] == ["probe"]
    assert not event.found
    assert not event.shown


def test_a_weak_passage_is_logged_with_its_cosine_and_its_warning() -> None:
    collection = asyncio.run(make(TopicEncoder(), TEXTS))
    chat = PRESETS["chat"]
    profile = replace(chat, answer=replace(chat.answer, mode="open"))
    event, pack = logged("zebra quantum ferment", collection, profile)
    (shown,) = event.shown
    assert shown.citation == pack.evidence[0].citation
    assert (shown.score.name, shown.score.kind) == ("fused", "cosine")
    assert "below_threshold" in [notice.code for notice in event.warnings]


def test_asked_again_with_the_logged_profile_nothing_changes_and_another_threshold_shows() -> None:
    collection = asyncio.run(make(TopicEncoder(), TEXTS))
    then, _ = logged("zebra quantum ferment", collection, PRESETS["chat"])
    profile = profile_from(then.asked.profile, "the logged profile")
    assert profile == PRESETS["chat"]
    again, _ = logged(then.asked.text, collection, profile)
    assert compare(then, again, table(profile), {}).same
    lower = replace(profile, probe=replace(profile.probe, threshold=0.0))
    now, _ = logged(then.asked.text, collection, lower)
    found = compare(then, now, table(lower), {})
    assert not found.same
    assert [one.name for one in found.settings] == ["probe.threshold"]
    assert found.verdict_now is not None
    assert found.verdict_now.level == "grounded"
