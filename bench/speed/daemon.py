"""A daemon that has the vectors of its queries already: `python -m bench.speed.daemon INDEX CHUNKS
SEED`.

Everything else is the product's. It is asked to leave by `release`, as any daemon.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from bench.frame import ROOT
from bench.synthetic import GivenVectors, Query, World
from pincite.daemon.server.listener import serve
from pincite.daemon.server.service import Daemon
from pincite.support.processes.gc_tuning import rarely_collect

#: Queries that are known.
QUERIES = 400
_IDLE_S = 120.0


def known_queries(chunks: int, seed: int) -> list[Query]:
    """Questions to a synthetic collection, whose vectors such a daemon has."""
    world = World(chunks, seed)
    world.reseed(seed + 2)
    return world.queries(QUERIES)


@asynccontextmanager
async def knowing_daemon(root: Path, chunks: int, seed: int) -> AsyncIterator[None]:
    """The index folder has such a daemon while the block runs; the block asks it to leave."""
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench.speed.daemon", str(root), str(chunks), str(seed)),
        stdout=asyncio.subprocess.PIPE,
        cwd=ROOT,
    )
    if child.stdout is None or (await child.stdout.readline()).strip() != b"ready":
        raise RuntimeError("the daemon did not start")
    try:
        yield
    finally:
        await child.wait()


async def own(root: Path, queries: Sequence[Query]) -> None:
    """Own the index until somebody asks to leave or nobody comes any more."""
    daemon = Daemon(root, root / "models", lambda _models, _name: GivenVectors(queries))
    rarely_collect()
    try:
        await daemon.open()
        await serve(daemon, root, _IDLE_S, ready=lambda: print("ready", flush=True))
    finally:
        await daemon.close()


if __name__ == "__main__":
    index, *numbers = sys.argv[1:]
    asyncio.run(own(Path(index), known_queries(*map(int, numbers))))
