"""Jobs: work on documents, leased to workers.

A document has one job, so that two workers never have the same document. Users take turns: the next
job belongs to the user who was served longest ago, and among the jobs of that user it is the one
that has been due longest. So no user waits for all uploads of another one.

The end of a lease is stored in `due`. A lease holds from `changed`, when it was given, to `due`. If
the clock is set back, `changed` is in the future and the lease does not hold; otherwise it would
hold until the clock catches up.

A transaction that needs a document and its job locks the row of the document first, as changes of
users do, which reach the job by a trigger. A claim waits for neither.

A job that is done or dead gets a time in the column `feeds` when the feeds of its document change.
Many of these jobs are taken at once if no other job is due, so that they delay no upload; their
documents stay `ready`. A dead job whose document has no points stays dead: its retry writes the
feeds, too.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final, get_args

from pincite.errors import NotFound
from pincite.support.arguments import require_count
from pincite.workspace import checks
from pincite.workspace.database.rows import (
    DOCUMENT,
    JOB,
    REMOVED,
    document_of,
    documents_of,
    job_of,
)
from pincite.workspace.database.transaction import (
    Row,
    Transaction,
    json_text,
    maybe_time,
    time_text,
)
from pincite.workspace.model import Counts, Document, DocumentStatus, Job, JobState

#: How often in a row a job may lose its worker before it is dead. It limits how often a document
#: can kill the process that reads it. Guess, unmeasured.
LOSSES: Final = 10
_LEASED: Final = "id = :job AND worker = :worker AND state = 'running'"
_ANEW: Final = "UPDATE jobs SET losses = 0, attempts = 0, reason = '' WHERE id = :job"
_OPEN: Final = "state IN ('waiting', 'running')"
_DUE: Final = f"{_OPEN} AND (due <= :now OR changed > :soon)"
#: Each side has an index: with `OR` all jobs would be read if none is due.
_ANY: Final = f"""
    SELECT 1 FROM jobs WHERE {_OPEN} AND due <= :now
    UNION ALL SELECT 1 FROM jobs WHERE {_OPEN} AND changed > :soon
    LIMIT 1
"""
#: Users with jobs, read one by one from an index: even a user with 100,000 jobs takes one step.
_NEXT: Final = f"""
    WITH RECURSIVE asking (user_id) AS (
        SELECT (SELECT user_id FROM jobs WHERE {_OPEN} ORDER BY user_id LIMIT 1)
        UNION ALL
        SELECT (SELECT j.user_id FROM jobs j WHERE {_OPEN} AND j.user_id > a.user_id
            ORDER BY j.user_id LIMIT 1)
        FROM asking a WHERE a.user_id IS NOT NULL)
    SELECT j.id, j.document_id FROM asking a
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
#: How far a time may be in the future before the clock counts as set back: clocks of several
#: machines differ, and a claim may be older than the rows it reads. Guess, unmeasured.
_AHEAD_S: Final = 5.0
#: The error of a document whose job is dead. The reason is about the server: only the operator sees
#: it, in the job.
_UNTOLD: Final = "the server could not index it; its operator finds the reason under job {}"
_MOST_S: Final = 10 * 365 * 86_400.0


async def claim_job(
    transaction: Transaction, worker: str, lease_s: float, losses: int
) -> tuple[Job, Document] | None:
    """See `Administration.claim`."""
    checks.line("worker", worker, checks.NAME_CHARS)
    while True:
        times = _times(await transaction.now())
        if not await transaction.rows(_ANY, **times):
            return None  # called often: takes no lock
        await transaction.lock("claims")  # one at a time: each needs the turns of those before
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
        if document is None:  # no work: only in a database that was changed by hand
            await transaction.run("DELETE FROM jobs WHERE id = :job", job=job.id)
            continue
        due = now + _seconds(lease_s)
        await transaction.run(
            "UPDATE jobs SET state = 'running', worker = :worker, attempts = attempts + 1,"
            " losses = :lost, due = :due, changed = :now, feeds = NULL WHERE id = :job",
            job=job.id,
            worker=worker,
            lost=lost,
            due=time_text(due),
            now=time_text(now),
        )
        await transaction.run(_TURN, user=job.user_id)
        if document.status != "deleting" and not is_about_feeds(document):
            await _set_status(transaction, document.id, "indexing")
        shown = await _document(transaction, document.id)
        claimed = Job(
            *(job.id, job.document_id, job.user_id, "running", job.attempts + 1, job.reason, due)
        )
        return None if shown is None else (claimed, shown)


def is_about_feeds(document: Document) -> bool:
    """Return whether only the feeds of the document differ from the index, so that its job has to
    write only the feeds."""
    return document.status == "ready" and document.indexed_version == document.version


async def claim_feeds(
    transaction: Transaction, worker: str, lease_s: float, limit: int
) -> tuple[tuple[Job, Document], ...]:
    """See `Administration.claim_feeds`."""
    checks.line("worker", worker, checks.NAME_CHARS)
    require_count("limit", limit, most=checks.PAGE)
    changed = "feeds IS NOT NULL AND state IN ('done', 'dead')"
    if not await transaction.rows(f"SELECT 1 FROM jobs WHERE {changed} LIMIT 1"):
        return ()  # called often: takes no lock
    rows = await transaction.rows(
        f"SELECT {JOB} FROM jobs WHERE {changed} ORDER BY feeds, id LIMIT {limit}"
        " FOR UPDATE SKIP LOCKED"
    )
    now = await transaction.now()
    due, found = now + _seconds(lease_s), []
    for job in map(job_of, rows):
        document = await _document(transaction, job.document_id)
        if document is None or not is_about_feeds(document):  # has no points to change
            await transaction.run("UPDATE jobs SET feeds = NULL WHERE id = :job", job=job.id)
            continue
        claimed = Job(*(job.id, job.document_id, job.user_id, "running", 1, "", due))
        found.append((claimed, document))
        await transaction.run(
            "UPDATE jobs SET feeds = NULL, state = 'running', worker = :worker, attempts = 1,"
            " losses = 0, reason = '', due = :due, changed = :now WHERE id = :job",
            job=job.id,
            worker=worker,
            due=time_text(due),
            now=time_text(now),
        )
    return tuple(found)


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
    job = await _leased_with_document(transaction, job_id, worker)
    if job is None:
        return False
    document = await _document(transaction, job.document_id)
    now = time_text(await transaction.now())
    if document is None or (document.status == "deleting" and version >= document.version):
        await transaction.run("DELETE FROM removed_documents WHERE id = :id", id=job.document_id)
        await transaction.run("DELETE FROM jobs WHERE id = :job", job=job_id)
        return True
    if document.status != "deleting":
        kept = document.metadata if metadata is None else checks.metadata("metadata", metadata)
        settled = version >= document.version
        failed = error and not is_about_feeds(document)  # else the index has its text
        await transaction.run(
            "UPDATE documents SET indexed_version = :indexed, metadata = :metadata,"
            " status = :status, error = :error WHERE id = :id",
            id=document.id,
            indexed=document.indexed_version if error else version,
            metadata=json_text(kept),
            status=("failed" if failed else "ready") if settled else "pending",
            error=checks.kept_text(error, checks.REASON_CHARS) if failed and settled else "",
        )
        if failed:
            await _withdraw(transaction, document.id)
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
    job = await _leased_with_document(transaction, job_id, worker)
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
    document = await _document(transaction, job.document_id)
    if document is not None and not is_about_feeds(document):
        await _set_status(transaction, job.document_id, "pending")


async def dead_jobs(transaction: Transaction) -> tuple[Job, ...]:
    """See `Administration.dead`."""
    rows = await transaction.rows(
        f"SELECT {JOB} FROM jobs WHERE state = 'dead' ORDER BY changed, id"
    )
    return tuple(map(job_of, rows))


async def open_jobs(transaction: Transaction) -> tuple[Job, ...]:
    """See `Administration.open_jobs`."""
    rows = await transaction.rows(
        f"SELECT {JOB} FROM jobs WHERE {_OPEN} ORDER BY CASE WHEN reason = '' THEN 1 ELSE 0 END,"
        f" due, id LIMIT {checks.PAGE}"
    )
    return tuple(map(job_of, rows))


async def failed_documents(transaction: Transaction) -> tuple[Document, ...]:
    """See `Administration.failed`."""
    rows = await transaction.rows(
        f"SELECT {DOCUMENT} FROM documents WHERE status = 'failed' ORDER BY updated, id"
        f" LIMIT {checks.PAGE}"
    )
    return tuple(await documents_of(transaction, rows, ""))


async def count_all(transaction: Transaction) -> Counts:
    """See `Administration.counts`."""
    rows = await transaction.rows(
        "SELECT 'job', state, count(*) FROM jobs WHERE state <> 'done' GROUP BY state"
        " UNION ALL SELECT 'document', status, count(*) FROM documents GROUP BY status"
        " UNION ALL SELECT 'document', 'deleting', count(*) FROM removed_documents"
    )
    found = {(kind, name): int(number) for kind, name, number in rows}
    (((due,),), now) = (
        await transaction.rows("SELECT min(due) FROM jobs WHERE state = 'waiting'"),
        await transaction.now(),
    )
    late = maybe_time(due)
    return Counts(
        {name: found.get(("job", name), 0) for name in get_args(JobState) if name != "done"},
        {name: found.get(("document", name), 0) for name in get_args(DocumentStatus)},
        0.0 if late is None else max(0.0, (now - late).total_seconds()),
    )


async def retry_job(transaction: Transaction, job_id: str) -> None:
    """See `Administration.retry`."""
    dead = "id = :job AND state = 'dead'"
    rows = await _with_document(transaction, dead, job=checks.require_id("dead job", job_id))
    if not rows:
        raise NotFound(f"no dead job has the id {job_id}", hint="pincite workspace dead")
    now = time_text(await transaction.now())
    await transaction.run(_ANEW, job=job_id)
    await _set_state(transaction, job_id, "waiting", now, now)
    document_id = job_of(rows[0]).document_id
    await transaction.run(  # of one that failed before versions of texts were counted
        "UPDATE documents SET text_version = version WHERE id = :id AND status = 'failed'"
        " AND text_version = 0 AND indexed_version > 0",
        id=document_id,
    )
    await _set_status(transaction, document_id, "pending")


async def retry_failed_before(transaction: Transaction, limit: int) -> int:
    """See `Administration.retry_failed_before`."""
    require_count("limit", limit, most=checks.PAGE)
    rows = await transaction.rows(
        f"SELECT id FROM documents WHERE status = 'failed' AND text_version = 0"
        f" AND indexed_version > 0 AND indexed_version < version ORDER BY id LIMIT {limit}"
        " FOR NO KEY UPDATE SKIP LOCKED"
    )
    if rows:
        ids = json_text([str(id_) for (id_,) in rows])
        now = time_text(await transaction.now())
        await transaction.run(
            "UPDATE documents SET status = 'pending', error = '', text_version = version"
            " WHERE id IN (SELECT value FROM id_list(:ids))",
            ids=ids,
        )
        await transaction.run(
            "UPDATE jobs SET state = 'waiting', worker = '', attempts = 0, losses = 0, reason = '',"
            " due = :now, changed = :now WHERE state IN ('done', 'dead')"
            " AND document_id IN (SELECT value FROM id_list(:ids))",
            ids=ids,
            now=now,
        )
    return len(rows)


async def _next(transaction: Transaction, now: datetime) -> tuple[Job, int] | None:
    """Return the next job by turn, locked, and the number of workers that it has lost. A job that
    its user is changing at the moment is skipped, so that no worker waits for a user."""
    times = _times(now)
    for id_, document_id in await transaction.rows(_NEXT, **times):
        if not await _free(transaction, str(document_id)):
            continue
        rows = await transaction.rows(
            f"SELECT {JOB}, losses FROM jobs WHERE id = :job AND {_DUE} FOR UPDATE SKIP LOCKED",
            job=id_,
            **times,
        )
        for *fields, lost in rows:
            return job_of(tuple(fields)), lost
    return None


async def _free(transaction: Transaction, document_id: str) -> bool:
    """Return whether no transaction is changing the document, and lock it until the end of this
    transaction."""
    one = "SELECT 1 FROM documents WHERE id = :id"
    return bool(
        await transaction.rows(f"{one} FOR NO KEY UPDATE SKIP LOCKED", id=document_id)
        or not await transaction.rows(one, id=document_id)  # it is deleted
    )


async def _leased_with_document(transaction: Transaction, job_id: str, worker: str) -> Job | None:
    if not checks.is_id(job_id):
        return None
    rows = await _with_document(transaction, _LEASED, job=job_id, worker=worker)
    return job_of(rows[0]) if rows else None


async def _with_document(transaction: Transaction, where: str, **values: object) -> list[Row]:
    """Return a job that no other transaction is changing, with its document, and lock both. The
    kind of lock does not block the check of a foreign key: a transaction that adds the document to
    a feed holds such a check, and waits for the job."""
    for (document_id,) in await transaction.rows(
        f"SELECT document_id FROM jobs WHERE {where}", **values
    ):
        await transaction.rows(
            "SELECT 1 FROM documents WHERE id = :id FOR NO KEY UPDATE", id=str(document_id)
        )
    return await transaction.rows(f"SELECT {JOB} FROM jobs WHERE {where} FOR UPDATE", **values)


async def _leased(transaction: Transaction, job_id: str, worker: str) -> Job | None:
    if not checks.is_id(job_id):
        return None
    rows = await transaction.rows(
        f"SELECT {JOB} FROM jobs WHERE {_LEASED} FOR UPDATE", job=job_id, worker=worker
    )
    return job_of(rows[0]) if rows else None


async def _document(transaction: Transaction, id_: str) -> Document | None:
    rows = await transaction.rows(f"SELECT {DOCUMENT} FROM documents WHERE id = :id", id=id_)
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
    document = await _document(transaction, job.document_id)
    if document is not None and not is_about_feeds(document):  # else the index has its text
        await _set_status(transaction, job.document_id, "failed", _UNTOLD.format(job.id))
        await _withdraw(transaction, job.document_id)


async def _withdraw(transaction: Transaction, id_: str) -> None:
    """Stop showing the earlier text of a document whose new content cannot be indexed. If only its
    metadata or space changed, its text stays, and a `text_version` of 0 is replaced: 0 means that
    the document failed before `text_version` was counted."""
    await transaction.run(
        "UPDATE documents SET indexed_version ="
        " CASE WHEN text_version > indexed_version THEN 0 ELSE indexed_version END, text_version ="
        " CASE WHEN text_version = 0 THEN indexed_version ELSE text_version END WHERE id = :id",
        id=id_,
    )


async def _set_state(transaction: Transaction, job_id: str, state: str, due: str, now: str) -> None:
    await transaction.run(
        "UPDATE jobs SET state = :state, worker = '', due = :due, changed = :now WHERE id = :job",
        job=job_id,
        state=state,
        due=due,
        now=now,
    )


async def _set_status(transaction: Transaction, id_: str, status: str, error: str = "") -> None:
    """Set the status of a document. A deleted document is ignored."""
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
