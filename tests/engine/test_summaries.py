"""Summaries in the background end with the index, whatever the model does."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

import pytest

from pincite.answering.config import AnswerConfig
from pincite.engine.summaries import Summaries
from pincite.model import Turn
from pincite.ports import ConversationState
from pincite.providers.conversations.sqlite import SqliteConversations
from pincite.providers.http import Transport
from pincite.providers.llm.chat import ChatModel
from tests.providers.llm.raw_server import RawServer
from tests.time_limits import HANGS_S

CONFIG = AnswerConfig()


def test_a_model_that_is_too_slow_is_paid_once_and_replaced_by_the_first_lines(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def session(address: str) -> ConversationState:
        conversations = SqliteConversations(tmp_path / "conversations.db")
        id_ = await conversations.begin("ada")
        for number in range(CONFIG.recent_turns):
            turns = (Turn("user", f"What is key {number}?"), Turn("assistant", "A key."))
            await conversations.append("ada", id_, turns)
        model = ChatModel(Transport("slow", address), "slow:m", "m", body={})
        summaries = Summaries(wait_s=0.2)
        async with asyncio.timeout(HANGS_S):
            summaries.begin(conversations, "ada", id_, model, CONFIG)
            await summaries.close()
            summaries.begin(conversations, "ada", id_, model, CONFIG)  # nothing is due
            await summaries.close()
        await model.close()
        state = await conversations.state("ada", id_, 0)
        await conversations.close()
        return state

    with RawServer(b"", then_wait=True) as address, caplog.at_level(logging.WARNING):
        state = asyncio.run(session(address))
    assert state.summary.startswith("asked: What is key 0?")
    assert (state.summarised, state.turns) == (2 * CONFIG.recent_turns, ())
    assert [one.getMessage().partition(":")[0] for one in caplog.records] == ["summary_unavailable"]
