"""The worker: bring the index up to date with the requests of users.

    claim jobs -> read the files -> extract -> index (or remove) -> finish each

A job is leased. A worker that dies loses its lease, and another one starts the document again:
writing a document twice leaves it in the index once. A change that was requested in the meantime
makes the job wait again, so that the last request wins.

Small documents are indexed several at a time, because a run costs more than a page of text. A
document that was started before is indexed alone and last: it may have killed its worker.
"""

from __future__ import annotations

import asyncio
import logging
import os
import random
import secrets
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pincite.errors import (
    ConfigError,
    NotFound,
    PinciteError,
    ProviderError,
    SourceError,
    StoreError,
    UsageError,
    WorkspaceUnavailable,
)
from pincite.ports.tracing import span
from pincite.support.writing_until import writing_until
from pincite.workspace.database.jobs import is_about_feeds
from pincite.workspace.files.folder import FileStore
from pincite.workspace.files.one_database import sweep_files
from pincite.workspace.files.uploads import UploadedText, read_upload
from pincite.workspace.model import Document, Job
from pincite.workspace.ports import Workspaces
from pincite.workspace.workspace import Workspace

if TYPE_CHECKING:
    from pincite.workspace.deployment import Deployment

log = logging.getLogger("pincite.worker")

_Claimed = tuple[Job, Document]
_Result = dict[str, str] | Exception | None  # the metadata of a document, or why it has none


@dataclass(frozen=True, slots=True)
class WorkerConfig:
    """Settings of a worker; all values are guesses. `lease_s`: seconds without a renewal after
    which another worker may take the job. `attempts`: the number of temporary failures that make a
    job dead. `retry_s`: the wait after the first failure, doubled after each further one. `idle_s`:
    seconds between two looks for work, `sweep_s` for unused files. `batch`: the number of files, of
    up to `small_bytes` each, that one run indexes. `feeds_at_once`: the number of documents whose
    feeds are written at a time. `new_s`: the time for which files that are new to a database are
    not swept, so that an operator who bound the wrong ones can undo it."""

    lease_s: float = 60.0
    attempts: int = 8
    retry_s: float = 2.0
    longest_retry_s: float = 600.0
    idle_s: float = 1.0
    batch: int = 16
    small_bytes: int = 100_000
    sweep_s: float = 3_600.0
    new_s: float = 24 * 3_600.0
    feeds_at_once: int = 50


@dataclass(frozen=True, slots=True)
class WorkerDeps:
    """The dependencies of a worker. `name` is unique among workers; `chance` returns a uniform
    number between 0 and 1, `clock` seconds."""

    name: str
    workspaces: Workspaces
    workspace: Workspace
    files: FileStore
    chance: Callable[[], float] = random.random
    clock: Callable[[], float] = time.monotonic

    @classmethod
    def of(cls, opened: Deployment) -> WorkerDeps:
        """Return the dependencies of a worker of this process, with a unique name."""
        name = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
        return cls(name, opened.workspaces, opened.workspace, opened.files)


async def work(deps: WorkerDeps, config: WorkerConfig, ending: asyncio.Event) -> int:
    """Work until `ending` is set, and finish the current job. Return the number of finished jobs.
    Waits while the database or the store is unreachable."""
    count, swept = 0, -config.sweep_s
    while not ending.is_set():
        try:
            found = await work_once(deps, config)
            if not found and deps.clock() - swept >= config.sweep_s:
                swept = deps.clock()
                await sweep_files(deps.workspaces, deps.files, config.sweep_s, config.new_s)
        except PinciteError as error:
            log.warning("waiting: %s", error.message)
            found = 0
        if found:
            count += found
            continue
        with suppress(TimeoutError):
            await asyncio.wait_for(ending.wait(), config.idle_s)
    return count


async def work_once(deps: WorkerDeps, config: WorkerConfig) -> int:
    """Claim the next jobs, if any are due, and do them. Return their number. Raise
    WorkspaceUnavailable."""
    until_s = time.monotonic() + config.lease_s
    claimed = await _claim(deps, config)
    groups = _groups(claimed, config) if claimed else [await _claim_feeds(deps, config)]
    claimed = [one for group in groups for one in group]
    if not claimed:
        return 0
    leases = _Leases({job.id: until_s for job, _ in claimed})
    keeping = asyncio.create_task(_keep(deps, config, leases))
    try:
        for group in groups:
            await _do_group(deps, config, leases, group)
    finally:
        keeping.cancel()
        with suppress(asyncio.CancelledError):
            await keeping
    return len(claimed)


async def _claim(deps: WorkerDeps, config: WorkerConfig) -> list[_Claimed]:
    """Claim the jobs for one run; the last may be one that is done alone."""
    claimed: list[_Claimed] = []
    while len(claimed) < config.batch:
        found = await deps.workspaces.administer(lambda o: o.claim(deps.name, config.lease_s))
        if found is None:
            break
        claimed.append(found)
        if _is_alone(found, config):
            break
    return claimed


async def _claim_feeds(deps: WorkerDeps, config: WorkerConfig) -> list[_Claimed]:
    """Claim documents whose feeds have changed, if no other job is due."""
    limit = config.feeds_at_once
    return list(
        await deps.workspaces.administer(lambda o: o.claim_feeds(deps.name, config.lease_s, limit))
    )


def _is_alone(claimed: _Claimed, config: WorkerConfig) -> bool:
    job, document = claimed
    small = document.bytes <= config.small_bytes and document.status != "deleting"
    return job.attempts > 1 or not small


def _groups(claimed: list[_Claimed], config: WorkerConfig) -> list[list[_Claimed]]:
    last = claimed[-1:] if _is_alone(claimed[-1], config) else []
    together = claimed[: len(claimed) - len(last)]
    return [group for group in (together, last) if group]


async def _do_group(
    deps: WorkerDeps, config: WorkerConfig, leases: _Leases, group: list[_Claimed]
) -> None:
    """Do these jobs, except those whose lease is lost. If a lease is lost during the run, the run
    is abandoned and the other jobs are done one by one."""
    held = [one for one in group if one[0].id in leases.held]
    if not held:
        return
    leases.done_now = {job.id for job, _ in held}
    with writing_until(leases.until_s):
        leases.doing = doing = asyncio.create_task(_do(deps, [document for _, document in held]))
    try:
        results = await doing
    except asyncio.CancelledError:
        if not doing.cancelled() or ((task := asyncio.current_task()) and task.cancelling()):
            raise
        for job, _ in held:
            if job.id not in leases.held:
                log.warning("job %s: the lease was lost", job.id)
        for one in held if len(held) > 1 else ():
            await _do_group(deps, config, leases, [one])
        return
    leases.doing = None
    for (job, document), result in zip(held, results, strict=True):
        leases.held.pop(job.id, None)
        if not isinstance(result, Exception):
            await _finish(deps, job, document, result)
        elif isinstance(result, ConfigError):  # for the operator, who can retry the job
            log.error("job %s: %s", job.id, result.message)
            await _fail(deps, job, result, None)
        elif isinstance(result, SourceError | UsageError):  # a retry would fail again
            if is_about_feeds(document):  # reported nowhere else
                log.warning("job %s: %s", job.id, result.message)
            await _finish(deps, job, document, None, result.message)
        else:
            await _retry_later(deps, config, job, result)


async def _do(deps: WorkerDeps, documents: Sequence[Document]) -> list[_Result]:
    """Return the result of each document; a failure does not stop the others."""
    kind = "remove" if documents[0].status == "deleting" else "index"
    kind = "feeds" if all(map(is_about_feeds, documents)) else kind
    began_s = deps.clock()
    told: dict[str, str | int] = {"pincite.job.kind": kind, "pincite.job.documents": len(documents)}
    with span(f"pincite.job {kind}", told, "consumer"):
        if len(documents) == 1:
            found = [await _done(deps, documents[0])]
        elif kind == "feeds":
            found = await _written_feeds(deps, documents)
        else:
            found = await _done_together(deps, documents)
        took_ms = round((deps.clock() - began_s) * 1000, 1)
        event = {"kind": kind, "documents": len(documents), "took_ms": took_ms}
        log.info("a job is done", extra={"event": event})
        return found


async def _done_together(deps: WorkerDeps, documents: Sequence[Document]) -> list[_Result]:
    results: dict[str, _Result] = {}
    given = []
    for document in documents:
        try:
            given.append((document, await _read(deps, document)))
        except Exception as error:  # noqa: BLE001 - of this document, and told so
            results[document.id] = error
    try:
        found = await deps.workspace.index_documents(given) if given else ()
    except Exception as error:  # noqa: BLE001 - done again, so that it is told of who caused it
        log.info("indexing %d documents failed: %s", len(given), type(error).__name__)
        for document, _ in given:
            results[document.id] = await _done(deps, document)
    else:
        for (document, _), one in zip(given, found, strict=True):
            results[document.id] = one
    return [results[document.id] for document in documents]


async def _written_feeds(deps: WorkerDeps, documents: Sequence[Document]) -> list[_Result]:
    """Update the feeds in the points of these documents; index those without points."""
    try:
        there = await deps.workspace.write_feeds(documents)
    except Exception as error:  # noqa: BLE001 - of this document, and told so
        if len(documents) == 1:
            return [error]
        log.info(
            "indexing the feeds of %d documents failed: %s", len(documents), type(error).__name__
        )
        return [(await _written_feeds(deps, [one]))[0] for one in documents]
    return [None if one.id in there else await _done(deps, one) for one in documents]


async def _done(deps: WorkerDeps, document: Document) -> _Result:
    try:
        if document.status == "deleting":
            await deps.workspace.remove_document(document)
            return None
        if is_about_feeds(document) and await deps.workspace.write_feeds([document]):
            return None
        return await deps.workspace.index_document(document, await _read(deps, document))
    except Exception as error:  # noqa: BLE001 - one document must not end the worker
        return error


async def _read(deps: WorkerDeps, document: Document) -> UploadedText:
    raw = await deps.files.read(document.space_id, document.content_hash)
    ocr = deps.workspace.reads_pictures
    return await asyncio.to_thread(read_upload, raw, document.filename, ocr=ocr)


@dataclass(slots=True)
class _Leases:
    """The jobs that this worker still holds, each with the end of its lease by the monotonic clock
    of this machine, and the jobs that are being done."""

    held: dict[str, float]
    doing: asyncio.Task[list[_Result]] | None = None
    done_now: set[str] = field(default_factory=set)

    def until_s(self) -> float:
        """Return until when all jobs in progress belong to this worker; a past time if they do
        not."""
        return min((self.held.get(one, 0.0) for one in self.done_now), default=0.0)

    def lose(self, job_id: str) -> None:
        """Mark a job as lost to another worker and stop the work on it."""
        self.held.pop(job_id, None)
        if self.doing is not None and job_id in self.done_now:
            self.doing.cancel()


async def _keep(deps: WorkerDeps, config: WorkerConfig, leases: _Leases) -> None:
    """Renew the leases while the work goes on."""
    while leases.held:
        await asyncio.sleep(config.lease_s / 3)
        for id_ in sorted(leases.held):
            asked_s = time.monotonic()
            try:
                held = await _renew(deps, config, id_)
            except WorkspaceUnavailable:
                continue  # the database may be back in time; `finish` checks the lease
            if not held:
                leases.lose(id_)
            elif id_ in leases.held:
                leases.held[id_] = asked_s + config.lease_s


async def _renew(deps: WorkerDeps, config: WorkerConfig, job_id: str) -> bool:
    return await deps.workspaces.administer(
        lambda operator: operator.renew(job_id, deps.name, config.lease_s)
    )


async def _finish(
    deps: WorkerDeps,
    job: Job,
    document: Document,
    metadata: dict[str, str] | None,
    error: str = "",
) -> None:
    held = await deps.workspaces.administer(
        lambda operator: operator.finish(job.id, deps.name, document.version, metadata, error)
    )
    if not held:
        log.warning("job %s: the lease was lost", job.id)


async def _retry_later(deps: WorkerDeps, config: WorkerConfig, job: Job, error: Exception) -> None:
    """Schedule a retry. Failures of services and stores may be temporary; so may others, which are
    logged."""
    expected = isinstance(error, StoreError | ProviderError | WorkspaceUnavailable | NotFound)
    log.warning("job %s: %s", job.id, type(error).__name__, exc_info=None if expected else error)
    wait_s = min(config.longest_retry_s, config.retry_s * 2**job.attempts)
    wait_s *= 0.5 + deps.chance()  # jitter, so that many do not come back at once
    await _fail(deps, job, error, None if job.attempts >= config.attempts else wait_s)


async def _fail(deps: WorkerDeps, job: Job, error: Exception, retry_s: float | None) -> None:
    said = error.message if isinstance(error, PinciteError) else f"{type(error).__name__}: {error}"
    await deps.workspaces.administer(
        lambda operator: operator.fail(job.id, deps.name, said, retry_s)
    )
