"""The worker: brings the index to what users asked for, one document at a time.

    claim a job -> read the file -> extract -> index (or remove) -> finish

A job is leased. A worker that dies loses its lease, and another one begins the document anew:
writing a document twice leaves it once. What was asked meanwhile makes the job wait again, so that
the last request wins.
"""

from __future__ import annotations

import asyncio
import logging
import os
import random
import secrets
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pincite.errors import (
    NotFound,
    PinciteError,
    ProviderError,
    SourceError,
    StoreError,
    UsageError,
    WorkspaceUnavailable,
)
from pincite.ports.tracing import span
from pincite.workspace.file_store import FileStore
from pincite.workspace.model import Document, Job
from pincite.workspace.opened import Workspace
from pincite.workspace.ports import Workspaces
from pincite.workspace.uploads import read_upload

if TYPE_CHECKING:
    from pincite.workspace.deployment import Deployment

log = logging.getLogger("pincite.worker")


@dataclass(frozen=True, slots=True)
class WorkerConfig:
    """`lease_s`: after so many seconds without a sign of life the job is another worker's.
    `attempts`: so many faults that may pass make a job dead; `retry_s` is waited after the first,
    twice as long after each further one. `idle_s`: how often to look for work, `sweep_s`: for files
    that nobody needs. All guesses."""

    lease_s: float = 60.0
    attempts: int = 8
    retry_s: float = 2.0
    longest_retry_s: float = 600.0
    idle_s: float = 1.0
    sweep_s: float = 3_600.0


@dataclass(frozen=True, slots=True)
class WorkerDeps:
    """What a worker works with. `name` is its own, distinct from all others; `chance` is uniform
    between 0 and 1, `clock` counts seconds."""

    name: str
    workspaces: Workspaces
    workspace: Workspace
    files: FileStore
    chance: Callable[[], float] = random.random
    clock: Callable[[], float] = time.monotonic

    @classmethod
    def of(cls, opened: Deployment) -> WorkerDeps:
        """A worker of this process, under a name that no other has."""
        name = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
        return cls(name, opened.workspaces, opened.workspace, opened.files)


async def work(deps: WorkerDeps, config: WorkerConfig, ending: asyncio.Event) -> int:
    """Work until told to end; the job in hand is finished. Returns how many were. A database or
    store that is away is waited for."""
    count, swept = 0, -config.sweep_s
    while not ending.is_set():
        try:
            found = await work_once(deps, config)
            if not found and deps.clock() - swept >= config.sweep_s:
                swept = deps.clock()
                await sweep(deps, config.sweep_s)
        except PinciteError as error:
            log.warning("waiting: %s", error.message)
            found = False
        if found:
            count += 1
            continue
        with suppress(TimeoutError):
            await asyncio.wait_for(ending.wait(), config.idle_s)
    return count


async def work_once(deps: WorkerDeps, config: WorkerConfig) -> bool:
    """Take the job whose turn it is, if there is one, and do it. Raises WorkspaceUnavailable."""
    async with deps.workspaces.administration() as operator:
        claimed = await operator.claim(deps.name, config.lease_s)
    if claimed is None:
        return False
    job, document = claimed
    doing = asyncio.create_task(_do(deps, document))
    keeping = asyncio.create_task(_keep(deps, config, job, doing))
    try:
        metadata = await doing
    except asyncio.CancelledError:
        if not doing.cancelled() or ((task := asyncio.current_task()) and task.cancelling()):
            raise
        log.warning("job %s: the lease is lost", job.id)
        return True
    except (SourceError, UsageError) as error:  # it would be the same again
        await _finish(deps, job, document, None, error.message)
    except Exception as error:  # noqa: BLE001 - one document must not end the worker
        await _retry_later(deps, config, job, error)
    else:
        await _finish(deps, job, document, metadata)
    finally:
        keeping.cancel()
        with suppress(asyncio.CancelledError):
            await keeping
    return True


async def sweep(deps: WorkerDeps, age_s: float) -> int:
    """Delete files that no document needs: of documents that are gone or replaced, and of uploads
    that were never recorded, once they are `age_s` old. Returns how many."""
    count = 0
    for space_id, content_hash in await deps.files.older_than(age_s):
        async with deps.workspaces.administration() as operator:
            if await operator.is_stored(space_id, content_hash):
                continue
        await deps.files.delete(space_id, content_hash)
        count += 1
    return count


async def _do(deps: WorkerDeps, document: Document) -> dict[str, str] | None:
    kind = "remove" if document.status == "deleting" else "index"
    began_s = deps.clock()
    with span(f"pincite.job {kind}", {"pincite.job.kind": kind}, "consumer"):
        found = await _done(deps, document)
        took_ms = round((deps.clock() - began_s) * 1000, 1)
        log.info("a job is done", extra={"event": {"kind": kind, "took_ms": took_ms}})
        return found


async def _done(deps: WorkerDeps, document: Document) -> dict[str, str] | None:
    if document.status == "deleting":
        await deps.workspace.remove_document(document)
        return None
    raw = await deps.files.read(document.space_id, document.content_hash)
    text = await asyncio.to_thread(
        read_upload, raw, document.filename, ocr=deps.workspace.reads_pictures
    )
    return await deps.workspace.index_document(document, text)


async def _keep(
    deps: WorkerDeps, config: WorkerConfig, job: Job, doing: asyncio.Task[dict[str, str] | None]
) -> None:
    """Renew the lease while the work goes on; end the work if it is lost."""
    while True:
        await asyncio.sleep(config.lease_s / 3)
        try:
            async with deps.workspaces.administration() as operator:
                held = await operator.renew(job.id, deps.name, config.lease_s)
        except WorkspaceUnavailable:
            continue  # it may be back before the lease has run out; `finish` finds out
        if not held:
            doing.cancel()
            return


async def _finish(
    deps: WorkerDeps,
    job: Job,
    document: Document,
    metadata: dict[str, str] | None,
    error: str = "",
) -> None:
    async with deps.workspaces.administration() as operator:
        held = await operator.finish(job.id, deps.name, document.version, metadata, error)
    if not held:
        log.warning("job %s: the lease is lost", job.id)


async def _retry_later(deps: WorkerDeps, config: WorkerConfig, job: Job, error: Exception) -> None:
    """Faults of services and stores may pass; so may others, which are logged."""
    expected = isinstance(error, StoreError | ProviderError | WorkspaceUnavailable | NotFound)
    log.warning("job %s: %s", job.id, type(error).__name__, exc_info=None if expected else error)
    wait_s = min(config.longest_retry_s, config.retry_s * 2**job.attempts)
    wait_s *= 0.5 + deps.chance()  # jitter, so that many do not come back at once
    said = error.message if isinstance(error, PinciteError) else f"{type(error).__name__}: {error}"
    async with deps.workspaces.administration() as operator:
        ended = job.attempts >= config.attempts
        await operator.fail(job.id, deps.name, said, None if ended else wait_s)
