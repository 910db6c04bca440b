"""Follow-ups: what is searched for, what the model is sent, what is kept."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest

from pincite import AsyncPincite
from pincite.engine.memory_stores import open_conversations
from pincite.errors import ConversationNotFound
from pincite.model import Answer, Turn
from pincite.settings.load import Settings, load_settings
from pincite.support.fields import replace
from pincite.testing.contract_server import ContractServer
from tests.engine.asked import GOOD, settings

T = TypeVar("T")
FOLLOW_UP = "and how long are they kept?"


def with_engine(of: Settings, work: Callable[[AsyncPincite], Awaitable[T]]) -> T:
    async def run() -> T:
        async with AsyncPincite(of) as engine:
            return await work(engine)

    return asyncio.run(run())


def prompts(server: ContractServer) -> list[str]:
    """The last message of each request that asks for an answer."""
    bodies: list[Any] = server.record.bodies
    return [body["messages"][-1]["content"] for body in bodies if body.get("stream")]


def test_the_first_turn_is_searched_for_as_it_is_and_kept(
    shop: Path, server: ContractServer
) -> None:
    async def work(engine: AsyncPincite) -> tuple[Answer, tuple[Turn, ...]]:
        name = await engine.begin_conversation("ann")
        one = await engine.answer(GOOD, user="ann", conversation=name)
        return one, await engine.turns(name, "ann")

    one, turns = with_engine(settings(shop, server), work)
    assert one.retrieval_query == ""
    assert server.record.requests == 1
    assert [(turn.role, turn.text) for turn in turns] == [("user", GOOD), ("assistant", one.text)]
    cited = {source.citation for source in one.sources if source.number in one.cited}
    assert set(turns[1].citations) == cited
    assert turns[1].at >= turns[0].at > "2026"


def test_a_follow_up_is_searched_for_in_other_words_and_answered_as_it_was_asked(
    shop: Path, server: ContractServer
) -> None:
    async def work(engine: AsyncPincite) -> Answer:
        name = await engine.begin_conversation("ann")
        await engine.answer("when do the nightly backups run?", user="ann", conversation=name)
        return await engine.answer(FOLLOW_UP, user="ann", conversation=name)

    known = load_settings({}, shop, shop / ".pincite")
    one = with_engine(known, work)
    assert one.kind == "extractive"
    assert one.question == FOLLOW_UP
    assert "backups" in one.retrieval_query
    assert "rewrite_deterministic" in [notice.code for notice in one.warnings]
    assert "thirty days" in one.text
    assert server.record.requests == 0


def test_a_model_is_sent_the_earlier_turns_and_the_question_itself(
    shop: Path, server: ContractServer
) -> None:
    async def work(engine: AsyncPincite) -> tuple[Answer, Answer]:
        name = await engine.begin_conversation("ann")
        first = await engine.answer(GOOD, user="ann", conversation=name)
        profile = engine.settings.profile
        as_it_is = replace(profile, answer=replace(profile.answer, rewrite=False))
        second = await engine.answer(
            "rotate a key", user="ann", conversation=name, profile=as_it_is
        )
        return first, second

    first, second = with_engine(settings(shop, server), work)
    body = server.record.bodies[-1]
    said = [(one["role"], one["content"]) for one in body["messages"][1:3]]
    assert said[0] == ("user", GOOD)
    assert said[1][0] == "assistant"
    assert "[1]" in first.text
    assert "[1]" not in said[1][1]
    assert second.retrieval_query == ""
    assert "rotate a key" in prompts(server)[-1]


def test_an_answer_that_failed_is_shown_to_no_model(shop: Path, server: ContractServer) -> None:
    async def work(engine: AsyncPincite) -> tuple[Answer, tuple[Turn, ...]]:
        name = await engine.begin_conversation("ann")
        server.fail("midway-error", path="/chat/completions")
        failed = await engine.answer(GOOD, user="ann", conversation=name)
        await engine.answer(FOLLOW_UP, user="ann", conversation=name)
        return failed, await engine.turns(name, "ann")

    known = settings(shop, server)
    answers = replace(known.profile.answer, recent_turns=1)  # a summary is due at once
    failed, turns = with_engine(
        replace(known, profile=replace(known.profile, answer=answers)), work
    )
    assert failed.kind == "failed"
    assert failed.text
    assert [one.kind for one in turns] == ["", "failed", "", "generated"]
    later: list[Any] = server.record.bodies[1:]
    assert len(later) >= 3  # a rewrite, an answer, a summary
    said = [one["content"] for body in later for one in body["messages"]]
    assert not any(f"assistant: {failed.text[:9]}" in one for one in said)
    assert "assistant" not in [one["role"] for body in later for one in body["messages"]]


def test_a_model_that_rewrites_badly_leaves_the_question(
    shop: Path, server: ContractServer
) -> None:
    """This model of the contract server answers with the words of its prompt, backwards."""

    async def work(engine: AsyncPincite) -> Answer:
        name = await engine.begin_conversation("")
        await engine.answer(GOOD, conversation=name)
        return await engine.answer("how is it rotated?", conversation=name)

    known = settings(shop, server)
    known = replace(known, use=replace(known.use, llm="ollama:backwards"))
    one = with_engine(known, work)
    assert one.retrieval_query == ""
    assert "rewrite_refused" in [notice.code for notice in one.warnings]


def test_a_conversation_of_somebody_else_is_not_there(shop: Path, server: ContractServer) -> None:
    async def work(engine: AsyncPincite) -> None:
        name = await engine.begin_conversation("ann")
        for user, conversation in (("bob", name), ("", name), ("ann", "f" * 32)):
            with pytest.raises(ConversationNotFound):
                await engine.answer(GOOD, user=user, conversation=conversation)
        assert await engine.turns(name, "ann") == ()

    with_engine(settings(shop, server), work)
    assert server.record.requests == 0


def test_a_refusal_is_a_turn_as_well(shop: Path) -> None:
    async def work(engine: AsyncPincite) -> tuple[Turn, ...]:
        name = await engine.begin_conversation("")
        await engine.answer("zebra quantum ferment lorem", conversation=name)
        return await engine.turns(name, "")

    turns = with_engine(load_settings({}, shop, shop / ".pincite"), work)
    assert turns[1].text.startswith("I could not find")
    assert turns[1].citations == ()


def test_conversations_that_are_out_of_reach_cost_a_warning(shop: Path) -> None:
    known = load_settings({}, shop, shop / ".pincite")

    async def work(engine: AsyncPincite) -> Answer:
        name = await engine.begin_conversation("")
        place = known.index / "conversations.db"
        await engine._conversations.close()
        engine._open_conversations = open_conversations(known)
        kept = place.read_bytes()
        place.write_bytes(b"this is no database" * 100)
        try:
            return await engine.answer(GOOD, conversation=name)
        finally:
            await engine._conversations.close()
            place.write_bytes(kept)

    one = with_engine(known, work)
    assert one.kind == "extractive"
    assert "conversation_unavailable" in [notice.code for notice in one.warnings]


def test_a_summary_is_written_when_the_answers_are_given(shop: Path) -> None:
    known = load_settings({}, shop, shop / ".pincite")
    profile = replace(known.profile, answer=replace(known.profile.answer, recent_turns=2))

    async def begin(engine: AsyncPincite) -> str:
        name = await engine.begin_conversation("")
        for text in ("rotate a key", "when do backups run?", "the new secret"):
            await engine.answer(text, conversation=name, profile=profile)
        return name

    name = with_engine(known, begin)

    async def look(engine: AsyncPincite) -> str:
        state = await open_conversations(known).state("", name, 2)
        return state.summary

    assert "rotate a key" in with_engine(known, look)


def test_facts_of_the_user_are_told_and_of_nobody_else(shop: Path, server: ContractServer) -> None:
    async def work(engine: AsyncPincite) -> list[Answer]:
        await engine.remember("ann", "Ann rotates each key by hand.")
        return [await engine.answer(GOOD, user=user) for user in ("ann", "bob", "")]

    ann, bob, nobody = with_engine(settings(shop, server), work)
    assert [fact.text for fact in ann.facts] == ["Ann rotates each key by hand."]
    assert (bob.facts, nobody.facts) == ((), ())
    assert ["by hand" in prompt for prompt in prompts(server)] == [True, False, False]
    assert "by hand" not in ann.text
