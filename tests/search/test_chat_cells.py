"""Every cell of strategy, mode and question, on four stores: what was asked, and what is shown."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, get_args

import pytest

from pincite.deps import Deps
from pincite.model import ChatMode, EvidencePack, Question
from pincite.ports import Reranker, Searchable
from pincite.profile import Profile
from pincite.providers.sparse.bm25 import Bm25Encoder
from pincite.providers.sparse.language import guess_language
from pincite.search import search
from pincite.settings.environment import STRATEGIES
from pincite.settings.load import load_settings
from pincite.support.fields import replace
from pincite.testing.fakes import OverlapReranker
from pincite.trace import Trace
from tests.search.opened_stores import opened
from tests.search.recording import Recording
from tests.search.weather import TEXTS, WeatherEncoder
from tests.small_search import make

Cell = Literal["good", "weak", "off topic", "empty"]
STORES = ("memory", "sqlite", "edge", "chroma")
SAME = {"keys", "again"}
QUESTIONS: dict[Cell, str] = {
    "good": "how do I rotate a key with a new secret",
    "weak": "weather weather weather key",
    "off topic": "zebra quantum ferment",
    "empty": "how do I rotate a key with a new secret",
}


def profile_of(folder: Path, strategy: str, mode: ChatMode) -> Profile:
    """As a user has it who extends the preset and sets both variables."""
    (folder / "pincite.toml").write_text('extends = "chat"\n')
    environ = {"RETRIEVAL_STRATEGY": strategy, "CHAT_MODE": mode}
    return load_settings(environ, folder).profile


async def ask(
    text: str, one: Searchable, profile: Profile, reranker: Reranker | None = None
) -> EvidencePack:
    terms = Bm25Encoder().analyser.terms
    deps = Deps([one], lambda t: frozenset(terms(t)), guess_language, reranker)
    return await search(Question(text), deps, profile, Trace(lambda: 0.0))


def codes(pack: EvidencePack) -> set[str]:
    said = {notice.code for notice in pack.warnings}
    return said & {"below_threshold", "probe_unavailable", "rerank_missing", "not_diversified"}


def paths(pack: EvidencePack) -> list[str]:
    return [item.path for item in pack.evidence]


@pytest.mark.parametrize("kind", STORES)
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_cell(tmp_path: Path, kind: str, strategy: str) -> None:
    async def session() -> None:
        async with opened(kind) as store:
            full = await make(WeatherEncoder(), TEXTS, store=store)
            empty = await make(WeatherEncoder(), {}, "empty", store=store)
            for mode in get_args(ChatMode):
                profile = profile_of(tmp_path, strategy, mode)
                for cell in get_args(Cell):
                    one = empty if cell == "empty" else full
                    recording = Recording(one.index)
                    asked = replace(one, index=recording)
                    pack = await ask(QUESTIONS[cell], asked, profile)
                    check_asked(recording, cell, strategy)
                    check_pack(pack, cell, strategy, mode)

    asyncio.run(session())


def check_asked(recording: Recording, cell: Cell, strategy: str) -> None:
    """Step 1 asks for one chunk by meaning; step 2 runs for good questions alone, by meaning, and
    for hybrid ones by words, too."""
    probe, *search_ = recording.searched
    assert (probe.dense_limit, probe.complete) == (1, False)
    assert probe.dense is not None
    assert probe.sparse is None
    assert [request.sparse is not None for request in search_] == (
        [strategy != "mmr"] if cell == "good" else []
    )
    assert all(request.dense is not None for request in search_)
    assert len(recording.loaded) == {"good": 2, "empty": 0}.get(cell, 1)


def check_pack(pack: EvidencePack, cell: Cell, strategy: str, mode: ChatMode) -> None:
    verdict = pack.verdict
    assert (verdict.signal, verdict.kind, verdict.thresholds) == ("dense", "cosine", "assumed")
    if cell == "good":
        assert verdict.level == "grounded"
        assert verdict.value >= 0.3
        assert codes(pack) == ({"rerank_missing"} if strategy == "hybrid_rerank" else set())
        assert paths(pack)[0] in SAME
        assert pack.closest == ()
        assert pack.plan.passes == ("probe", "first")
        return
    assert verdict.value < 0.3
    assert pack.plan.passes == ("probe",)
    if mode == "strict" or cell == "empty":
        assert verdict.level == "none"
        assert paths(pack) == []
        assert codes(pack) == set()
        assert len(pack.closest) == (cell != "empty")
        assert cell != "weak" or pack.closest[0].path in SAME
        return
    assert verdict.level == "weak"
    assert len(pack.evidence) == 1
    assert cell != "weak" or paths(pack)[0] in SAME
    assert pack.closest == ()
    assert codes(pack) == {"below_threshold"}


def test_mmr_puts_what_says_the_same_behind_what_does_not(tmp_path: Path) -> None:
    full = asyncio.run(make(WeatherEncoder(), TEXTS))
    question = "rotate a key with a new secret each night"

    def found(strategy: str) -> Sequence[str]:
        profile = profile_of(tmp_path, strategy, "strict")
        return paths(asyncio.run(ask(question, full, profile)))

    assert set(found("hybrid")[:2]) == SAME
    first, second, *_ = found("mmr")
    assert first in SAME
    assert second == "backups"


def test_a_reranker_is_asked_for_hybrid_rerank_alone(tmp_path: Path) -> None:
    full = asyncio.run(make(WeatherEncoder(), TEXTS))
    for strategy in STRATEGIES:
        profile = profile_of(tmp_path, strategy, "strict")
        pack = asyncio.run(ask(QUESTIONS["good"], full, profile, OverlapReranker()))
        reranked = [one for one in pack.evidence if any(s.name == "reranked" for s in one.signals)]
        assert bool(reranked) == (strategy == "hybrid_rerank")
        assert codes(pack) == set()
