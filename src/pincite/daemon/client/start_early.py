"""Start the daemon while its client does other work."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from pincite.daemon.server.read_only import may_write
from pincite.daemon.wire.protocol import ServedIndex


@asynccontextmanager
async def started(
    client: ServedIndex, root: Path, *, shared: bool = False
) -> AsyncIterator[Callable[[], None]]:
    """Start the daemon of an index folder while the block runs, by a request for its collections.
    Requests in the block wait for the same start. Yields a function that raises the error of a
    start that has failed meanwhile.

    Nothing is started for an index that is `shared` and has no daemon, and for a folder that cannot
    be written to: its daemon makes a copy of the index, which writers do not need.
    """
    if shared or not may_write(root):
        yield lambda: None
        return
    asked = asyncio.create_task(client.collections())

    def failed() -> None:
        if asked.done():
            asked.result()

    try:
        yield failed
    finally:
        asked.cancel()
        await asyncio.gather(asked, return_exceptions=True)
