"""Clients that read slowly get all of an answer; those that read nothing are closed."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import uvicorn

from pincite.surfaces.web.connections import BACKLOG, HttpLimits, limited_protocol

pytestmark = pytest.mark.anyio
SIZE = 10_000_000
STALLED_S = 0.5
#: An answer at once, a file in the pieces of its store, and a stream of events.
PIECES = (SIZE, 1 << 20, 10_000)


@asynccontextmanager
async def answering(piece: int) -> AsyncIterator[socket.socket]:
    """A client with a small buffer, whose answer has `SIZE` bytes in pieces of that size."""

    async def app(_: Any, __: Any, send: Any) -> None:
        headers = [(b"content-length", str(SIZE).encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for start in range(0, SIZE, piece):
            body = b"x" * min(piece, SIZE - start)
            more = start + piece < SIZE
            await send({"type": "http.response.body", "body": body, "more_body": more})

    with socket.create_server(("127.0.0.1", 0)) as listener, socket.socket() as client:
        http = limited_protocol(HttpLimits(stalled_s=STALLED_S))
        config = uvicorn.Config(app, backlog=BACKLOG, http=http, lifespan="off", log_config=None)
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve([listener]))
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65_536)
        client.setblocking(False)
        loop = asyncio.get_running_loop()
        await loop.sock_connect(client, listener.getsockname())
        await loop.sock_sendall(client, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        yield client
        client.close()
        server.should_exit = True
        await serving


async def received(client: socket.socket, pause_s: float) -> int:
    """The number of bytes of the body, read 50,000 at a time until all arrived or the server
    closes."""
    loop, got, begins = asyncio.get_running_loop(), bytearray(), 0
    while not begins or len(got) < begins + SIZE:
        try:
            read = await loop.sock_recv(client, 50_000)
        except ConnectionResetError:
            break
        if not read:
            break
        got += read
        begins = begins or got.find(b"\r\n\r\n") + 4
        await asyncio.sleep(pause_s)
    return len(got) - begins


@pytest.mark.parametrize("piece", PIECES)
async def test_who_reads_slowly_gets_all_of_the_answer(piece: int) -> None:
    async with answering(piece) as client:
        assert await received(client, 0.01) == SIZE


@pytest.mark.parametrize("piece", PIECES)
async def test_who_stops_reading_is_closed(piece: int) -> None:
    async with answering(piece) as client:
        await asyncio.sleep(3 * STALLED_S)
        assert await received(client, 0) < SIZE
