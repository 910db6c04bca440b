"""Invalid bytes during a request: they end it, and are no fault of the application."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import pytest
import uvicorn

from pincite.surfaces.web.connections import HttpLimits, limited_protocol
from tests.time_limits import HANGS_S

HEAD = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n"
WRONG = b"no number\r\n"
START = {"type": "http.response.start", "status": 200, "headers": []}


async def answer_to(pieces: Sequence[bytes], app: Any, begun: asyncio.Event) -> bytes:
    """What a client gets that sends these pieces, each after the application has begun."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        protocol = limited_protocol(HttpLimits())
        config = uvicorn.Config(app, http=protocol, lifespan="off", ws="none", log_config=None)
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve([listener]))
        reader, writer = await asyncio.open_connection(*listener.getsockname())
        got = b""
        for piece in pieces:
            writer.write(piece)
            await begun.wait()
        with suppress(ConnectionResetError):
            got = await reader.read()
        writer.close()
        server.should_exit = True
        await serving
        return got


@pytest.mark.parametrize("pieces", [[HEAD + WRONG], [HEAD, WRONG]], ids=["at once", "later"])
def test_the_client_is_refused_and_nothing_is_logged_as_a_fault(
    pieces: Sequence[bytes], caplog: pytest.LogCaptureFixture
) -> None:
    async def run() -> bytes:
        begun = asyncio.Event()

        async def app(_: Any, receive: Any, send: Any) -> None:
            await send(START)
            await send({"type": "http.response.body", "body": b"x", "more_body": True})
            begun.set()
            while (await receive())["type"] != "http.disconnect":
                pass
            await send({"type": "http.response.body", "body": b"late"})

        return await asyncio.wait_for(answer_to(pieces, app, begun), HANGS_S)

    got = asyncio.run(run())
    assert len(pieces) > 1 or got.startswith(b"HTTP/1.1 400 ")
    assert b"late" not in got
    assert not [one for one in caplog.records if one.levelname == "ERROR"]
