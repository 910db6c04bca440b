"""Run the worker of `pincite serve`, `pincite worker`, as a process beside it.

In the server's own event loop, each step of an indexing run waited for all pending requests: with
50 clients, less than one document per second was indexed. In a thread of the server, both still
waited for Python's global lock. In a process, a document that crashes its parser does not affect
the server.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Final

from pincite.settings.load import Settings

log = logging.getLogger("pincite.http")

_AGAIN_S: Final = 1.0  # until the first restart, doubled for each further one
_LONGEST_S: Final = 60.0
_LONG_S: Final = 60.0  # after running this long, the next end counts as the first
_FINISH_S: Final = 120.0  # to complete the current document at the end; guess, unmeasured


@asynccontextmanager
async def working_beside(settings: Settings, *, lexical: bool) -> AsyncIterator[Callable[[], None]]:
    """Run a worker with the same settings, and yield a function that makes it end at once. It is
    restarted if it dies. At the end, it completes its current document, for two minutes at most,
    unless that function was called. It also ends if this process is killed."""
    command = [sys.executable, "-P", "-X", "utf8", "-m", "pincite.surfaces.cli.app", "worker"]
    command += ["--beside", "--index", str(settings.index), *(("--lexical",) if lexical else ())]
    ending, at_once = asyncio.Event(), asyncio.Event()
    keeping = asyncio.create_task(_keep(command, ending, at_once))
    try:
        yield at_once.set
    finally:
        ending.set()
        await keeping


async def _keep(command: Sequence[str], ending: asyncio.Event, at_once: asyncio.Event) -> None:
    wait_s = _AGAIN_S
    told = asyncio.create_task(ending.wait())
    while not told.done():
        began_s = time.monotonic()
        try:
            worker = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.DEVNULL,
                start_new_session=True,  # Ctrl-C is for the server, which ends the worker
            )
        except OSError as error:  # too many processes or too little memory may be temporary
            log.error("the worker cannot be started (%s); retrying", error)
        else:
            ended = asyncio.create_task(worker.wait())
            await asyncio.wait({ended, told}, return_when=asyncio.FIRST_COMPLETED)
            if told.done():
                await _end(worker, ended, at_once)
                return
            log.error("the worker ended (%d); restarting it", ended.result())
            if time.monotonic() - began_s >= _LONG_S:
                wait_s = _AGAIN_S
        with suppress(TimeoutError):
            await asyncio.wait_for(ending.wait(), wait_s)
        wait_s = min(2 * wait_s, _LONGEST_S)


async def _end(
    worker: asyncio.subprocess.Process, ended: asyncio.Task[int], at_once: asyncio.Event
) -> None:
    assert worker.stdin is not None
    worker.stdin.close()  # `--beside` waits for this
    cut = asyncio.create_task(at_once.wait())
    await asyncio.wait({ended, cut}, timeout=_FINISH_S, return_when=asyncio.FIRST_COMPLETED)
    cut.cancel()
    if not ended.done():
        log.warning("the worker is stopped; its current document will be indexed again")
        with suppress(ProcessLookupError):
            worker.kill()  # after SIGTERM it would finish the document
    await ended
