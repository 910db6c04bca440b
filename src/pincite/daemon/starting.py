"""Start the daemon beside other work of its client."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from pincite.daemon.protocol import ServedIndex
from pincite.daemon.read_only import may_write


@asynccontextmanager
async def started(client: ServedIndex, root: Path) -> AsyncIterator[None]:
    """Start the daemon of an index folder while the block runs, by a request for its collections.
    Requests in the block wait for the same start, and raise its error. Nothing is started for a
    folder that cannot be written to: its daemon makes a copy of the index, which writers do not
    need."""
    if not may_write(root):
        yield
        return
    asked = asyncio.create_task(client.collections())
    try:
        yield
    finally:
        asked.cancel()
        await asyncio.gather(asked, return_exceptions=True)
