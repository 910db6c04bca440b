"""A child process that optimises a copy of a shard:
`python -m ... SOURCE TARGET DIMENSIONS LAYOUT`, the layout as JSON.

    child    ready      it has started, and waits
    parent   copy       nobody writes to the source from here on
    child    copied     the source may be written to again
             (end)      exit code 0: the copy is optimised, flushed and closed

The child ends with its parent, so that nobody writes into a folder that the next daemon sweeps
away.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from pincite.errors import StoreError
from pincite.support.capabilities import be_nice
from pincite.support.concurrency import run_to_completion
from pincite.support.decodable import ready

if TYPE_CHECKING:  # Qdrant Edge is imported after the child has lowered its priority
    from pincite.stores.qdrant_edge.layout import EdgeLayout

_NICENESS = 19  # searches and the encoder have priority
_PR_SET_PDEATHSIG = 1


class Child:
    """The parent's side of the protocol."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def ready(self) -> None:
        """Return when the child waits for `copy`."""
        await self._hear(b"ready\n")

    async def copy(self) -> None:
        """Let the child copy, and return when that is done."""
        if self._process.stdin is not None:
            with suppress(ConnectionError):  # its exit code has the reason
                self._process.stdin.write(b"copy\n")
                await self._process.stdin.drain()
        await self._hear(b"copied\n")

    async def end(self) -> None:
        """Return when the copy is optimised. Raises StoreError."""
        _, errors = await self._process.communicate()
        if self._process.returncode != 0:
            raise StoreError(
                f"optimising failed with exit code {self._process.returncode}:"
                f" {errors.decode(errors='replace').strip()[-500:]}",
                hint="pincite status",
            )

    async def _hear(self, line: bytes) -> None:
        if self._process.stdout is not None and await self._process.stdout.readline() != line:
            await self.end()
            raise StoreError("optimising ended early", hint="pincite status")


@asynccontextmanager
async def optimising_child(
    source: Path, target: Path, dimensions: int, layout: EdgeLayout
) -> AsyncIterator[Child]:
    """Yield a child that is certain to end with the block, however the block ends, and however
    often the caller is cancelled meanwhile."""
    pipe = asyncio.subprocess.PIPE
    starting = asyncio.create_task(
        asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-X", "utf8", "-m", __name__, str(source), str(target)),
            *(str(dimensions), msgspec.json.encode(layout).decode()),
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
        )
    )
    try:
        yield Child(await asyncio.shield(starting))
    finally:
        await run_to_completion(_end(starting))


async def _end(starting: asyncio.Task[asyncio.subprocess.Process]) -> None:
    process = await starting
    with suppress(ProcessLookupError):  # it has already ended
        process.kill()
    await process.communicate()


def copy_sparse(source: str, target: str) -> None:
    """Copy a file with its holes: Qdrant Edge preallocates 64 MB of which little is used."""
    with Path(source).open("rb") as reader, Path(target).open("wb") as writer:
        size = os.fstat(reader.fileno()).st_size
        writer.truncate(size)
        position = 0
        while position < size:
            try:
                start = os.lseek(reader.fileno(), position, os.SEEK_DATA)
            except OSError:  # no data after this position
                break
            position = os.lseek(reader.fileno(), start, os.SEEK_HOLE)
            os.lseek(reader.fileno(), start, os.SEEK_SET)
            os.lseek(writer.fileno(), start, os.SEEK_SET)
            while start < position:
                sent = os.sendfile(writer.fileno(), reader.fileno(), None, position - start)
                if not sent:
                    raise OSError(f"{source} became shorter while it was copied")
                start += sent


def main(source: str, target: str, dimensions: str, layout: str) -> int:
    """Copy, optimise, flush and close. Return 1 if the parent has ended before the start."""
    if sys.platform == "linux":
        import ctypes  # late: the daemon imports this module, too

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    be_nice(_NICENESS)
    import qdrant_edge as edge

    from pincite.stores.qdrant_edge.layout import EdgeLayout, config_for

    size = int(dimensions)
    config = config_for(msgspec.json.decode(layout, type=ready(EdgeLayout)), size) if size else None
    print("ready", flush=True)
    if sys.stdin.readline() != "copy\n":
        return 1
    if sys.platform == "linux":
        shutil.copytree(source, target, copy_function=copy_sparse)
    else:
        shutil.copytree(source, target)
    print("copied", flush=True)
    shard = edge.EdgeShard.load(target, config)
    shard.optimize()
    shard.flush()
    shard.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
