"""The socket of the servers: `serve`, `ui` and `mcp --http` listen with the same one."""

from __future__ import annotations

import asyncio
import socket

import pytest

from pincite.surfaces.web.address import Address


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_an_accepted_connection_sends_small_parts_at_once(host: str) -> None:
    """An accepted socket has TCP_NODELAY. Without it, the body of each response on a kept
    connection waits until the client acknowledges the head, which takes 40 ms."""

    async def accepted() -> int:
        found: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        async def serve(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            line = writer.get_extra_info("socket")
            found.set_result(line.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        listener = Address(host, port=0).listen()
        async with await asyncio.start_server(serve, sock=listener):
            _, writer = await asyncio.open_connection(*listener.getsockname()[:2])
            held = await found
            writer.close()
        return held

    assert asyncio.run(accepted())
