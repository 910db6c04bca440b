"""Answers without end, of any kind, over real HTTP: each ends with its error, early."""

from __future__ import annotations

import asyncio
import gzip
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from pincite.errors import BadResponse, Invalid, ProviderError, Unavailable
from pincite.providers.bodies import ANSWER_BYTES, ITEM_BYTES, STREAM_BYTES
from pincite.providers.http import Load, Transport
from pincite.providers.local_servers import find_servers
from pincite.providers.retry import RetryPolicy
from tests.providers.llm.raw_server import read_request
from tests.time_limits import HANGS_S

OK = b"HTTP/1.1 200 OK\r\nConnection: close\r\n"
PACKED = OK + b"Content-Encoding: gzip\r\n\r\n"
MEBIBYTE = b" " * (1 << 20)
MUCH = 64 << 20  #: more than an answer may have, and more than buffers between two sockets


class Sent:
    """Counts the bytes of an answer that a client took before it hung up."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self.bytes = 0

    def __call__(self, raw: bytes) -> None:
        self._connection.sendall(raw)
        self.bytes += len(raw)


Answer = Callable[[Sent], None]


@contextmanager
def answering(answer: Answer) -> Iterator[tuple[str, list[Sent]]]:
    """A server with this answer to everything; its address, and what it has sent."""
    sent: list[Sent] = []

    def one(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            read_request(connection)
            sent.append(Sent(connection))
            answer(sent[-1])

    def serve() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                threading.Thread(target=one, args=(connection,), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", sent
        listener.shutdown(socket.SHUT_RDWR)


def ask(url: str, *, items: int = 0, streamed: bool = False, timeout_s: float = HANGS_S) -> Any:
    async def session() -> Any:
        retry = RetryPolicy(tries=1, deadline_s=HANGS_S)
        transport = Transport("openai", url, timeout_s=timeout_s, retry=retry)
        try:
            if not streamed:
                return await transport.post("/v1/embeddings", {}, Load(items))
            async with transport.lines("/v1/embeddings", {}) as lines:
                return [line async for line in lines]
        finally:
            await transport.close()

    return asyncio.run(session())


def endless(head: bytes, piece: bytes = MEBIBYTE) -> Answer:
    def answer(send: Sent) -> None:
        send(head)
        while True:
            send(piece)

    return answer


def whole(raw: bytes) -> Answer:
    def answer(send: Sent) -> None:
        send(raw)

    return answer


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "a line"])
def test_an_endless_answer_is_given_up_at_its_limit(streamed: bool) -> None:
    with (
        answering(endless(OK + b"\r\n")) as (url, sent),
        pytest.raises(BadResponse, match=f"more than {ANSWER_BYTES:,} bytes") as caught,
    ):
        ask(url, streamed=streamed)
    assert url in str(caught.value)
    assert sent[0].bytes < ANSWER_BYTES + MUCH


def test_an_endless_stream_of_short_lines_is_given_up_at_its_limit() -> None:
    with (
        answering(endless(OK + b"\r\n", (b"x" * 999 + b"\n") * 1_000)) as (url, _),
        pytest.raises(BadResponse, match=f"more than {STREAM_BYTES:,} bytes"),
    ):
        ask(url, streamed=True)


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_an_error_without_end_is_known_by_its_beginning(streamed: bool) -> None:
    with (
        answering(endless(b"HTTP/1.1 400 Bad Request\r\n\r\n", b"no " * 100_000)) as (url, sent),
        pytest.raises(Invalid, match="400: no no no"),
    ):
        ask(url, streamed=streamed)
    assert sent[0].bytes < ANSWER_BYTES + MUCH


def test_an_error_that_cannot_be_unpacked_is_known_by_its_status() -> None:
    head = b"HTTP/1.1 400 Bad Request\r\nContent-Encoding: br\r\n\r\n"
    with answering(whole(head + b"\x0b\x02")) as (url, _), pytest.raises(Invalid, match="400"):
        ask(url)


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "a line"])
def test_a_small_answer_that_unpacks_to_a_large_one_is_given_up(streamed: bool) -> None:
    packed = gzip.compress(b" " * (2 * ANSWER_BYTES))
    assert len(packed) < 50_000
    with (
        answering(whole(PACKED + packed)) as (url, _),
        pytest.raises(BadResponse, match=f"more than {ANSWER_BYTES:,} bytes"),
    ):
        ask(url, streamed=streamed)


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "streamed"])
def test_bytes_after_the_end_of_a_packed_answer_are_not_read(streamed: bool) -> None:
    packed = PACKED + gzip.compress(b'{"data": []}')
    with (
        answering(endless(packed)) as (url, sent),
        pytest.raises(BadResponse, match="after the end"),
    ):
        ask(url, streamed=streamed)
    assert sent[0].bytes < MUCH


@pytest.mark.parametrize("encoding", ["gzip, gzip", "zstd", "deflate", "x\x7f" * 100])
def test_an_encoding_that_was_not_asked_for_is_not_unpacked(encoding: str) -> None:
    head = f"{OK.decode()}Content-Encoding: {encoding}\r\n\r\n".encode()
    with (
        answering(whole(head + gzip.compress(gzip.compress(b"{}")))) as (url, _),
        pytest.raises((BadResponse, Unavailable)),
    ):
        ask(url)


def test_a_packed_answer_is_read_as_it_is() -> None:
    stream = gzip.compress(b"data: 1\r\n\r\ndata: 2")
    with answering(whole(PACKED + gzip.compress(b'{"data": []}'))) as (url, _):
        assert ask(url) == {"data": []}
    with answering(whole(PACKED + stream)) as (url, _):
        assert ask(url, streamed=True) == ["data: 1", "", "data: 2"]
    with (
        answering(whole(PACKED + b'{"data": []}')) as (url, _),
        pytest.raises(BadResponse, match="not gzip"),
    ):
        ask(url)


def test_more_texts_may_have_a_longer_answer() -> None:
    raw = b'"' + b"x" * (ANSWER_BYTES + 3 * ITEM_BYTES) + b'"'
    with answering(whole(OK + b"\r\n" + raw)) as (url, _):
        assert len(ask(url, items=4)) == len(raw) - 2
        with pytest.raises(BadResponse, match="more than"):
            ask(url, items=2)


def test_headers_without_end_are_given_up() -> None:
    with (
        answering(endless(OK, b"X-One: more\r\n" * 1_000)) as (url, sent),
        pytest.raises(Unavailable),
    ):
        ask(url)
    assert sent[0].bytes < MUCH


@pytest.mark.parametrize("head", [OK, OK + b"\r\n"], ids=["headers", "body"])
def test_an_answer_that_trickles_is_given_up_after_the_time_of_a_try(head: bytes) -> None:
    def trickle(send: Sent) -> None:
        send(head)
        while True:
            send(b" ")
            time.sleep(0.01)

    with answering(trickle) as (url, _), pytest.raises(Unavailable, match="no response within"):
        ask(url, timeout_s=0.3)


@pytest.mark.parametrize("charset", ["zip", "rot13", "idna", "undefined", "utf-16", "nonsense"])
def test_a_stream_is_utf_8_whatever_the_server_calls_it(charset: str) -> None:
    head = f"{OK.decode()}Content-Type: text/event-stream; charset={charset}\r\n\r\n".encode()
    with answering(whole(head + "data: größer\n".encode())) as (url, _):
        assert ask(url, streamed=True) == ["data: größer"]


def test_a_line_ends_where_the_protocol_says_and_nowhere_else() -> None:
    text = "a\u2028b\u0085c\x0bd\x0ce"
    raw = f"{text}\r\n\r\nlate".encode()

    def in_bytes(send: Sent) -> None:
        send(OK + b"\r\n")
        for at in range(len(raw)):
            send(raw[at : at + 1])

    with answering(in_bytes) as (url, _):
        assert ask(url, streamed=True) == [text, "", "late"]


def test_a_program_at_the_port_of_a_local_server_unpacks_nothing_here() -> None:
    packed = gzip.compress(gzip.compress(b" " * MUCH))
    head = OK + b"Server: llama.cpp\r\nContent-Encoding: gzip, gzip\r\n\r\n"
    with answering(whole(head + packed)) as (url, _):
        assert asyncio.run(find_servers((("llamacpp", url),))) == ()


def test_the_error_of_a_stream_is_one_of_a_provider() -> None:
    with (
        answering(whole(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")) as (url, _),
        pytest.raises(ProviderError),
    ):
        ask(url, streamed=True)
