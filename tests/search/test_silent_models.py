"""A model that says nothing costs a search its vectors, not its answer."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from pincite.errors import Unavailable
from pincite.model import EvidencePack, Matrix, Vector
from pincite.ports.query_vectors import QueryVectors
from pincite.profile import Profile
from pincite.stages.retrieve import SearchMode
from pincite.support.concurrency import left_s
from pincite.support.fields import replace
from tests.small_search import TEXTS, TopicEncoder, ask, make

QUESTION = "how do I rotate a key with a new secret"


class Silent(TopicEncoder):
    asked = 0

    async def embed_query(self, text: str) -> Vector:
        self.asked += 1
        await asyncio.sleep(60)
        return await super().embed_query(text)


class Counting(TopicEncoder):
    """Keeps the seconds that it had for each question."""

    def __init__(self, had: list[float]) -> None:
        super().__init__()
        self.had = had

    async def embed_query(self, text: str) -> Vector:
        self.had.append(left_s())
        return await super().embed_query(text)


def asked(mode: SearchMode, *names: str) -> EvidencePack:
    spoken = [asyncio.run(make(TopicEncoder(), TEXTS, name=name)) for name in names]
    silent = Silent()
    profile = Profile()
    profile = replace(profile, retrieve=replace(profile.retrieve, timeout_s=1.0, mode=mode))
    return ask(QUESTION, *(replace(one, dense=silent) for one in spoken), profile=profile)


@pytest.mark.parametrize("names", [("main",), ("main", "other")])
def test_the_words_answer_and_a_warning_says_that_they_are_alone(names: tuple[str, ...]) -> None:
    pack = asked("hybrid", *names)
    assert pack.evidence[0].path == "keys"
    assert pack.plan.rung == "lexical"
    told = [one.message for one in pack.warnings if one.code == "dense_unavailable"]
    assert len(told) == len(names)
    assert all("within 0.8 s" in one for one in told)


@pytest.mark.parametrize("names", [("main",), ("main", "other")])
def test_a_model_has_four_fifths_of_the_time_of_a_search(names: tuple[str, ...]) -> None:
    had: list[float] = []
    made = [asyncio.run(make(TopicEncoder(), TEXTS, name=name)) for name in names]
    asking = [replace(one, dense=Counting(had)) for one in made]
    profile = Profile()
    profile = replace(profile, retrieve=replace(profile.retrieve, timeout_s=1_000.0))
    ask(QUESTION, *asking, profile=profile)
    assert had
    assert all(700 < seconds <= 800 for seconds in had)


@pytest.mark.parametrize("names", [("main",), ("main", "other")])
def test_a_model_that_was_silent_in_the_probe_is_not_waited_for_again(
    names: tuple[str, ...],
) -> None:
    silent = Silent()
    made = [asyncio.run(make(TopicEncoder(), TEXTS, name=name)) for name in names]
    profile = Profile()
    retrieving = replace(profile.retrieve, timeout_s=1.0)
    profile = replace(profile, retrieve=retrieving, probe=replace(profile.probe, enabled=True))
    pack = ask(QUESTION, *(replace(one, dense=silent) for one in made), profile=profile)
    assert silent.asked == 1
    assert pack.evidence[0].path == "keys"
    assert pack.plan.passes[0] == "probe"
    told = [one.message for one in pack.warnings if one.code.endswith("_unavailable")]
    assert len(told) == len(names) + 1
    assert all("within 0.8 s" in one for one in told)


def test_a_model_sees_the_time_that_is_left_for_a_document_as_well() -> None:
    had: list[float] = []

    class Documents(TopicEncoder):
        async def embed_documents(self, texts: Sequence[str]) -> Matrix:
            had.append(left_s())
            return await super().embed_documents(texts)

    async def embedded() -> None:
        vectors = QueryVectors(shared=True, limit_s=800.0)
        await vectors.of_document(Documents(), QUESTION)

    asyncio.run(embedded())
    assert had
    assert all(700 < seconds <= 800 for seconds in had)


def test_where_meaning_alone_was_asked_for_nothing_answers_in_its_place() -> None:
    with pytest.raises(Unavailable, match=r"no vector within 0.8 s"):
        asked("vector", "main")
