"""Work in the background whose failure is logged."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

log = logging.getLogger("pincite.daemon")


def in_background(work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
    """Start the work."""
    task = asyncio.create_task(work)
    task.add_done_callback(_log_failure)
    return task


def _log_failure(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (error := task.exception()):
        log.error("the index could not be brought up to date", exc_info=error)
