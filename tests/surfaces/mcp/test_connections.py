"""More connections than the server takes: those without a request make room."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import uvicorn

from pincite.surfaces.mcp.limits import BACKLOG, HttpLimits, limited_protocol
from tests.time_limits import HANGS_S

REQUEST = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
MOST = 4

Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@asynccontextmanager
async def served(app: Any) -> AsyncIterator[Callable[[], Awaitable[Connection]]]:
    """A server of `MOST` connections; what opens one."""
    limits = HttpLimits(head_s=HANGS_S, connections=MOST)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        config = uvicorn.Config(
            app,
            backlog=BACKLOG,
            http=limited_protocol(limits),
            lifespan="off",
            log_config=None,
            timeout_graceful_shutdown=1,
        )
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve([listener]))
        writers: list[asyncio.StreamWriter] = []

        async def connect() -> Connection:
            reader, writer = await asyncio.open_connection(*listener.getsockname())
            writers.append(writer)
            return reader, writer

        yield connect
        for writer in writers:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()
        server.should_exit = True
        await serving


async def ask(connection: Connection) -> bytes:
    reader, writer = connection
    writer.write(REQUEST)
    return await reader.read(15)


async def closed(connection: Connection) -> bool:
    """Does the server end it? Waits for that."""
    try:
        return await connection[0].read() == b""
    except ConnectionResetError:
        return True


def test_whoever_waits_longest_for_a_request_makes_room() -> None:
    async def app(_: Any, __: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body"})

    async def run() -> None:
        async with served(app) as connect:
            idle = [await connect() for _ in range(3 * MOST)]
            assert all([await closed(one) for one in idle[:-MOST]])
            assert await ask(await connect()) == b"HTTP/1.1 200 OK"
            assert await closed(idle[-MOST])
            assert await ask(idle[-1]) == b"HTTP/1.1 200 OK"

    asyncio.run(asyncio.wait_for(run(), HANGS_S))


def test_a_request_in_progress_is_not_ended_for_a_new_connection() -> None:
    async def run() -> None:
        begun, go_on = asyncio.Semaphore(0), asyncio.Event()

        async def app(_: Any, __: Any, send: Any) -> None:
            begun.release()
            await go_on.wait()
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body"})

        async with served(app) as connect:
            held = [await connect() for _ in range(MOST)]
            asking = [asyncio.create_task(ask(one)) for one in held]
            for _ in held:
                await begun.acquire()
            assert await closed(await connect())
            go_on.set()
            assert set(await asyncio.gather(*asking)) == {b"HTTP/1.1 200 OK"}

    asyncio.run(asyncio.wait_for(run(), HANGS_S))
