"""Calls of models are spans by the conventions for generative models."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from pincite.ports import Message
from pincite.ports.tracing import model_call, span
from pincite.providers.llm.chat import ChatModel
from pincite.providers.secret import PiecewiseRedaction
from pincite.telemetry.counting import counts_of
from tests.telemetry.watching import watched

pytestmark = pytest.mark.anyio
ASKED = [Message("user", "what is a zebra?")]


class Answering:
    """A transport with one answer."""

    async def post(self, path: str, body: object, load: object) -> Any:
        return {
            "choices": [{"message": {"content": "a horse"}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 7, "completion_tokens": 2},
        }

    def redaction(self) -> PiecewiseRedaction:
        return PiecewiseRedaction()

    @asynccontextmanager
    async def lines(self, path: str, body: object, load: object) -> AsyncIterator[Any]:
        async def pieces() -> AsyncIterator[str]:
            yield 'data: {"choices":[{"delta":{"content":"a "}}]}'
            yield 'data: {"choices":[{"delta":{"content":"horse"},"finish_reason":"stop"}]}'
            yield "data: [DONE]"

        yield pieces()


def model() -> ChatModel:
    transport: Any = Answering()
    return ChatModel(transport, "openai:gpt-x", "gpt-x", body={})


async def test_a_chat_has_its_model_and_tokens_and_nothing_that_was_said() -> None:
    with watched() as seen:
        await model().complete(ASKED)
    found = seen.one("chat gpt-x").attributes
    assert found is not None
    assert found["gen_ai.provider.name"] == "openai"
    assert found["gen_ai.request.model"] == "gpt-x"
    assert found["gen_ai.usage.input_tokens"] == 7
    assert found["gen_ai.usage.output_tokens"] == 2
    assert found["gen_ai.response.finish_reasons"] == ("stop",)
    assert "zebra" not in seen.all_said()
    assert "horse" not in seen.all_said()


async def test_a_streamed_answer_is_one_span_below_whoever_began_it() -> None:
    with watched() as seen, span("whole"):
        pieces = [piece async for piece in model().stream(ASKED)]
    assert pieces == ["a ", "horse"]
    (chat,) = seen.children(seen.one("whole"))
    assert chat.attributes is not None
    assert chat.attributes["gen_ai.response.finish_reasons"] == ("stop",)


async def test_a_stream_that_is_closed_early_is_no_failure() -> None:
    with watched() as seen:
        stream: Any = model().stream(ASKED)
        await anext(stream)
        await stream.aclose()
    found = seen.one("chat gpt-x")
    assert found.status.is_unset


def test_the_name_of_a_model_that_a_program_made_up_is_cut() -> None:
    with watched() as seen, model_call("embeddings", "m" * 10_000, 1):
        pass
    (found,) = seen.spans()
    assert len(found.name) < 300


def test_what_a_stage_gave_is_told_by_numbers_alone() -> None:
    assert dict(counts_of(("secret", "texts"))) == {"pincite.candidates": 2}
    assert dict(counts_of("secret")) == {}
