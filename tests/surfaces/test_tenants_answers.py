"""Answers over notes of several institutions: what a model is asked, and what nobody is asked."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from pincite.engine import AsyncPincite
from pincite.errors import ConversationNotFound, TagsRequired
from pincite.model import Answer
from tests.surfaces.campus import LACKING, QUESTION, TAGS, Campus
from tests.surfaces.campus import campus as campus

SENTENCE = "I could not find any relevant notes for your question."
SOUTH = {"institution": "south", "mode": "exam"}

pytestmark = [
    pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning"),
    pytest.mark.filterwarnings("ignore:Local mode performs exact:UserWarning"),
]


@pytest.fixture
def course(campus: Campus) -> Campus:
    """The recorded campus with a language model."""
    campus.configure(
        models=f'[providers.openai]\nurl = "{campus.server.url("openai")}"\ntries = 1\n',
        more='[models]\nllm = "openai:gpt-5-mini"\n',
    )
    return campus


def answered(course: Campus, **options: Any) -> Answer:
    course.server.record.clear()
    asked = {"tags": TAGS, **options}
    return course.within(lambda engine: engine.answer(QUESTION, **asked))


@pytest.mark.parametrize(("score", "kind"), [(0.2, "generated"), (0.1999, "refused")])
def test_a_model_is_asked_from_the_threshold_on_and_not_below(
    course: Campus, score: float, kind: str
) -> None:
    course.write({"a": score, "b": 0.1})
    answer = answered(course)
    assert answer.kind == kind
    assert len(course.asked("/chat/completions")) == (kind == "generated")
    if kind == "refused":
        assert (answer.text, answer.sources) == (SENTENCE, ())
    else:
        assert [one.score for one in answer.sources] == [0.2, 0.1]


def test_without_candidates_neither_a_reranker_nor_a_model_is_asked(course: Campus) -> None:
    course.write({"a": 0.9})
    answer = answered(course, tags=SOUTH)
    assert (answer.text, answer.sources, answer.kind) == (SENTENCE, (), "refused")
    assert course.asked("/rerank") == course.asked("/chat/completions") == []


def test_forgotten_tags_are_refused_before_anybody_is_asked(course: Campus) -> None:
    """Also in a conversation, where a model would rewrite the question first."""
    course.write({"a": 0.9})

    async def refused(engine: AsyncPincite) -> None:
        conversation = await engine.begin_conversation("ada")
        said: dict[str, Any] = {"user": "ada", "conversation": conversation}
        await engine.answer(QUESTION, tags=TAGS, **said)
        turns = len(await engine.turns(conversation, "ada"))
        ways: list[dict[str, Any]] = [{}, {"user": "ada"}, said, {**said, "mode": "open"}]
        for options, tags in itertools.product(ways, LACKING):
            course.server.record.clear()
            course.qdrant.requests.clear()
            with pytest.raises(TagsRequired):
                await engine.answer("and what of it?", tags=tags, **options)
            assert course.server.record.requests == 0, (options, tags)
            assert [one for one, _ in course.qdrant.requests if "/points" in one] == []
        assert len(await engine.turns(conversation, "ada")) == turns
        with pytest.raises(ConversationNotFound):
            await engine.answer("and what of it?", tags=TAGS, user="eve", conversation=conversation)

    course.within(refused)


def test_a_model_is_told_nothing_of_another_tenant(course: Campus) -> None:
    course.write({"a": 0.9, "b": 0.8})
    course.write({"zanzibar": 0.95}, institution="south")
    for tags, mine in ((TAGS, ("note a", "note b")), (SOUTH, ("note zanzibar",))):
        answer = answered(course, tags=tags)
        (body,) = course.asked("/chat/completions")
        sent = str(body["messages"])
        assert all(one in sent for one in mine)
        others = {"note a", "note b", "note zanzibar"} - {*mine}
        assert not any(one in sent or one in answer.to_json() for one in others)
