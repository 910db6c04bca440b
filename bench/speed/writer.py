"""Another client that writes: `python -m bench.speed.writer INDEX MODELS CHUNKS SEED DOCUMENTS`.

Makes new versions of the first documents of a synthetic collection beforehand and prints `ready`.
For each line `N` on stdin it then writes the next N of them, one after the other, and prints the
seconds that this took.
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

from bench.product import settings_of
from bench.synthetic import World, spec_for
from pincite.daemon.client.open_index import open_index


async def write(root: Path, models: Path, chunks: int, seed: int, documents: int) -> None:
    """See the module's docstring."""
    world = World(chunks, seed)
    world.reseed(seed + 1)
    spec = spec_for("main")
    prepared = list(world.documents(range(documents), spec, "new"))
    client = open_index(settings_of(root, models))
    print("ready", flush=True)
    position = 0
    while line := await asyncio.to_thread(sys.stdin.readline):
        started_s = time.perf_counter()
        for document in prepared[position : position + int(line)]:
            await client.replace(spec.name, [document])
        position += int(line)
        print(time.perf_counter() - started_s, flush=True)
    await client.close()


if __name__ == "__main__":
    index, models_root, *numbers = sys.argv[1:]
    asyncio.run(write(Path(index), Path(models_root), *map(int, numbers)))
