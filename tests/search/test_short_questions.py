"""A question of one word, through a whole search."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pincite.deps import Deps
from pincite.model import EvidencePack, Matrix, Query, Question, Vector
from pincite.ports import Searchable
from pincite.profile import Profile
from pincite.providers.sparse.analyser import informative_terms
from pincite.providers.sparse.language import guess_language
from pincite.search import search
from pincite.search_steps.weights import count_words, dense_weights
from pincite.stages.gate import GateConfig, Thresholds
from pincite.support.fields import replace
from pincite.trace import Trace
from tests.search.weather import TEXTS, WeatherEncoder
from tests.small_search import make


@dataclass
class FarthestEncoder(WeatherEncoder):
    """Gives the text with `farthest` the lowest cosine of all, and the others different ones."""

    farthest: str = ""
    fingerprint: str = "farthest/1"
    dimensions: int = 2

    async def embed_query(self, text: str) -> Vector:
        return np.array([1.0, 0.0], np.float32)

    async def embed_documents(self, texts: Sequence[str]) -> Matrix:
        angles = [
            1.3 if self.farthest in text else 0.8 + 0.01 * (n % 7) for n, text in enumerate(texts)
        ]
        return np.array([[np.cos(one), np.sin(one)] for one in angles], np.float32)


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


def test_a_name_is_one_word_however_many_terms_it_has() -> None:
    terms = informative_terms("english")
    assert len(terms("sn6e00786594")) == 4
    assert count_words("sn6e00786594", terms) == 1
    assert count_words("where was INV-2024-00317 replaced?", terms) == 2
    assert count_words("get_user_by_id", terms) == 1
    assert count_words("thirty days of backups", terms) == 3
    assert count_words("how is it", terms) == 0


def test_a_script_without_spaces_is_no_single_word() -> None:
    assert count_words("如何备份数据库", informative_terms("chinese")) > 2


def test_a_number_that_one_record_has_is_first_whatever_the_vectors_say() -> None:
    """Serial numbers have parts in common, which other records have, too. The record that is asked
    for has the worst cosine of all."""
    texts = {f"r{n}": f"The sn6e0{n:03}x was replaced." for n in range(40)}

    async def first(question: str) -> str:
        deps = deps_of(await make(FarthestEncoder(farthest="sn6e0017x"), texts))
        pack = await search(Question(question), deps, Profile(), Trace(lambda: 0.0))
        return pack.evidence[0].path

    assert asyncio.run(first("sn6e0017x")) == "r17"
    assert asyncio.run(first("where was sn6e0017x replaced?")) == "r17"
