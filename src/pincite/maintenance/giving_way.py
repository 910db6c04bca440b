"""Background work that stops when another writer waits for the collection.

Nobody watches such a run, and it can take minutes: a user who begins to index, import or remove
would wait for it without seeing any progress.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Final, TypeVar

from pincite.daemon.file_leases import is_waited_for

_LOOK_S: Final = 0.2  # guess, unmeasured; a person notices no fifth of a second

Result = TypeVar("Result")


async def while_nobody_waits(
    work: Coroutine[object, object, Result], root: Path, collection: str
) -> Result | None:
    """Do the work, which writes to a collection of the index folder `root`, and return its result.
    If another writer begins to wait for the collection, cancel the work and return None: what is
    finished stays, and the next run continues there. Raises the errors of the work."""
    task = asyncio.ensure_future(work)
    try:
        while not task.done():
            await asyncio.wait((task,), timeout=_LOOK_S)
            if not task.done() and is_waited_for(root, collection):
                task.cancel()
                await asyncio.wait((task,))
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    if task.cancelled():
        return None
    return task.result()
