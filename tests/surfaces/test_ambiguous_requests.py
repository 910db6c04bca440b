"""Requests whose headers a proxy may read in another way are refused by all servers alike."""

from __future__ import annotations

import asyncio
from collections.abc import MutableMapping
from typing import Any

import pytest

from pincite.surfaces.http.guard import Guard as ApiGuard
from pincite.surfaces.http.guard import GuardLimits
from pincite.surfaces.mcp.limits import Limited
from pincite.surfaces.page.guard import TOKEN
from pincite.surfaces.page.guard import Guard as PageGuard
from pincite.surfaces.web.connections import HttpLimits

HOST = "127.0.0.1:8765"
Message = MutableMapping[str, Any]
TWICE: dict[str, list[tuple[bytes, bytes]]] = {
    "both Content-Length and Transfer-Encoding": [
        (b"content-length", b"4"),
        (b"transfer-encoding", b"chunked"),
    ],
    "several Content-Length headers": [(b"content-length", b"2"), (b"content-length", b"20")],
    "several Transfer-Encoding headers": [(b"transfer-encoding", b"chunked")] * 2,
    "several Authorization headers": [(b"authorization", b"a"), (b"authorization", b"b")],
    "several If-Match headers": [(b"if-match", b'"1"'), (b"if-match", b'"2"')],
}


async def answered(_scope: object, _receive: object, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"answered"})


SERVERS: dict[str, Any] = {
    "the API": ApiGuard(answered, frozenset({HOST}), frozenset(), GuardLimits(), lambda *_: None),
    "the page": PageGuard(answered, [HOST], "token"),
    "MCP": Limited(answered, HttpLimits()),
}


def asked(server: str, method: str, headers: list[tuple[bytes, bytes]]) -> tuple[int, str]:
    """Status and body of the answer."""
    said: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"{}", "more_body": False}

    async def send(message: Message) -> None:
        said.append(message)

    known = [(b"host", HOST.encode()), (TOKEN, b"token")]
    scope = {"type": "http", "method": method, "path": "/api/x", "headers": [*known, *headers]}
    asyncio.run(SERVERS[server](scope, receive, send))
    body = b"".join(one.get("body", b"") for one in said)
    return said[0]["status"], body.decode()


@pytest.mark.parametrize("why", TWICE)
@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("server", SERVERS)
def test_two_keys_or_lengths_are_refused(server: str, method: str, why: str) -> None:
    status, said = asked(server, method, TWICE[why])
    assert (status, why in said) == (400, True)


@pytest.mark.parametrize("server", SERVERS)
def test_one_key_and_one_length_are_not(server: str) -> None:
    one = [(b"content-length", b"2"), (b"authorization", b"a")]
    assert asked(server, "POST", one) == (200, "answered")
