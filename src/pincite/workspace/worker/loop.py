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
import re
import time
from contextlib import suppress
from typing import Final

from pincite.errors import (
    BadResponse,
    ConfigError,
    NotFound,
    PinciteError,
    ProviderError,
    SourceError,
    StoreError,
    UsageError,
    WorkspaceUnavailable,
)
from pincite.support.terminal import one_line
from pincite.support.writing_until import writing_until
from pincite.workspace.database.jobs import is_about_feeds
from pincite.workspace.files.one_database import sweep_files
from pincite.workspace.model import Document, Job
from pincite.workspace.worker.deps import WorkerConfig, WorkerDeps
from pincite.workspace.worker.leases import HeldJobs, renew_leases
from pincite.workspace.worker.perform import Result, perform

log = logging.getLogger("pincite.worker")

_ANSWERED: Final = re.compile(r".*? answered \d{3}(?=: )", re.DOTALL)
_PAGE: Final = 200  # documents that are queued again at a time
_LOGGED_CHARS: Final = 500  # of the reason of a failure

_Claimed = tuple[Job, Document]


async def work(deps: WorkerDeps, config: WorkerConfig, ending: asyncio.Event) -> int:
    """Work until `ending` is set, and finish the current job. Return the number of finished jobs.
    Waits while the database or the store is unreachable."""
    count, swept = 0, -config.sweep_s
    while not ending.is_set():
        try:
            found = await work_once(deps, config)
            if not found and deps.clock() - swept >= config.sweep_s:
                swept = deps.clock()
                await _retry_failed_before(deps)
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
    leases = HeldJobs({job.id: until_s for job, _ in claimed})
    keeping = asyncio.create_task(renew_leases(deps, config, leases))
    try:
        for group in groups:
            await _do_group(deps, config, leases, group)
    finally:
        keeping.cancel()
        with suppress(asyncio.CancelledError):
            await keeping
    return len(claimed)


async def _retry_failed_before(deps: WorkerDeps) -> None:
    """Queue documents of earlier versions whose earlier texts the index still has."""
    while found := await deps.workspaces.administer(lambda o: o.retry_failed_before(_PAGE)):
        log.info("%d documents that failed in an earlier version are tried again", found)


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
    deps: WorkerDeps, config: WorkerConfig, leases: HeldJobs, group: list[_Claimed]
) -> None:
    """Do these jobs, except those whose lease is lost. If a lease is lost during the run, the run
    is abandoned and the other jobs are done one by one."""
    held = [one for one in group if one[0].id in leases.held]
    if not held:
        return
    leases.done_now = {job.id for job, _ in held}
    with writing_until(leases.until_s):
        leases.doing = doing = asyncio.create_task(_perform(deps, config, held))
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


async def _perform(deps: WorkerDeps, config: WorkerConfig, held: list[_Claimed]) -> list[Result]:
    results = await perform(deps, [document for _, document in held])
    return [
        await _withdrawn(deps, config, *one, result) if isinstance(result, Exception) else result
        for one, result in zip(held, results, strict=True)
    ]


async def _withdrawn(
    deps: WorkerDeps, config: WorkerConfig, job: Job, document: Document, error: Exception
) -> Exception:
    """Remove the earlier text of a document from the index, if this failure is final and the
    content was replaced. Return the failure, or that of the removal, after which the job is
    retried."""
    refused = isinstance(error, SourceError | UsageError) and not isinstance(error, ConfigError)
    last = isinstance(error, ConfigError) or job.attempts >= config.attempts
    if not (refused or last) or document.status == "deleting":
        return error
    try:
        if await deps.workspaces.administer(lambda operator: operator.replaced([document.id])):
            await deps.workspace.remove_document(document)
    except Exception as why:  # noqa: BLE001 - one document must not end the worker
        if refused:
            return why
        log.warning(
            "job %s: an earlier text stays in the index, and is not shown: %s",
            *(job.id, _reason_for_log(why)),
        )
    return error


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
    """Schedule a retry. Failures of services and stores may be temporary. So may others, which are
    logged with their traceback."""
    wait_s = min(config.longest_retry_s, config.retry_s * 2**job.attempts)
    wait_s *= 0.5 + deps.chance()  # jitter, so that many do not come back at once
    last = job.attempts >= config.attempts
    expected = isinstance(error, StoreError | ProviderError | WorkspaceUnavailable | NotFound)
    then = "it is dead: pincite workspace dead" if last else f"the next one is in {wait_s:,.0f} s"
    log.warning(
        "job %s: %s; try %d of %d; %s",
        *(job.id, _reason_for_log(error), job.attempts, config.attempts, then),
        exc_info=None if expected else error,
    )
    await _fail(deps, job, error, None if last else wait_s)


def _reason_for_log(error: Exception) -> str:
    """Return the type of a failure and its message, without the message of another server, which
    may repeat the text that was sent to it. `pincite workspace jobs` shows it."""
    kind = type(error).__name__
    if not isinstance(error, PinciteError) or isinstance(error, BadResponse):
        return kind
    answered = _ANSWERED.match(error.message)
    return f"{kind}: {one_line(answered[0] if answered else error.message)[:_LOGGED_CHARS]}"


async def _fail(deps: WorkerDeps, job: Job, error: Exception, retry_s: float | None) -> None:
    said = error.message if isinstance(error, PinciteError) else f"{type(error).__name__}: {error}"
    await deps.workspaces.administer(
        lambda operator: operator.fail(job.id, deps.name, said, retry_s)
    )
