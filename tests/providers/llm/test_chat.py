"""Chat completions, whole and streamed, on a server that answers as OpenAI does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from hashlib import sha256
from typing import Any

import pytest

from pincite.errors import AuthError, BadResponse, Invalid, TooLarge, Unavailable
from pincite.ports import LLM, Completion, Image, Message
from pincite.providers.http import Transport
from pincite.providers.llm.chat import ChatModel, open_llm
from pincite.providers.names import parse_model
from pincite.providers.registry import Setup, find_provider
from pincite.providers.retry import RetryPolicy
from pincite.providers.secret import Secret
from pincite.testing.contract_server import ContractServer
from pincite.testing.fakes import ScriptedLLM
from pincite.testing.llms import ASKED, LLMContract
from tests.providers.llm.raw_server import RawServer
from tests.providers.served import LLMS, opened
from tests.time_limits import HANGS_S

HELLO = (Message("user", "one two three"),)


def contract_of(name: str) -> type[LLMContract]:
    class Suite(LLMContract):
        @asynccontextmanager
        async def opened(self) -> AsyncIterator[LLM]:
            with ContractServer() as running:
                async with opened(running, "llm", name) as llm:
                    yield llm

    return Suite


TestOpenAI = contract_of(LLMS[0])
TestOllama = contract_of(LLMS[1])
TestLlamaCpp = contract_of(LLMS[2])
TestVllm = contract_of(LLMS[3])
TestLmStudio = contract_of(LLMS[4])


class TestScripted(LLMContract):
    @asynccontextmanager
    async def opened(self) -> AsyncIterator[LLM]:
        yield ScriptedLLM("an answer of five words")


def complete(server: ContractServer, name: str, **options: Any) -> Any:
    async def session() -> Any:
        async with opened(server, "llm", name, **options) as llm:
            return await llm.complete(HELLO, max_tokens=2)

    return asyncio.run(session())


def test_the_answer_and_what_it_cost(server: ContractServer) -> None:
    answer = complete(server, "ollama:qwen3:8b")
    assert (answer.text, answer.finish) == ("three two", "length")
    assert (answer.prompt_tokens, answer.completion_tokens) == (3, 2)


def test_nothing_is_sent_that_was_not_asked_for(server: ContractServer) -> None:
    complete(server, "ollama:qwen3:8b")
    assert server.record.bodies[-1] == {
        "model": "qwen3:8b",
        "messages": [{"role": "user", "content": "one two three"}],
        "max_tokens": 2,
    }
    complete(server, "ollama:qwen3:8b", body={"temperature": 0})
    assert server.record.bodies[-1]["temperature"] == 0


def test_openai_itself_calls_the_limit_by_its_newer_name() -> None:

    provider = find_provider("openai", "llm")
    for name, field in (
        ("openai:gpt-5-mini", "max_completion_tokens"),
        ("openai:http://localhost:1#m", "max_tokens"),
    ):
        setup = Setup(provider, parse_model(name), key=Secret("k"))
        model: Any = asyncio.run(open_llm(setup))
        assert model._request(HELLO, 7)[field] == 7


def test_options_are_part_of_the_fingerprint(server: ContractServer) -> None:
    async def fingerprint(**options: Any) -> str:
        async with opened(server, "llm", "ollama:m", **options) as llm:
            return str(llm.fingerprint)

    plain = asyncio.run(fingerprint())
    assert plain != asyncio.run(fingerprint(body={"temperature": 0.7}))


def test_texts_of_the_options_are_hashed_in_the_fingerprint(server: ContractServer) -> None:
    async def fingerprint(token: str) -> str:
        body = {"token": token, "more": {"keys": [token]}, "temperature": 0.5}
        async with opened(server, "llm", "ollama:m", body=body) as llm:
            return str(llm.fingerprint)

    one, other = asyncio.run(fingerprint("BODYSECRET")), asyncio.run(fingerprint("ANOTHER"))
    assert one != other
    assert "BODYSECRET" not in one
    assert '"temperature":0.5' in one


def test_a_prompt_beyond_the_window_is_too_large(server: ContractServer) -> None:
    async def session() -> None:
        async with opened(server, "llm", "openai:gpt-5-mini") as llm:
            await llm.complete([Message("user", "word " * 130_000)])

    with pytest.raises(TooLarge):
        asyncio.run(session())


def sse(*events: str) -> bytes:
    return "".join(f"data: {event}\n\n" for event in events).encode()


def chunk(text: str, finish: str = "null") -> str:
    return f'{{"choices": [{{"delta": {{"content": "{text}"}}, "finish_reason": {finish}}}]}}'


def streamed(raw: bytes, into: list[str]) -> None:
    """Puts the pieces of a stream into a list, where they stay when it raises."""

    async def session() -> None:
        with RawServer(raw) as address:
            async with asking(address) as model:
                async for piece in model.stream(HELLO):
                    into.append(piece)  # noqa: PERF401 - what came before an error counts

    asyncio.run(session())


@asynccontextmanager
async def asking(address: str, key: str = "", **options: Any) -> AsyncIterator[ChatModel]:
    secret = Secret(key) if key else None
    transport = Transport("test", address, key=secret, retry=RetryPolicy(tries=1))
    model = ChatModel(transport, "test:m", "m", body={}, **options)
    try:
        yield model
    finally:
        await model.close()


@pytest.mark.parametrize(
    "raw",
    [
        sse(chunk("a"), chunk("b"), chunk("", '"stop"'), "[DONE]"),
        sse(chunk("a"), chunk("b", '"stop"')),  # some servers never say [DONE]
        b": comment\n\nevent: x\nid: 7\n" + sse(chunk("a"), chunk("b", '"stop"'), "[DONE]"),
        sse(chunk("a"), chunk("b", '"stop"'), '{"choices": [], "usage": {}}', "[DONE]"),
        sse(chunk("a"), chunk("b", '"stop"'), "[DONE]").replace(b"data: ", b"data:"),
        sse(chunk("a"), chunk("b", '"stop"'), "[DONE]").replace(b"\n", b"\r\n"),
    ],
)
def test_all_dialects_of_streams_are_read(raw: bytes) -> None:
    pieces: list[str] = []
    streamed(raw, pieces)
    assert pieces == ["a", "b"]


@pytest.mark.parametrize(
    ("raw", "error"),
    [
        (sse(chunk("a")), BadResponse),
        (sse(chunk("a"), "[DONE]"), BadResponse),
        (sse(chunk("a"), '{"error": {"message": "out of memory"}}'), Unavailable),
        (
            sse(chunk("a")) + b'{"error":"an error was encountered while running the model"}\n',
            Unavailable,
        ),
        (sse(chunk("a"), "{not json"), BadResponse),
        (sse(chunk("a"), '{"choices": {"0": 1}}'), BadResponse),
        (sse(chunk("a"), '{"choices": ["b"]}'), BadResponse),
        (sse(chunk("a"), '{"choices": [{"delta": {"content": ["b"]}}]}'), BadResponse),
    ],
)
def test_a_stream_that_breaks_off_says_so_after_its_last_piece(
    raw: bytes, error: type[Exception]
) -> None:
    pieces: list[str] = []
    with pytest.raises(error):
        streamed(raw, pieces)
    assert pieces == ["a"]


KEY = "sk-MYSECRETKEY/0123"


@pytest.mark.parametrize("key", [KEY, "short"])
@pytest.mark.parametrize(
    "after",
    [
        b'data: {"error": {"message": "overloaded Bearer KEY", "type": "x"}}\n\n',
        b'{"error": {"message": "overloaded Bearer KEY"}}\n',
        b'{"error":\n {"message": "overloaded Bearer KEY"}\n}\n',
        b"data: overloaded Bearer KEY\n\n",
        b'data: {"choices": [{"overloaded Bearer KEY": 1, "delta": [1]}]}\n\n',
        b'data: {"choices": [{"delta": {"content": {"overloaded Bearer KEY": 1}}}]}\n\n',
    ],
)
def test_no_message_about_a_stream_has_the_key(after: bytes, key: str) -> None:
    async def session(written: str) -> None:
        raw = sse(chunk("a")) + after.replace(b"KEY", written.encode())
        with RawServer(raw) as address:
            async with asking(address, key) as model:
                async for _ in model.stream(HELLO):
                    pass

    for written in (key, key.replace("/", "\\/"), key.replace("s", "\\u0073")):
        with pytest.raises((Unavailable, BadResponse)) as caught:
            asyncio.run(session(written))
        said = str(caught.value)
        assert "overloaded Bearer ***" in said
        assert key not in said
        if after.startswith((b"{", b'data: {"error')):
            assert said == "test:m failed while writing: overloaded Bearer ***"


def test_no_message_about_an_answer_has_the_key() -> None:
    async def session() -> None:
        said = b'{"choices": [{"message": {"content": null}, "finish_reason": "%b"}]}'
        with RawServer(said % KEY.encode()) as address:
            async with asking(address, KEY) as model:
                await model.complete(HELLO)

    with pytest.raises(BadResponse, match=r"'\*\*\*'"):
        asyncio.run(session())


def test_a_key_that_is_a_word_changes_no_answer() -> None:
    pieces: list[str] = []

    async def session() -> None:
        with RawServer(sse(chunk("choices", '"stop"'))) as address:
            async with asking(address, "choices") as model:
                async for piece in model.stream(HELLO):
                    pieces.append(piece)  # noqa: PERF401 - the stream is what is tested

    asyncio.run(session())
    assert pieces == ["choices"]


@pytest.mark.parametrize("newline", [b"", b"\n"])
def test_a_server_that_does_not_stream_has_answered_too(newline: bytes) -> None:
    choice = b'{"message": {"content": "a b"}, "finish_reason": "length"}'
    pieces: list[str] = []
    streamed(b'{"choices": [' + newline + choice + newline + b"]}", pieces)
    assert pieces == ["a b"]


@pytest.mark.parametrize("streaming", [False, True])
def test_a_web_page_is_named(streaming: bool) -> None:
    async def session() -> None:
        with RawServer(b"\n<!DOCTYPE html>\n<title>data: a</title>\n") as address:
            async with asking(address) as model:
                if not streaming:
                    await model.complete(HELLO)
                async for _ in model.stream(HELLO):
                    pass

    with pytest.raises(BadResponse, match="a web page instead of JSON"):
        asyncio.run(session())


def test_a_stream_that_falls_silent_is_given_up() -> None:
    async def session() -> None:
        with RawServer(sse(chunk("a")), then_wait=True) as address:
            async with asking(address, deadline_s=1.0) as model:
                async for _ in model.stream(HELLO):
                    pass

    with pytest.raises(Unavailable, match=r"still writing after 1 s"):
        asyncio.run(session())


@pytest.mark.parametrize("streaming", [False, True])
def test_cancelling_hangs_up(streaming: bool) -> None:
    async def ask(model: ChatModel) -> None:
        if streaming:
            async for _ in model.stream(ASKED):
                pass
        else:
            await model.complete(ASKED)

    async def session() -> bool:
        with RawServer(sse(chunk("a")) if streaming else b"", then_wait=True) as address:
            async with asking(address) as model:
                task = asyncio.create_task(ask(model))
                assert await asyncio.to_thread(address.asked.wait, HANGS_S)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
                return await asyncio.to_thread(address.hung_up.wait, HANGS_S)

    assert asyncio.run(session())


@pytest.mark.parametrize(
    "body",
    [
        b"{}",
        b'{"choices": []}',
        b'{"choices": [{"message": {"content": null}, "finish_reason": "tool_calls"}]}',
        b'{"choices": [{"message": {"content": "x"}}]}',
        b"[]",
        b"nothing",
    ],
)
def test_an_answer_that_cannot_be_is_never_used(body: bytes) -> None:
    async def session() -> None:
        with RawServer(body) as address:
            async with asking(address) as model:
                await model.complete(HELLO)

    with pytest.raises(BadResponse):
        asyncio.run(session())


@pytest.mark.parametrize("reason", [b"null", b'["length"]', b'{"a": 1}', b"7"])
def test_a_finish_reason_that_is_no_word_is_a_usual_end(reason: bytes) -> None:
    async def session() -> Completion:
        told = b'{"choices": [{"message": {"content": "x"}, "finish_reason": %b}]}' % reason
        with RawServer(told) as address:
            async with asking(address) as model:
                return await model.complete(HELLO)

    assert asyncio.run(session()) == Completion("x", "stop")


def test_a_wrong_key_is_an_error_of_its_own() -> None:
    with ContractServer(key="right") as running, pytest.raises(AuthError):
        complete(running, "openai:gpt-5-mini")


def test_pictures_follow_the_text_as_data(server: ContractServer) -> None:
    picture = b"\x89PNG..."
    asked = Message("user", "What is this?", (Image(picture, "image/png"),))

    async def run() -> tuple[str, str]:
        async with opened(server, "llm", LLMS[0]) as llm:
            pieces = [piece async for piece in llm.stream([asked])]
            return (await llm.complete([asked])).text, "".join(pieces)

    seen = f"What is this? image/png {len(picture)} {sha256(picture).hexdigest()}"
    told = " ".join(reversed(seen.replace("image/", "").split()))  # as this server answers
    server.record.clear()
    assert asyncio.run(run()) == (told, told)
    parts = [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORy4uLg=="}},
    ]
    messages = [{"role": "user", "content": parts}]
    assert [body["messages"] for body in server.record.bodies] == [messages, messages]


def test_a_model_that_reads_text_alone_refuses_pictures(server: ContractServer) -> None:
    asked = Message("user", "What is this?", (Image(b"x", "image/png"),))

    async def run() -> None:
        async with opened(server, "llm", "vllm:text-only") as llm:
            await llm.complete([asked])

    with pytest.raises(Invalid, match="image input is not supported"):
        asyncio.run(run())


@pytest.mark.parametrize("count", ["1" + "0" * 400, "-1", "true", "1.5"])
def test_a_count_of_tokens_that_is_no_count_is_left_out(count: str) -> None:
    async def session() -> Completion:
        choice = '{"message": {"content": "yes"}, "finish_reason": "stop"}'
        said = f'{{"choices": [{choice}], "usage": {{"prompt_tokens": {count}}}}}'
        with RawServer(said.encode()) as address:
            async with asking(address) as model:
                return await model.complete(HELLO)

    completion = asyncio.run(session())
    assert (completion.text, completion.prompt_tokens) == ("yes", None)
