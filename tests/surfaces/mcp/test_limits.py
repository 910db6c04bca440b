"""Whoever does not finish a request over HTTP, or uses an id twice, gets an answer or is closed."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, MutableMapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from pincite.surfaces.mcp.limits import Limited
from pincite.surfaces.web.connections import HttpLimits
from tests.surfaces.conftest import Cli
from tests.surfaces.mcp.conftest import command
from tests.surfaces.mcp.messages import JSON, NEW, NEW_HEADERS, OLD
from tests.time_limits import HANGS_S

_SERVER = """
import asyncio, os
from pathlib import Path
from pincite.settings.load import load_settings
from pincite.surfaces.web.connections import HttpLimits
from pincite.surfaces.web.address import Address
from pincite.surfaces.mcp.serving import Offer, serve_http

limits = HttpLimits(head_s=0.3, body_s=0.3, stalled_s=0.3, body_bytes=20_000)
settings = load_settings(os.environ, Path.cwd())
ready = lambda url: print(url, flush=True)
asyncio.run(serve_http(settings, Address(port=0), Offer(), ready, limits))
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the server's stderr goes."""
    return tmp_path_factory.mktemp("said") / "stderr"


@pytest.fixture(scope="module")
def url(indexed: Cli, said: Path) -> Iterator[str]:
    with said.open("wb") as log:
        server = subprocess.Popen(
            [sys.executable, "-c", _SERVER],
            cwd=indexed.folder,
            env=command(indexed.folder).env,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
    assert server.stdout is not None
    yield server.stdout.readline().strip()
    server.terminate()
    server.communicate(timeout=HANGS_S)


def test_the_id_of_a_last_event_is_ignored(url: str) -> None:
    heads = {**JSON, "Last-Event-ID": "x"}
    plain, named = (httpx.get(url, headers=one, timeout=HANGS_S) for one in (JSON, heads))
    assert named.status_code == plain.status_code < 500


def connect(url: str) -> socket.socket:
    place = urlsplit(url)
    assert place.hostname
    assert place.port
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.settimeout(HANGS_S)
    client.connect((place.hostname, place.port))
    return client


def rest(client: socket.socket) -> bytes:
    """All that comes until the server closes. Raises TimeoutError if it does not."""
    got = b""
    try:
        while piece := client.recv(65536):
            got += piece
    except ConnectionResetError:
        pass
    return got


def head(url: str, length: int, **more: str) -> bytes:
    headers = {"host": urlsplit(url).netloc, **NEW_HEADERS, "content-length": str(length), **more}
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"POST /mcp HTTP/1.1\r\n{lines}\r\n".encode()


def test_a_head_that_is_never_complete_is_closed(url: str) -> None:
    for begun in (b"", b"POST /mcp HTTP/1.1\r\n", head(url, 5)[:-2]):
        with connect(url) as client:
            client.sendall(begun)
            rest(client)


def test_a_head_that_comes_a_byte_at_a_time_is_closed(url: str) -> None:
    with connect(url) as client:
        client.sendall(b"POST /mcp HTTP/1.1\r\nx: ")
        client.settimeout(0.05)
        for _ in range(int(HANGS_S / 0.05)):
            try:
                client.send(b"a")
                if client.recv(1) == b"":
                    return
            except TimeoutError:
                continue
            except OSError:
                return
    pytest.fail("the connection stayed open")


def test_a_second_request_that_is_never_complete_is_closed(url: str) -> None:
    body = json.dumps(NEW).encode()
    with connect(url) as client:
        client.sendall(head(url, len(body)) + body)
        assert client.recv(15) == b"HTTP/1.1 200 OK"
        client.sendall(b"POST /mcp HTTP/1.1\r\n")
        rest(client)


def test_a_body_that_is_never_complete_is_answered_and_closed(url: str) -> None:
    for more in ({}, {"mcp-session-id": "none"}):
        with connect(url) as client:
            client.sendall(head(url, 500, **more) + b'{"jsonrpc": "2.0", ')
            assert rest(client).startswith(b"HTTP/1.1 408 ")


def test_a_body_that_is_too_large_is_answered_and_closed(url: str) -> None:
    with connect(url) as client:
        client.sendall(head(url, 50_000) + b" " * 30_000)
        assert rest(client).startswith(b"HTTP/1.1 413 ")


def test_a_client_that_reads_no_answer_is_closed(url: str) -> None:
    body = json.dumps(NEW).encode()
    request = head(url, len(body)) + body

    def ask_on(client: socket.socket) -> None:
        client.sendall(request * 20_000)  # their answers are more than any buffer holds
        for _ in range(int(HANGS_S / 0.05)):
            client.sendall(request)
            time.sleep(0.05)

    with connect(url) as client, pytest.raises(ConnectionError):
        ask_on(client)


def test_every_call_with_the_same_id_gets_an_answer(url: str) -> None:
    call = {"jsonrpc": "2.0", "id": 7, "method": "tools/call"}
    params = {"name": "search_evidence", "arguments": {"query": "rotate a key"}}

    async def ask() -> tuple[list[httpx.Response], httpx.Response]:
        async with httpx.AsyncClient(timeout=HANGS_S) as client:
            opened = await client.post(url, json=OLD, headers=JSON)
            session = JSON | {"mcp-session-id": opened.headers["mcp-session-id"]}
            begun = {"jsonrpc": "2.0", "method": "notifications/initialized"}
            await client.post(url, json=begun, headers=session)
            posts = (
                client.post(url, json=call | {"params": params}, headers=session) for _ in range(12)
            )
            answers = await asyncio.gather(*posts)
            return answers, await client.post(url, json=call | {"params": params}, headers=session)

    answers, after = asyncio.run(ask())
    assert {answer.status_code for answer in answers} <= {200, 400}
    assert any(answer.status_code == 200 for answer in answers)
    for answer in answers:
        said = answer.json()
        assert "result" in said or "the id 7 belongs to" in said["error"]["message"]
    assert "result" in after.json()


def test_an_id_is_free_again_when_its_call_is_answered() -> None:
    """Ids count by session, and as the library tells them apart: 7 and "7" are the same."""

    async def work() -> list[int]:
        answer = asyncio.Event()
        begun = asyncio.Semaphore(0)

        async def app(scope: Any, receive: Any, send: Any) -> None:
            assert json.loads((await receive())["body"])["method"] == "x"
            begun.release()
            await answer.wait()
            await send({"type": "http.response.start", "status": 200, "headers": []})

        limited = Limited(app, HttpLimits())

        async def post(call_id: object, session: str) -> int:
            status: list[int] = []
            body = json.dumps({"jsonrpc": "2.0", "id": call_id, "method": "x"}).encode()

            async def receive() -> MutableMapping[str, Any]:
                return {"type": "http.request", "body": body}

            async def send(message: MutableMapping[str, Any]) -> None:
                if "status" in message:
                    status.append(message["status"])

            headers = [(b"mcp-session-id", session.encode())]
            await limited({"type": "http", "method": "POST", "headers": headers}, receive, send)
            return status[0]

        first = asyncio.create_task(post(7, "a"))
        other = asyncio.create_task(post(7, "b"))
        await begun.acquire()
        await begun.acquire()
        refused = [await post(7, "a"), await post("7", "a")]
        answer.set()
        return [*refused, await first, await other, await post(7, "a")]

    assert asyncio.run(work()) == [400, 400, 200, 200, 200]


@pytest.mark.parametrize("header", ["host", "origin"])
def test_a_header_is_escaped_in_the_log(url: str, said: Path, header: str) -> None:
    raw = b"\x9b31mX\x9d0;pwn\x9c" + b"y" * 3_000
    host = b"" if header == "host" else b"host: " + urlsplit(url).netloc.encode() + b"\r\n"
    with connect(url) as client:
        client.sendall(
            b"GET /mcp HTTP/1.1\r\n" + host + header.encode() + b": " + raw + b"\r\n"
            b"accept: text/event-stream\r\nconnection: close\r\n\r\n"
        )
        assert rest(client).startswith(b"HTTP/1.1 4")
    logged = said.read_bytes()
    assert f"Invalid {header.title()} header: \\x9b31mX\\x9d0;pwn\\x9cyyy".encode() in logged
    assert b"\xc2\x9b" not in logged
    assert b"y" * 600 not in logged
