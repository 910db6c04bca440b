"""Streamed answers of servers that repeat the key, and those that fail with status 200."""

from __future__ import annotations

import asyncio

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pincite.errors import BadResponse, ProviderError, Unavailable
from pincite.ports import Message
from pincite.providers.http import Transport
from pincite.providers.llm.chat import ChatModel
from pincite.providers.retry import RetryPolicy
from pincite.providers.secret import SHOWN, Secret
from pincite.trace import Trace
from tests.providers.llm.raw_server import RawServer

KEY = "sk-secret-SECRET-0123456"
QUESTION = (Message("user", "What is the key?"),)
CHUNKED = b"Transfer-Encoding: chunked\r\n"
ANSWER = b'{"choices": [{"message": {"content": "a b"}, "finish_reason": "stop"}]}'


def event(text: str, finish: str | None = None) -> bytes:
    choices = [{"delta": {"content": text}, "finish_reason": finish}]
    return b"data: " + msgspec.json.encode({"choices": choices}) + b"\n\n"


def pieces_of(raw: bytes, key: str = KEY, headers: bytes = b"") -> tuple[list[str], str]:
    """What is read of a streamed answer, piece by piece, and the error that ends it."""
    pieces: list[str] = []

    async def session() -> None:
        with RawServer(raw, headers=headers) as address:
            secret = Secret(key) if key else None
            transport = Transport("test", address, key=secret, retry=RetryPolicy(tries=1))
            model = ChatModel(transport, "test:m", "m", body={})
            try:
                async for piece in model.stream(QUESTION):
                    pieces.append(piece)  # noqa: PERF401 - what came before an error counts
            finally:
                await model.close()

    try:
        asyncio.run(session())
    except ProviderError as error:
        return pieces, f"{type(error).__name__}: {error.message}"
    return pieces, ""


@pytest.mark.parametrize("at", [1, 9, len(KEY) - 1])
def test_a_key_in_two_pieces_of_a_stream_is_not_shown(at: int) -> None:
    raw = event(f"It is {KEY[:at]}") + event(f"{KEY[at:]}, sir.") + event("", "stop")
    assert pieces_of(raw) == (["It is ", f"{SHOWN}, sir."], "")


def test_a_key_in_a_piece_for_each_character_is_not_shown() -> None:
    text = f"{KEY[:5]}{KEY}{KEY} ask{KEY[:-1]}"
    pieces, error = pieces_of(b"".join(map(event, text)) + event("", "stop"))
    assert ("".join(pieces), error) == (f"{KEY[:5]}{SHOWN}{SHOWN} ask{KEY[:-1]}", "")


def test_what_may_begin_the_key_is_shown_if_the_stream_ends_or_breaks_off() -> None:
    assert pieces_of(event("a task") + event(" is", "stop")) == (["a ta", "sk i", "s"], "")
    pieces, error = pieces_of(event("two keys"))
    assert pieces == ["two key", "s"]
    assert error.endswith("a response that was cut off")


@given(st.lists(st.text("ab", max_size=9), max_size=9))
def test_pieces_without_a_key_are_the_text_without_it(pieces: list[str]) -> None:
    key = "abaabaababab"
    redaction = Secret(key).in_pieces()
    shown = "".join(map(redaction.without, pieces)) + redaction.rest()
    assert shown == "".join(pieces).replace(key, SHOWN)


def test_a_key_that_may_be_a_word_changes_no_stream() -> None:
    assert pieces_of(event("oll") + event("ama", "stop"), "ollama") == (["oll", "ama"], "")


@pytest.mark.parametrize("streaming", [False, True])
@pytest.mark.parametrize("status", [200, 500])
@pytest.mark.parametrize("key", [KEY, "Short"])
def test_no_header_that_is_shown_has_the_key(key: str, status: int, streaming: bool) -> None:
    padding = "p" * 40  # so that what is shown would end within the key
    trace = Trace(lambda: 0.0)

    async def session() -> None:
        headers = f"Content-Encoding: {padding}{key}\r\nX-Request-Id: {padding * 2}-{key}\r\n"
        with RawServer(b"{}", status=status, headers=headers.encode()) as address:
            transport = Transport("x", address, key=Secret(key), retry=RetryPolicy(tries=1))
            try:
                if not streaming:
                    await transport.post("/v1", {})
                async with transport.lines("/v1", {}) as lines:
                    async for _ in lines:
                        pass
            finally:
                await transport.close()

    with trace.listening(), pytest.raises((BadResponse, Unavailable)) as caught:
        asyncio.run(session())
    (exchange,) = trace.exchanges
    assert exchange.request_id == f"{padding * 2}-{SHOWN}"
    shown = f"{caught.value.message} {exchange}".lower()
    assert key[:3].lower() not in shown
    if status == 200:
        assert f"the encoding '{padding}{SHOWN}'" in caught.value.message


@pytest.mark.parametrize("newline", [b"", b"\n"])
@pytest.mark.parametrize("before", [b" ", b"\n", b"\n\n  ", b"\t"])
def test_an_answer_that_is_not_streamed_may_begin_with_white_space(
    before: bytes, newline: bytes
) -> None:
    assert pieces_of(before + ANSWER.replace(b"[", b"[" + newline)) == (["a b"], "")


@pytest.mark.parametrize(
    "raw",
    [
        b'[{"error": {"message": "quota of the day"}}]',
        b'[{\n  "error": {\n    "message": "quota of the day"\n  }\n}\n]\n',
        b' {"error": {"message": "quota of the day"}}',
        b'\n{\n"error":\n "quota of the day"}',
        b' data: {"error": {"message": "quota of the day"}}\n\n',
    ],
)
@pytest.mark.parametrize("wrote", [[], ["a"]])
def test_an_error_of_status_200_is_told(raw: bytes, wrote: list[str]) -> None:
    said = "Unavailable: test:m failed while writing: quota of the day"
    assert pieces_of(b"".join(map(event, wrote)) + raw) == (wrote, said)


def test_an_error_that_breaks_off_is_quoted_as_far_as_it_came() -> None:
    raw = b'{\n  "error": {\n    "message": "quota of sk-secret-SECRET-0123456 is us'
    _, error = pieces_of(raw)
    told = '{ "error": { "message": "quota of *** is us'
    assert error == f"Unavailable: test:m failed while writing: {told}"
    _, error = pieces_of(b'{"error": "' + b"long " * 1_000)
    assert 450 < len(error) < 600


def test_an_error_is_quoted_if_the_connection_breaks_within_it() -> None:
    raw = b'{\n "error": {"message": "quota of sk-secret-SECRET-0123456\n'
    chunk = b"%x\r\n%b\r\n" % (len(raw), raw)  # and no last chunk
    _, error = pieces_of(chunk, headers=CHUNKED)
    assert error.startswith("Unavailable: the request to test at http://127")
    assert error.endswith('; it had sent: { "error": {"message": "quota of ***')


def test_the_end_of_a_stream_is_no_answer() -> None:
    assert pieces_of(event("a", "stop") + b"[DONE]\n" + event("b")) == (["a"], "")
