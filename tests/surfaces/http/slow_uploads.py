"""Uploads that are sent slowly."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pincite.surfaces.http.guard import GuardLimits
from tests.surfaces.http.workspace_server import HOST, Person, WorkspaceServer

SLOTS = GuardLimits().at_once // 2


class Slow:
    """An upload of which the head and one byte are sent."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    async def status(self) -> int:
        return int((await self._reader.readline()).split()[1])

    async def whole(self) -> tuple[str, bytes]:
        """Head and body of the response, until the server closes the connection."""
        head, _, body = (await self._reader.read()).partition(b"\r\n\r\n")
        return f"{head.decode()}\r\n", body

    async def send(self, raw: bytes) -> None:
        self._writer.write(raw)
        await self._writer.drain()

    def close(self) -> None:
        self._writer.close()


@asynccontextmanager
async def slow(port: int, who: Person, size: int = 100_000) -> AsyncIterator[Slow]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    made = Slow(reader, writer)
    head = f"POST /v1/documents?filename=a.txt HTTP/1.1\r\nhost: {HOST}\r\n"
    head += f"authorization: Bearer {who.key}\r\ncontent-length: {size}\r\n\r\na"
    await made.send(head.encode())
    try:
        yield made
    finally:
        made.close()


async def taken(served: WorkspaceServer, streams: int) -> None:
    """Wait until so many slots for uploads and answers are in use."""
    while served.app._streams._value > SLOTS - streams:  # noqa: ASYNC110 - no event for it
        await asyncio.sleep(0.01)
