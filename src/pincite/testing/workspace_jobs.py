"""Tests of what `Administration` promises for jobs."""

from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from pincite.errors import NotFound
from pincite.testing.running import contract
from pincite.testing.workspaces import NO_IDS, NOBODY, Clock, Scene, add, set_scene
from pincite.workspace.model import Document, Job
from pincite.workspace.ports import Session, Workspaces

LEASE_S = 30.0


async def claim(workspaces: Workspaces, worker: str = "w1") -> tuple[Job, Document] | None:
    """Claim a job in a transaction of its own, as workers do."""
    async with workspaces.administration() as operator:
        return await operator.claim(worker, LEASE_S)


async def claimed(workspaces: Workspaces, worker: str = "w1") -> tuple[Job, Document]:
    """Claim a job that must exist."""
    found = await claim(workspaces, worker)
    assert found is not None
    return found


async def finish(
    workspaces: Workspaces, job: Job, version: int, worker: str = "w1", error: str = ""
) -> bool:
    """Finish a job."""
    async with workspaces.administration() as operator:
        return await operator.finish(job.id, worker, version, {"title": f"v{version}"}, error)


async def seen(workspaces: Workspaces, scene: Scene, document: Document) -> Document:
    """Return the document as Ada sees it."""
    async with workspaces.of(scene.ada.id) as session:
        return await session.document(document.id)


async def one_document(workspaces: Workspaces, scene: Scene) -> Document:
    """Add a document to the team's space and return it."""
    async with workspaces.of(scene.ada.id) as session:
        return await add(session, scene.team.id, source_ids=("s",))


class WorkspaceJobsContract:
    """Derive from it and let `opened` yield workspaces with a schema and without users, which take
    the time from `clock`, and bury a job that lost its worker three times."""

    clock: Clock

    def setup_method(self) -> None:
        self.clock = Clock()

    @contract
    async def test_a_new_document_has_a_job(self, workspaces: Workspaces) -> None:
        scene = await set_scene(workspaces)
        assert await claim(workspaces) is None
        made = await one_document(workspaces, scene)
        job, document = await claimed(workspaces)
        assert (job.document_id, job.user_id, job.state) == (made.id, scene.ada.id, "running")
        assert (job.attempts, job.due) == (1, self.clock.now + timedelta(seconds=LEASE_S))
        assert (document.id, document.status, document.version) == (made.id, "indexing", 1)
        assert document.source_ids == ("s",)
        assert (await seen(workspaces, scene, made)).status == "indexing"
        assert await claim(workspaces, "w2") is None
        assert await finish(workspaces, job, 1)
        ready = await seen(workspaces, scene, made)
        assert (ready.status, ready.indexed_version, ready.metadata) == (
            "ready",
            1,
            {"title": "v1"},
        )
        assert await claim(workspaces) is None

    @contract
    async def test_the_job_that_is_due_longest_comes_first(self, workspaces: Workspaces) -> None:
        scene = await set_scene(workspaces)
        made = []
        for _ in range(3):
            made.append(await one_document(workspaces, scene))
            self.clock.forward(1)
        async with workspaces.of(scene.ada.id) as session:
            await session.change_document(made[0].id, filename="later.md")
        found = [(await claimed(workspaces))[1].id for _ in made]
        assert found == [made[1].id, made[2].id, made[0].id]

    @contract
    async def test_users_take_turns(self, workspaces: Workspaces) -> None:
        scene = await set_scene(workspaces)
        users = {scene.ada.id: "a", scene.bob.id: "b", scene.eve.id: "e"}
        for user, count in ((scene.ada, 5), (scene.bob, 2), (scene.eve, 1)):
            async with workspaces.of(user.id) as session:
                for _ in range(count):
                    await add(session, user.personal)
            self.clock.forward(1)
        served = [users[(await claimed(workspaces))[0].user_id] for _ in range(5)]
        async with workspaces.of(scene.eve.id) as session:  # a new document, and still in turn
            await add(session, scene.eve.personal)
        served += [users[(await claimed(workspaces))[0].user_id] for _ in range(4)]
        assert "".join(served) == "abeabeaaa"
        assert await claim(workspaces) is None

    @contract
    async def test_what_there_is_to_do_is_counted(self, workspaces: Workspaces) -> None:
        async with workspaces.administration() as operator:
            none = await operator.counts()
        assert (set(none.jobs.values()), set(none.documents.values()), none.late_s) == ({0}, {0}, 0)
        scene = await set_scene(workspaces)
        made = [await one_document(workspaces, scene) for _ in range(5)]
        self.clock.forward(7)
        ready, failed, _ = [await claimed(workspaces) for _ in range(3)]
        assert await finish(workspaces, ready[0], 1)
        left = {one.id for one in made} - {ready[1].id, failed[1].id}
        async with workspaces.administration() as operator:
            await operator.fail(failed[0].id, "w1", "it is broken", None)
        async with workspaces.of(scene.ada.id) as session:
            await session.delete_document(ready[1].id)
        async with workspaces.administration() as operator:
            counts = await operator.counts()
        assert counts.jobs == {"waiting": len(left), "running": 1, "dead": 1}
        assert counts.documents == {
            "pending": len(left) - 1,
            "indexing": 1,
            "ready": 0,
            "failed": 1,
            "deleting": 1,
        }
        assert counts.late_s >= 7

    @contract
    async def test_a_change_is_one_transaction_of_its_user(self, workspaces: Workspaces) -> None:
        scene = await set_scene(workspaces)
        made = await workspaces.change(scene.ada.id, lambda session: add(session, scene.team.id))

        async def renamed_and_failed(session: Session) -> None:
            await session.rename_space(scene.team.id, "another")
            await session.document(NOBODY)

        with pytest.raises(NotFound):
            await workspaces.change(scene.ada.id, renamed_and_failed)
        with pytest.raises(NotFound):
            await workspaces.change(scene.eve.id, lambda session: session.document(made.id))
        claimed_now = await workspaces.administer(lambda one: one.claim("w1", LEASE_S))
        assert claimed_now is not None
        async with workspaces.of(scene.ada.id) as session:
            assert (await session.space(scene.team.id)).name == scene.team.name
            assert (await session.document(made.id)).status == "indexing"

    @contract
    async def test_who_deletes_everything_waits_for_others_as_well(
        self, workspaces: Workspaces
    ) -> None:
        scene = await set_scene(workspaces)
        made = [await one_document(workspaces, scene) for _ in range(3)]
        async with workspaces.of(scene.ada.id) as session:
            for document in made:
                await session.delete_document(document.id)
        async with workspaces.of(scene.bob.id) as session:
            await add(session, scene.bob.personal)
        served = []
        while found := await claim(workspaces):
            job, gone = found
            assert await finish(workspaces, job, gone.version)
            served.append(job.user_id)
        assert (len(served), scene.bob.id in served[:2]) == (4, True)

    @contract
    async def test_what_was_asked_meanwhile_is_done_after(self, workspaces: Workspaces) -> None:
        scene = await set_scene(workspaces)
        made = await one_document(workspaces, scene)
        job, _ = await claimed(workspaces)
        async with workspaces.of(scene.ada.id) as session:
            await session.change_document(made.id, content_hash="f" * 64, size=1)
        assert await claim(workspaces, "w2") is None  # never two of one document
        assert await finish(workspaces, job, 1)
        between = await seen(workspaces, scene, made)
        assert (between.status, between.indexed_version, between.version) == ("pending", 1, 2)
        job, document = await claimed(workspaces, "w2")
        assert (document.version, document.content_hash) == (2, "f" * 64)
        assert await finish(workspaces, job, 2, "w2")
        assert (await seen(workspaces, scene, made)).status == "ready"
        assert await claim(workspaces) is None

    @contract
    async def test_a_deletion_while_a_job_runs_is_what_it_ends_in(
        self, workspaces: Workspaces
    ) -> None:
        scene = await set_scene(workspaces)
        made = await one_document(workspaces, scene)
        job, _ = await claimed(workspaces)
        async with workspaces.of(scene.ada.id) as session:
            await session.delete_document(made.id)
        assert await claim(workspaces, "w2") is None
        assert await finish(workspaces, job, 1)
        job, document = await claimed(workspaces, "w2")
        assert (document.id, document.status, document.version) == (made.id, "deleting", 2)
        assert document.space_id == scene.team.id
        assert await finish(workspaces, job, 2, "w2")
        assert await claim(workspaces) is None
        assert not await finish(workspaces, job, 2, "w2")

    @contract
    async def test_a_deleted_space_has_a_job_for_each_document(
        self, workspaces: Workspaces
    ) -> None:
        scene = await set_scene(workspaces)
        made = {(await one_document(workspaces, scene)).id for _ in range(3)}
        async with workspaces.of(scene.ada.id) as session:
            await session.delete_space(scene.team.id)
        found = set()
        for _ in made:
            job, document = await claimed(workspaces)
            assert document.status == "deleting"
            assert await finish(workspaces, job, document.version)
            found.add(document.id)
        assert found == made
        assert await claim(workspaces) is None

    @contract
    async def test_a_document_that_cannot_be_indexed_says_why(self, workspaces: Workspaces) -> None:
        scene = await set_scene(workspaces)
        made = await one_document(workspaces, scene)
        job, _ = await claimed(workspaces)
        assert await finish(workspaces, job, 1, error="no text in it\0\ud800")
        failed = await seen(workspaces, scene, made)
        assert (failed.status, failed.indexed_version) == ("failed", 0)
        assert failed.error.startswith("no text in it")
        assert await claim(workspaces) is None
        async with workspaces.of(scene.ada.id) as session:
            changed = await session.change_document(made.id, content_hash="e" * 64, size=2)
            assert (changed.status, changed.error) == ("pending", "")
        assert (await claimed(workspaces))[1].version == 2

    @contract
    async def test_an_earlier_text_is_told_and_not_shown_after_a_failure(
        self, workspaces: Workspaces
    ) -> None:
        """`replaced` and `visible` before, during and after: content, name, and other changes."""
        scene = await set_scene(workspaces)
        one, two, moved, burnt = [await one_document(workspaces, scene) for _ in range(4)]
        every = [one.id, two.id, moved.id, burnt.id]
        for _ in every:
            job, _ = await claimed(workspaces)
            assert await finish(workspaces, job, 1)

        async def told() -> tuple[frozenset[str], frozenset[str]]:
            async with workspaces.of(scene.ada.id) as session:
                seen = await session.replaced([*every, NOBODY]), await session.visible(every)
            async with workspaces.of(scene.eve.id) as session:
                assert await session.replaced(every) == frozenset()
            async with workspaces.administration() as operator:
                assert await operator.replaced([*every, NOBODY]) == seen[0]
            return seen

        async def failing(reason: str) -> None:
            job, document = await claimed(workspaces)
            assert await finish(workspaces, job, document.version, error=reason)

        assert await told() == (frozenset(), frozenset(every))
        async with workspaces.of(scene.ada.id) as session:
            await session.change_document(moved.id, given={"category": "x"})
        assert await told() == (frozenset(), frozenset(every))
        await failing("its text is the same")
        assert (await seen(workspaces, scene, moved)).indexed_version == 1
        assert await told() == (frozenset(), frozenset(every))
        async with workspaces.of(scene.ada.id) as session:
            await session.change_document(one.id, content_hash="e" * 64, size=2)
        self.clock.forward(1)
        async with workspaces.of(scene.ada.id) as session:
            await session.change_document(two.id, filename="a.exe")
        self.clock.forward(1)
        async with workspaces.of(scene.ada.id) as session:
            await session.change_document(burnt.id, content_hash="e" * 64, size=2)
        replaced = frozenset({one.id, two.id, burnt.id})
        assert await told() == (replaced, frozenset(every))
        await failing("no text in it")
        await failing("no reader")
        job, _ = await claimed(workspaces)
        async with workspaces.administration() as operator:
            await operator.fail(job.id, "w1", "no store", None)
        assert await told() == (replaced, frozenset({moved.id}))
        assert (await seen(workspaces, scene, burnt)).indexed_version == 0
        async with workspaces.administration() as operator:
            await operator.retry(job.id)
        assert await told() == (replaced, frozenset({moved.id}))
        job, _ = await claimed(workspaces)
        assert await finish(workspaces, job, 2)
        assert await told() == (frozenset({one.id, two.id}), frozenset({moved.id, burnt.id}))
        async with workspaces.of(scene.ada.id) as session:
            await session.change_document(one.id, content_hash="f" * 64, size=2)
        assert await told() == (frozenset({one.id, two.id}), frozenset({moved.id, burnt.id}))
        job, _ = await claimed(workspaces)
        assert await finish(workspaces, job, 3)
        assert await told() == (frozenset({two.id}), frozenset(every) - {two.id})

    @contract
    async def test_a_lost_worker_leaves_its_job_to_another(self, workspaces: Workspaces) -> None:
        scene = await set_scene(workspaces)
        made = await one_document(workspaces, scene)
        job, _ = await claimed(workspaces)
        self.clock.forward(LEASE_S - 1)
        assert await claim(workspaces, "w2") is None
        async with workspaces.administration() as operator:
            assert await operator.renew(job.id, "w1", LEASE_S)
        self.clock.forward(LEASE_S - 1)
        assert await claim(workspaces, "w2") is None
        self.clock.forward(2)
        again, document = await claimed(workspaces, "w2")
        assert (again.id, again.attempts, document.id) == (job.id, 2, made.id)
        async with workspaces.administration() as operator:
            assert not await operator.renew(job.id, "w1", LEASE_S)
            assert not await operator.finish(job.id, "w1", 1, None)
            await operator.fail(job.id, "w1", "too late", None)
            assert await operator.dead() == ()
        assert (await seen(workspaces, scene, made)).status == "indexing"
        assert await finish(workspaces, job, 1, "w2")

    @contract
    async def test_a_lease_ends_when_the_clock_is_set_back(self, workspaces: Workspaces) -> None:
        scene = await set_scene(workspaces)
        await one_document(workspaces, scene)
        job, _ = await claimed(workspaces)
        self.clock.forward(-3_600)
        again, _ = await claimed(workspaces, "w2")
        assert again.id == job.id
        assert await claim(workspaces, "w1") is None
        async with workspaces.administration() as operator:
            assert not await operator.renew(job.id, "w1", LEASE_S)
            await operator.fail(job.id, "w2", "busy", 60)
        assert await claim(workspaces) is None
        self.clock.forward(-3_600)
        await claimed(workspaces)

    @contract
    async def test_a_lease_ends_when_the_clock_is_set_forward(self, workspaces: Workspaces) -> None:
        scene = await set_scene(workspaces)
        await one_document(workspaces, scene)
        job, _ = await claimed(workspaces)
        self.clock.forward(86_400)
        assert (await claimed(workspaces, "w2"))[0].id == job.id
        assert not await finish(workspaces, job, 1)
        assert await finish(workspaces, job, 1, "w2")

    @contract
    async def test_a_job_that_failed_waits_and_is_tried_again(self, workspaces: Workspaces) -> None:
        scene = await set_scene(workspaces)
        made = await one_document(workspaces, scene)
        job, _ = await claimed(workspaces)
        async with workspaces.administration() as operator:
            await operator.fail(job.id, "w1", "the provider is away", 60)
        assert (await seen(workspaces, scene, made)).status == "pending"
        self.clock.forward(59)
        assert await claim(workspaces) is None
        self.clock.forward(1)
        again, _ = await claimed(workspaces)
        assert (again.attempts, again.reason) == (2, "the provider is away")

    @contract
    async def test_open_jobs_say_why_they_wait(self, workspaces: Workspaces) -> None:
        scene = await set_scene(workspaces)
        for _ in range(4):
            await one_document(workspaces, scene)
            self.clock.forward(1)
        done, failed, running = [(await claimed(workspaces))[0] for _ in range(3)]
        assert await finish(workspaces, done, 1)
        async with workspaces.administration() as operator:
            await operator.fail(failed.id, "w1", "the model is away", 60.0)
            found = await operator.open_jobs()
        assert found[0].id == failed.id
        assert (found[0].state, found[0].attempts) == ("waiting", 1)
        assert found[0].reason == "the model is away"
        assert found[0].due == self.clock.now + timedelta(seconds=60)
        assert {one.state for one in found[1:]} == {"waiting", "running"}
        assert running.id in {one.id for one in found[1:]}
        assert [one.due for one in found[1:]] == sorted(one.due for one in found[1:] if one.due)

    @contract
    async def test_a_dead_job_says_why_and_can_be_retried(self, workspaces: Workspaces) -> None:
        scene = await set_scene(workspaces)
        made = await one_document(workspaces, scene)
        job, _ = await claimed(workspaces)
        async with workspaces.administration() as operator:
            await operator.fail(job.id, "w1", "the file is not there", None)
            (dead,) = await operator.dead()
        assert (dead.id, dead.document_id, dead.user_id) == (job.id, made.id, scene.ada.id)
        assert (dead.state, dead.reason) == ("dead", "the file is not there")
        failed = await seen(workspaces, scene, made)
        assert failed.status == "failed"
        assert job.id in failed.error
        assert dead.reason not in failed.error  # it may have addresses and folders of the server
        self.clock.forward(86_400)
        assert await claim(workspaces) is None
        async with workspaces.administration() as operator:
            await operator.retry(job.id)
            assert await operator.dead() == ()
            for wrong in (job.id, *NO_IDS):
                with pytest.raises(NotFound):
                    await operator.retry(wrong)
        again, document = await claimed(workspaces)
        assert (again.id, again.attempts, document.error) == (job.id, 1, "")

    @contract
    async def test_what_is_asked_of_a_dead_job_is_done(self, workspaces: Workspaces) -> None:
        scene = await set_scene(workspaces)
        made = await one_document(workspaces, scene)
        job, _ = await claimed(workspaces)
        async with workspaces.administration() as operator:
            await operator.fail(job.id, "w1", "no", None)
        async with workspaces.of(scene.ada.id) as session:
            await session.delete_document(made.id)
        async with workspaces.administration() as operator:
            assert await operator.dead() == ()
        again, document = await claimed(workspaces)
        assert (again.id, again.reason, document.status) == (job.id, "", "deleting")

    @contract
    async def test_a_document_that_kills_its_workers_is_buried(
        self, workspaces: Workspaces
    ) -> None:
        scene = await set_scene(workspaces)
        made = await one_document(workspaces, scene)
        for _ in range(3):
            await claimed(workspaces)
            self.clock.forward(LEASE_S)
        assert await claim(workspaces) is None
        async with workspaces.administration() as operator:
            (dead,) = await operator.dead()
        assert "lost its worker 3 times" in dead.reason
        assert (await seen(workspaces, scene, made)).status == "failed"

    @contract
    async def test_jobs_that_there_are_not_are_nobodys(self, workspaces: Workspaces) -> None:
        await set_scene(workspaces)
        async with workspaces.administration() as operator:
            for wrong in (NOBODY, *NO_IDS):
                assert not await operator.renew(wrong, "w1", LEASE_S)
                assert not await operator.finish(wrong, "w1", 1, None)
                await operator.fail(wrong, "w1", "x", 1)
            assert await operator.dead() == ()

    @contract
    async def test_no_two_workers_have_the_same_document(self, workspaces: Workspaces) -> None:
        scene = await set_scene(workspaces)
        made = {(await one_document(workspaces, scene)).id for _ in range(12)}
        done: list[str] = []
        running: set[str] = set()

        async def work(worker: str) -> None:
            while found := await claim(workspaces, worker):
                job, document = found
                assert document.id not in running
                running.add(document.id)
                await asyncio.sleep(0)
                running.remove(document.id)
                assert await finish(workspaces, job, document.version, worker)
                done.append(document.id)

        await asyncio.gather(*(work(f"w{number}") for number in range(4)))
        assert (len(done), set(done)) == (12, made)
