"""Jobs: work on documents, leased to workers. One job for each document, so that two workers never
have the same. Users take turns: whoever was served longest ago is next, with the job that is due
longest, so that nobody waits for all that somebody else has uploaded.

A lease is a time in `due`. It holds from `changed`, when it was given, to `due`: a clock that was
set back makes `changed` a time to come, and then nothing holds, rather than for as long as the
clock was set back.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from pincite.errors import NotFound
from pincite.workspace import checks
from pincite.workspace.database import Transaction, json_text, time_text
from pincite.workspace.model import Document, Job
from pincite.workspace.rows import DOCUMENT, JOB, REMOVED, document_of, documents_of, job_of

#: How often in a row a job may lose its worker before it is dead: a document that kills what reads
#: it does so a bounded number of times. Guess, unmeasured.
LOSSES: Final = 10
_LEASED: Final = "id = :job AND worker = :worker AND state = 'running'"
_ANEW: Final = "UPDATE jobs SET losses = 0, attempts = 0, reason = '' WHERE id = :job"
_OPEN: Final = "state IN ('waiting', 'running')"
_DUE: Final = f"{_OPEN} AND (due <= :now OR changed > :soon)"
#: Users with work one by one, as an index has them: a user with 100,000 jobs is one step.
_NEXT: Final = f"""
    WITH RECURSIVE asking (user_id) AS (
        SELECT (SELECT user_id FROM jobs WHERE {_OPEN} ORDER BY user_id LIMIT 1)
        UNION ALL
        SELECT (SELECT j.user_id FROM jobs j WHERE {_OPEN} AND j.user_id > a.user_id
            ORDER BY j.user_id LIMIT 1)
        FROM asking a WHERE a.user_id IS NOT NULL)
    SELECT j.id FROM asking a
        JOIN jobs j ON j.id = (SELECT id FROM jobs WHERE user_id = a.user_id AND {_DUE}
            ORDER BY due, id LIMIT 1)
        LEFT JOIN job_turns t ON t.user_id = a.user_id
    ORDER BY coalesce(t.turn, 0), j.due, j.id LIMIT 16
"""
_TURN: Final = """
    INSERT INTO job_turns (user_id, turn)
    VALUES (:user, (SELECT coalesce(max(turn), 0) + 1 FROM job_turns))
    ON CONFLICT (user_id) DO UPDATE SET turn = excluded.turn
"""
#: By how much a time may be ahead of the clock without its having been set back: clocks of several
#: machines differ, and a claim may be older than what it reads. Guess, unmeasured.
_AHEAD_S: Final = 5.0
_MOST_S: Final = 10 * 365 * 86_400.0


async def claim_job(
    transaction: Transaction, worker: str, lease_s: float, losses: int
) -> tuple[Job, Document] | None:
    """See `Administration.claim`."""
    checks.line("worker", worker, checks.NAME_CHARS)
    while True:
        times = _times(await transaction.now())
        if not await transaction.rows(f"SELECT 1 FROM jobs WHERE {_DUE} LIMIT 1", **times):
            return None  # asked often: locks nothing
        await transaction.lock("claims")  # one after the other, as each needs the turns before it
        now = await transaction.now()
        found = await _next(transaction, now)
        if found is None:
            return None
        job, lost = found
        lost = lost + 1 if job.state == "running" else lost
        if lost >= losses:
            await _bury(transaction, job, f"it lost its worker {lost} times", time_text(now))
            continue
        document = await _document(transaction, job.document_id)
        if document is None:  # nothing to do: only a database that was changed by hand has it
            await transaction.run("DELETE FROM jobs WHERE id = :job", job=job.id)
            continue
        due = now + _seconds(lease_s)
        await transaction.run(
            "UPDATE jobs SET state = 'running', worker = :worker, attempts = attempts + 1,"
            " losses = :lost, due = :due, changed = :now WHERE id = :job",
            job=job.id,
            worker=worker,
            lost=lost,
            due=time_text(due),
            now=time_text(now),
        )
        await transaction.run(_TURN, user=job.user_id)
        if document.status != "deleting":
            await _set_status(transaction, document.id, "indexing")
        shown = await _document(transaction, document.id)
        claimed = Job(
            *(job.id, job.document_id, job.user_id, "running", job.attempts + 1, job.reason, due)
        )
        return None if shown is None else (claimed, shown)


async def renew_lease(transaction: Transaction, job_id: str, worker: str, lease_s: float) -> bool:
    """See `Administration.renew`."""
    if not await _leased(transaction, job_id, worker):
        return False
    now = await transaction.now()
    await transaction.run(
        f"UPDATE jobs SET due = :due, changed = :now WHERE {_LEASED}",
        job=job_id,
        worker=worker,
        due=time_text(now + _seconds(lease_s)),
        now=time_text(now),
    )
    return True


async def finish_job(
    transaction: Transaction,
    job_id: str,
    worker: str,
    version: int,
    metadata: dict[str, str] | None,
    error: str,
) -> bool:
    """See `Administration.finish`."""
    job = await _leased(transaction, job_id, worker)
    if job is None:
        return False
    document = await _document(transaction, job.document_id, " FOR UPDATE")
    now = time_text(await transaction.now())
    if document is None or (document.status == "deleting" and version >= document.version):
        await transaction.run("DELETE FROM removed_documents WHERE id = :id", id=job.document_id)
        await transaction.run("DELETE FROM jobs WHERE id = :job", job=job_id)
        return True
    if document.status != "deleting":
        kept = document.metadata if metadata is None else checks.metadata("metadata", metadata)
        settled = version >= document.version
        await transaction.run(
            "UPDATE documents SET indexed_version = :indexed, metadata = :metadata,"
            " status = :status, error = :error WHERE id = :id",
            id=document.id,
            indexed=document.indexed_version if error else version,
            metadata=json_text(kept),
            status=("failed" if error else "ready") if settled else "pending",
            error=checks.kept_text(error, checks.REASON_CHARS) if settled else "",
        )
        if settled:
            await _set_state(transaction, job_id, "done", now, now)
            return True
    await transaction.run(_ANEW, job=job_id)
    await _set_state(transaction, job_id, "waiting", now, now)
    return True


async def fail_job(
    transaction: Transaction, job_id: str, worker: str, reason: str, retry_s: float | None
) -> None:
    """See `Administration.fail`."""
    job = await _leased(transaction, job_id, worker)
    if job is None:
        return
    now = await transaction.now()
    said = checks.kept_text(reason, checks.REASON_CHARS)
    if retry_s is None:
        await _bury(transaction, job, said, time_text(now))
        return
    await transaction.run(
        f"UPDATE jobs SET state = 'waiting', worker = '', losses = 0, reason = :reason,"
        f" due = :due, changed = :now WHERE {_LEASED}",
        job=job_id,
        worker=worker,
        reason=said,
        due=time_text(now + _seconds(retry_s)),
        now=time_text(now),
    )
    await _set_status(transaction, job.document_id, "pending")


async def dead_jobs(transaction: Transaction) -> tuple[Job, ...]:
    """See `Administration.dead`."""
    rows = await transaction.rows(
        f"SELECT {JOB} FROM jobs WHERE state = 'dead' ORDER BY changed, id"
    )
    return tuple(map(job_of, rows))


async def retry_job(transaction: Transaction, job_id: str) -> None:
    """See `Administration.retry`."""
    rows = await transaction.rows(
        f"SELECT {JOB} FROM jobs WHERE id = :job AND state = 'dead' FOR UPDATE",
        job=checks.require_id("dead job", job_id),
    )
    if not rows:
        raise NotFound(f"there is no dead job {job_id}", hint="pincite workspace dead")
    now = time_text(await transaction.now())
    await transaction.run(_ANEW, job=job_id)
    await _set_state(transaction, job_id, "waiting", now, now)
    await _set_status(transaction, job_of(rows[0]).document_id, "pending")


async def _next(transaction: Transaction, now: datetime) -> tuple[Job, int] | None:
    """The job whose turn it is, which nobody else can change now, and how often it lost its worker.
    One that its user is changing just now is left to a later turn: nobody waits for a user."""
    times = _times(now)
    for (id_,) in await transaction.rows(_NEXT, **times):
        rows = await transaction.rows(
            f"SELECT {JOB}, losses FROM jobs WHERE id = :job AND {_DUE} FOR UPDATE SKIP LOCKED",
            job=id_,
            **times,
        )
        for *fields, lost in rows:
            return job_of(tuple(fields)), lost
    return None


async def _leased(transaction: Transaction, job_id: str, worker: str) -> Job | None:
    if not checks.is_id(job_id):
        return None
    rows = await transaction.rows(
        f"SELECT {JOB} FROM jobs WHERE {_LEASED} FOR UPDATE", job=job_id, worker=worker
    )
    return job_of(rows[0]) if rows else None


async def _document(transaction: Transaction, id_: str, locking: str = "") -> Document | None:
    rows = await transaction.rows(
        f"SELECT {DOCUMENT} FROM documents WHERE id = :id{locking}", id=id_
    )
    if rows:
        return (await documents_of(transaction, rows, ""))[0]
    removed = await transaction.rows(
        f"SELECT {REMOVED} FROM removed_documents WHERE id = :id", id=id_
    )
    return document_of(removed[0]) if removed else None


async def _bury(transaction: Transaction, job: Job, reason: str, now: str) -> None:
    await transaction.run(
        "UPDATE jobs SET reason = :reason WHERE id = :job", job=job.id, reason=reason
    )
    await _set_state(transaction, job.id, "dead", now, now)
    await _set_status(transaction, job.document_id, "failed", reason)


async def _set_state(transaction: Transaction, job_id: str, state: str, due: str, now: str) -> None:
    await transaction.run(
        "UPDATE jobs SET state = :state, worker = '', due = :due, changed = :now WHERE id = :job",
        job=job_id,
        state=state,
        due=due,
        now=now,
    )


async def _set_status(transaction: Transaction, id_: str, status: str, error: str = "") -> None:
    """Of a document that is there; one that is deleted has none."""
    await transaction.run(
        "UPDATE documents SET status = :status, error = :error WHERE id = :id",
        id=id_,
        status=status,
        error=error,
    )


def _times(now: datetime) -> dict[str, str]:
    return {"now": time_text(now), "soon": time_text(now + timedelta(seconds=_AHEAD_S))}


def _seconds(number: float) -> timedelta:
    return timedelta(seconds=min(max(float(number), 0.0), _MOST_S))
