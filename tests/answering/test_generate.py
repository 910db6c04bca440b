"""An answer whose model cannot be asked in time, over real HTTP."""

from __future__ import annotations

import asyncio
from pathlib import Path

from pincite.answering.generate import Written, generate
from pincite.ports import Message
from pincite.providers.http import Transport
from pincite.providers.llm.chat import ChatModel
from pincite.providers.pace import Pace, Rate
from pincite.providers.retry import RetryPolicy
from pincite.testing.contract_server import ContractServer


def test_a_turn_that_comes_too_late_ends_the_answer_at_once(tmp_path: Path) -> None:
    async def session(server: ContractServer) -> Written:
        pace = Pace("openai:m", "key", Rate(), tmp_path / "rates.db")
        await pace.pause(401.0)  # as after a Retry-After
        url, once = server.url("openai"), RetryPolicy(tries=1)
        model = ChatModel(Transport("openai", url, retry=once, pace=pace), "openai:m", "m", body={})
        try:
            asked = [Message("user", "is it there?")]
            async with asyncio.timeout(30.0):
                (written,) = [one async for one in generate(model, asked, 100, 60.0)]
        finally:
            await model.close()
        assert isinstance(written, Written)
        return written

    with ContractServer() as server:
        written = asyncio.run(session(server))
        assert server.record.requests == 0
    assert written.failed
    assert [one.code for one in written.notices] == ["llm_failed", "rate_limited"]
    assert "has to wait 40" in written.notices[0].message
    assert "answer.timeout_s" not in written.notices[0].message
