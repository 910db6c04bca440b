"""More connections than the server takes: those without a request make room."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
import uvicorn

from pincite.surfaces.web.connections import BACKLOG, HttpLimits, limited_protocol
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


def _pipelined(connection: Connection, size: int) -> None:
    """Send requests, and read nothing of the answers."""
    connection[1].write(REQUEST * size)


def test_clients_that_read_nothing_make_room() -> None:
    async def app(_: Any, __: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"x" * 1_000_000})

    async def run() -> None:
        async with served(app) as connect:
            for _ in range(MOST):
                _pipelined(await connect(), 200)
            await asyncio.sleep(0.5)  # until their buffers are full
            for _ in range(MOST):
                assert await ask(await connect()) == b"HTTP/1.1 200 OK"

    asyncio.run(asyncio.wait_for(run(), HANGS_S))


def test_clients_whose_bodies_do_not_arrive_make_room() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["method"] == "POST":
            await receive()
            await receive()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body"})

    async def run() -> None:
        async with served(app) as connect:
            held = [await connect() for _ in range(MOST)]
            for _, writer in held:
                writer.write(b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n")
            await asyncio.sleep(0.1)
            assert await ask(await connect()) == b"HTTP/1.1 200 OK"
            assert await closed(held[0])

    asyncio.run(asyncio.wait_for(run(), HANGS_S))


async def _answer(_: Any, __: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body"})


async def _read_and_answer(scope: Any, receive: Any, send: Any) -> None:
    while (await receive()).get("more_body"):
        pass
    await _answer(scope, receive, send)


BODY = 3_000_000  # more than the library and the operating system buffer
UPLOAD = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n%s\r\n"


@pytest.mark.parametrize("expect", [b"", b"Expect: 100-continue\r\n"], ids=["sends", "asks first"])
def test_a_body_that_the_server_does_not_read_yet_is_not_ended(expect: bytes) -> None:
    async def run() -> None:
        begun, go_on = asyncio.Semaphore(0), asyncio.Event()

        async def app(scope: Any, receive: Any, send: Any) -> None:
            if scope["method"] == "POST":
                begun.release()
                await go_on.wait()
                await _read_and_answer(scope, receive, send)
            else:
                await _answer(scope, receive, send)

        async def upload(connection: Connection) -> bytes:
            reader, writer = connection
            writer.write(UPLOAD % (BODY, expect))
            if expect:
                await reader.readuntil(b"\r\n\r\n")  # "100 Continue"
            writer.write(b"x" * BODY)
            return await reader.read(15)

        async with served(app) as connect:
            uploads = [asyncio.create_task(upload(await connect())) for _ in range(MOST - 1)]
            for _ in uploads:
                await begun.acquire()
            await asyncio.sleep(0.1)  # until reading is paused
            silent = [await connect() for _ in range(MOST)]
            await asyncio.sleep(0.1)
            go_on.set()
            assert set(await asyncio.gather(*uploads)) == {b"HTTP/1.1 200 OK"}
            assert all([await closed(one) for one in silent[:-1]])

    asyncio.run(asyncio.wait_for(run(), HANGS_S))


def test_a_connection_without_a_request_makes_room_before_a_body_that_is_late() -> None:
    async def run() -> None:
        async with served(_read_and_answer) as connect:
            late = [await connect() for _ in range(MOST - 1)]
            for _, writer in late:
                writer.write(UPLOAD % (1, b""))
            await asyncio.sleep(0.1)
            idle = await connect()
            await asyncio.sleep(1.1)
            assert await ask(await connect()) == b"HTTP/1.1 200 OK"
            for reader, writer in late:
                writer.write(b"x")
                assert await reader.read(15) == b"HTTP/1.1 200 OK"
            assert await closed(idle)

    asyncio.run(asyncio.wait_for(run(), HANGS_S))


def test_a_body_that_is_late_makes_room_before_an_answer_that_is_being_read() -> None:
    size = 40_000_000  # more than the operating system buffers

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["method"] == "GET":
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b"y" * size})
        else:
            await _read_and_answer(scope, receive, send)

    async def run() -> None:
        async with served(app) as connect:

            async def upload() -> Connection:
                reader, writer = await connect()
                writer.write(UPLOAD % (1, b""))
                return reader, writer

            late = [await upload() for _ in range(MOST - 1)]
            await asyncio.sleep(0.1)
            reader, writer = await connect()
            writer.write(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            got = len(await reader.read(65_536))
            await upload()  # the server sees how much was read
            await asyncio.sleep(1.2)  # a pause of the client
            await upload()
            await asyncio.sleep(0.1)
            got += len(await reader.read())
            assert got > size
            assert await closed(late[0])

    asyncio.run(asyncio.wait_for(run(), HANGS_S))


def test_a_client_that_has_just_connected_does_not_make_room() -> None:
    """Otherwise bodies that never arrive would leave one place for all new clients."""

    async def run() -> None:
        async with served(_read_and_answer) as connect:
            held = [await connect() for _ in range(MOST - 1)]
            for _, writer in held:
                writer.write(UPLOAD % (1, b""))
            await asyncio.sleep(0.1)
            new, newer = await connect(), await connect()
            assert await ask(new) == await ask(newer) == b"HTTP/1.1 200 OK"
            assert await closed(held[0])

    asyncio.run(asyncio.wait_for(run(), HANGS_S))


def test_the_oldest_stream_makes_room_if_all_are_streams() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b":", "more_body": True})
        if scope["path"] == "/stream":
            while (await receive())["type"] != "http.disconnect":
                pass
        else:
            await send({"type": "http.response.body"})

    async def run() -> None:
        async with served(app) as connect:
            held = [await connect() for _ in range(MOST)]
            for reader, writer in held:
                writer.write(b"GET /stream HTTP/1.1\r\nHost: x\r\n\r\n")
                await reader.readuntil(b"\r\n:\r\n")
            assert await ask(await connect()) == b"HTTP/1.1 200 OK"
            assert await closed(held[0])

    asyncio.run(asyncio.wait_for(run(), HANGS_S))


def test_a_request_to_change_the_protocol_is_answered_and_nothing_is_printed(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def app(_: Any, __: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body"})

    upgrade = b"GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: %s\r\n\r\n"

    async def run() -> None:
        async with served(app) as connect:
            for protocol in (b"websocket", b"h2c"):
                reader, writer = await connect()
                writer.write(upgrade % protocol)
                assert await reader.read(15) == b"HTTP/1.1 200 OK"

    asyncio.run(asyncio.wait_for(run(), HANGS_S))
    assert caplog.text == ""
