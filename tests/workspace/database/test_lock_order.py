"""Users and workers that change the same document at once wait for each other, and never both."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from typing import Any

import psycopg
import pytest

from pincite.testing.workspaces import add
from pincite.workspace.database.postgres import PostgresWorkspaces
from pincite.workspace.model import Document, Job, User
from pincite.workspace.ports import Session
from tests.workspace.postgres_server import Database

pytestmark = pytest.mark.anyio

Connection = psycopg.AsyncConnection[tuple[object, ...]]


class Desk:
    """A document in a feed, what a worker and its user do with it, and somebody else whose
    transaction the test ends when it likes."""

    def __init__(self, workspaces: PostgresWorkspaces, other: Connection) -> None:
        self.workspaces = workspaces
        self.other = other
        self.ada: User
        self.document: Document
        self.team = ""

    async def begin(self) -> None:
        async with self.workspaces.administration() as operator:
            self.ada = await operator.add_user("Ada")
        async with self.workspaces.of(self.ada.id) as session:
            self.team = (await session.add_space("team")).id
            self.document = await add(session, self.team)
            feed = await session.add_feed(self.team, "news")
            await session.add_to_feed(feed.id, [self.document.id])

    async def claim(self) -> Job | None:
        async with self.workspaces.administration() as operator:
            found = await operator.claim("w1", 60.0)
        return found[0] if found else None

    async def job(self) -> Job:
        found = await self.claim()
        assert found is not None
        return found

    async def say(self, sql: str) -> None:
        """The somebody else."""
        await self.other.execute(sql.encode(), {"id": self.document.id})

    async def waiting(self, count: int, task: asyncio.Task[Any]) -> None:
        """Return when so many wait for a lock, or the task needs to wait for none."""
        for _ in range(3_000):
            await self.other.execute("SELECT pg_stat_clear_snapshot()")
            found = await self.other.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                " AND datname = current_database()"
            )
            row = await found.fetchone()
            if task.done() or (row is not None and row[0] == count):
                return
            await asyncio.sleep(0.01)
        pytest.fail("nobody waits")


@pytest.fixture
async def desk(database: Database) -> AsyncIterator[Desk]:
    workspaces = PostgresWorkspaces(database.app, operator=database.operator)
    other = await psycopg.AsyncConnection.connect(database.superuser)
    made = Desk(workspaces, other)
    try:
        await made.begin()
        yield made
    finally:
        await other.close()
        await workspaces.close()


HOLD = "SELECT 1 FROM pincite.documents WHERE id = %(id)s FOR NO KEY UPDATE"
DELETE = "DELETE FROM pincite.documents WHERE id = %(id)s"


async def test_a_claim_leaves_a_document_that_its_user_changes_for_later(desk: Desk) -> None:
    await desk.say(HOLD)
    claiming = asyncio.create_task(desk.claim())
    await desk.waiting(1, claiming)
    await desk.say("UPDATE pincite.documents SET version = 2 WHERE id = %(id)s")
    assert await claiming is None
    await desk.other.commit()
    assert (await desk.job()).document_id == desk.document.id


async def finish(desk: Desk, job: Job) -> object:
    async with desk.workspaces.administration() as operator:
        return await operator.finish(job.id, "w1", 1, None)


async def fail(desk: Desk, job: Job) -> object:
    async with desk.workspaces.administration() as operator:
        await operator.fail(job.id, "w1", "it is broken", 1.0)
    return True


async def bury(desk: Desk, job: Job) -> object:
    async with desk.workspaces.administration() as operator:
        await operator.fail(job.id, "w1", "it is broken", None)
    return True


@pytest.mark.parametrize("end", [finish, fail, bury])
async def test_the_end_of_a_job_and_a_deletion_wait_for_each_other(
    desk: Desk, end: Callable[[Desk, Job], Coroutine[Any, Any, object]]
) -> None:
    job = await desk.job()
    await desk.say(HOLD)
    ending = asyncio.create_task(end(desk, job))
    await desk.waiting(1, ending)
    await desk.say(DELETE)
    await desk.other.commit()
    assert await ending
    async with desk.workspaces.administration() as operator:
        counts = await operator.counts()
    assert counts.documents["deleting"] == 1


async def test_a_retry_and_a_deletion_wait_for_each_other(desk: Desk) -> None:
    job = await desk.job()
    await bury(desk, job)

    async def retry() -> None:
        async with desk.workspaces.administration() as operator:
            await operator.retry(job.id)

    await desk.say(HOLD)
    retrying = asyncio.create_task(retry())
    await desk.waiting(1, retrying)
    await desk.say(DELETE)
    await desk.other.commit()
    await asyncio.wait([retrying])
    assert type(retrying.exception()).__name__ in ("NoneType", "NotFound")
    assert (await desk.job()).document_id == desk.document.id


async def moved(desk: Desk, session: Session) -> None:
    await session.change_document(desk.document.id, space_id=desk.ada.personal)


async def space_gone(desk: Desk, session: Session) -> None:
    await session.delete_space(desk.team)


@pytest.mark.parametrize("change", [moved, space_gone])
async def test_who_changes_feeds_with_a_document_takes_the_document_first(
    desk: Desk, change: Callable[[Desk, Session], Awaitable[None]]
) -> None:
    """Somebody holds the job while both come, first the user, so that they have it in this
    order."""
    job = await desk.job()
    await desk.say("SELECT 1 FROM pincite.jobs WHERE document_id = %(id)s FOR UPDATE")

    async def changing() -> None:
        async with desk.workspaces.of(desk.ada.id) as session:
            await change(desk, session)

    user = asyncio.create_task(changing())
    await desk.waiting(1, user)
    ending = asyncio.create_task(finish(desk, job))
    await desk.waiting(2, ending)
    await desk.other.commit()
    await user
    assert await ending
    assert (await desk.job()).document_id == desk.document.id  # once more, as more was asked
