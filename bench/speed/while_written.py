"""Searches beside a client that writes, and beside the engine at work in the background."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.frame import ROOT, Options
from bench.synthetic import PER_DOCUMENT
from bench.waits import Waits
from pincite.daemon.wire.protocol import ServedIndex
from pincite.engine import AsyncPincite

_POLL_S = 1.0
_OPTIMISED_S = 900.0


@dataclass(frozen=True, slots=True)
class Size:
    """How much is measured."""

    chunks: int
    searches: int
    written: int  # documents that the other client replaces
    idle_s: float


async def while_written(
    engine: AsyncPincite, waits: Waits, options: Options, size: Size, seed: int
) -> float:
    """Searches with nothing beside them, while documents are replaced, made durable, and the
    collection is optimised. Chunks written a second."""
    client, written_s = engine.client(), 0.0
    async with waits.during("idle"):
        await asyncio.sleep(size.idle_s)
    async with _writer(engine.settings.index, options, size, seed) as write:
        async with waits.during("writing"):
            written_s = await write(size.written)
        async with waits.during("flushing"):
            await settle(client)
        async with waits.during("optimising, writing"):
            await write(size.written // 5)
        async with waits.during("optimising"):
            await optimised(client)
    return size.written * PER_DOCUMENT / written_s


async def settle(client: ServedIndex) -> None:
    await client.settle("main")


async def optimised(client: ServedIndex) -> None:
    """Wait until nothing is optimised any more."""
    async with asyncio.timeout(_OPTIMISED_S):
        await asyncio.sleep(_POLL_S)
        while (await client.collections())[0].optimising:  # noqa: ASYNC110 - in the daemon
            await asyncio.sleep(_POLL_S)


@asynccontextmanager
async def _writer(
    root: Path, options: Options, size: Size, seed: int
) -> AsyncIterator[Callable[[int], asyncio.Future[float]]]:
    """Another process that writes as many documents as it is told, and says in what time."""
    documents = size.written + size.written // 5
    numbers = map(str, (size.chunks, seed, documents))
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench.speed.writer", str(root), str(options.models), *numbers),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        cwd=ROOT,
    )
    stdin, stdout = child.stdin, child.stdout
    if stdin is None or stdout is None or (await stdout.readline()).strip() != b"ready":
        raise RuntimeError("the writing client did not start")

    async def tell(count: int) -> float:
        stdin.write(f"{count}\n".encode())
        return float(await stdout.readline())

    try:
        yield lambda count: asyncio.ensure_future(tell(count))
    finally:
        stdin.close()
        await child.wait()
