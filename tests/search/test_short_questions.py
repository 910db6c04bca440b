"""A question of one word, through a whole search."""

from __future__ import annotations

import asyncio

from pincite.deps import Deps
from pincite.model import EvidencePack, Query, Question
from pincite.ports import Searchable
from pincite.profile import Profile
from pincite.providers.sparse.analyser import informative_terms
from pincite.providers.sparse.language import guess_language
from pincite.search import search
from pincite.search_steps.weights import dense_weights
from pincite.stages.gate import GateConfig, Thresholds
from pincite.support.fields import replace
from pincite.trace import Trace
from tests.search.weather import TEXTS, WeatherEncoder
from tests.small_search import make


def deps_of(one: Searchable) -> Deps:
    return Deps([one], informative_terms("english"), guess_language)


def test_a_word_that_a_passage_has_is_never_off_topic() -> None:
    gate = GateConfig(coverage_normalised=Thresholds(0.5, 0.45))  # the word has .38

    async def asked(gate: GateConfig) -> EvidencePack:
        deps = deps_of(await make(WeatherEncoder(), TEXTS))
        profile = replace(Profile(), gate=gate)
        return await search(Question("thirty"), deps, profile, Trace(lambda: 0.0))

    pack = asyncio.run(asked(gate))
    assert pack.verdict.level == "weak"
    assert "backups has the word" in pack.verdict.reason
    assert pack.evidence[0].path == "backups"
    assert asyncio.run(asked(replace(gate, defined=False))).verdict.level == "none"


def test_the_dense_side_of_a_short_question_weighs_less() -> None:
    async def weights(text: str) -> float:
        deps = deps_of(await make(WeatherEncoder(), TEXTS))
        query = Query(text)
        (weight,) = dense_weights(deps, query, Profile().fuse, code=()).values()
        return weight

    fuse = Profile().fuse
    assert asyncio.run(weights("thirty days")) == fuse.short_dense_weight
    assert asyncio.run(weights("thirty days of backups")) == fuse.dense_weight
