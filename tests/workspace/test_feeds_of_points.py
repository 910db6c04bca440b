"""Points name the feeds that their document is in now, once the workers have had time for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta

import pytest

from pincite.errors import StoreError, UsageError
from pincite.testing.workspaces import HASH, Clock
from pincite.workspace import Access, Document
from pincite.workspace.database.postgres import PostgresWorkspaces
from pincite.workspace.database.sqlite import SqliteWorkspaces
from pincite.workspace.ports import Workspaces
from pincite.workspace.worker.deps import WorkerConfig
from pincite.workspace.worker.loop import work_once
from pincite.workspace.workspace import Workspace
from tests.quick_folder import quick_folder
from tests.workspace.postgres_server import Server
from tests.workspace.yard import Yard, yard

pytestmark = pytest.mark.anyio

TEXT = "The quetzal keeps the turnstile."


async def work(place: Yard) -> int:
    count = 0
    while await work_once(place.deps, WorkerConfig()):
        count += 1
    return count


async def feeds_of(place: Yard) -> list[tuple[str, ...]]:
    """What the points of the only document say."""
    pack = await place.deps.workspace.search(Access(place.user_id), "quetzal turnstile")
    return [tuple(one.attributes.get("feed_ids", ())) for one in (*pack.evidence, *pack.closest)]  # type: ignore[arg-type]


async def test_a_feed_that_gets_and_loses_a_document_is_in_its_points_without_its_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with yard() as place:
        made = await place.upload("q.txt", TEXT)
        assert await work(place) == 1
        asked: list[str] = []
        read = type(place.deps.files).read

        async def counted(self: object, space_id: str, content_hash: str) -> bytes:
            asked.append(content_hash)
            return await read(self, space_id, content_hash)  # type: ignore[arg-type]

        monkeypatch.setattr(type(place.deps.files), "read", counted)
        async with place.deps.workspaces.of(place.user_id) as session:
            feed = await session.add_feed(place.space_id, "news")
            await session.add_to_feed(feed.id, [made.id])
        before = await place.document(made.id)
        assert await work(place) == 1
        assert await feeds_of(place) == [(feed.id,)]
        assert await place.document(made.id) == before, "it is ready, and of the same version"
        assert await work(place) == 0
        async with place.deps.workspaces.of(place.user_id) as session:
            await session.remove_from_feed(feed.id, [made.id])
        assert await work(place) == 1
        assert await feeds_of(place) == [()]
        async with place.deps.workspaces.of(place.user_id) as session:
            await session.add_to_feed(feed.id, [made.id])
            await session.delete_feed(feed.id)
        await work(place)
        assert await feeds_of(place) == [()]
        assert asked == []


async def test_a_feed_decides_what_is_found_before_its_points_say_so() -> None:
    async with yard() as place:
        made = await place.upload("q.txt", TEXT)
        await work(place)
        async with place.deps.workspaces.of(place.user_id) as session:
            feed = await session.add_feed(place.space_id, "news")
            await session.add_to_feed(feed.id, [made.id])
        within = Access(place.user_id, feed_ids=(feed.id,))
        pack = await place.deps.workspace.search(within, "quetzal turnstile")
        assert len(pack.evidence) + len(pack.closest) == 1
        await work(place)
        async with place.deps.workspaces.of(place.user_id) as session:
            await session.remove_from_feed(feed.id, [made.id])
        pack = await place.deps.workspace.search(within, "quetzal turnstile")
        assert (pack.evidence, pack.closest) == ((), ())


async def test_uploads_go_first_and_a_fault_leaves_the_document_ready(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with yard() as place:
        first = await place.upload("q.txt", TEXT)
        await work(place)
        async with place.deps.workspaces.of(place.user_id) as session:
            feed = await session.add_feed(place.space_id, "news")
            await session.add_to_feed(feed.id, [first.id])
        second = await place.upload("r.txt", "The wombat digs.")

        async def broken(*_: object) -> frozenset[str]:
            raise StoreError("the store is away")

        with monkeypatch.context() as patched:
            patched.setattr(Workspace, "write_feeds", broken)
            assert await work_once(place.deps, WorkerConfig())
            assert (await place.document(second.id)).status == "ready"
            assert await work_once(place.deps, WorkerConfig(attempts=1))
        assert (await place.document(first.id)).status == "ready"
        async with place.deps.workspaces.administration() as operator:
            (dead,) = await operator.dead()
            assert "the store is away" in dead.reason
            await operator.retry(dead.id)
        assert await work(place) == 1
        assert await feeds_of(place) == [(feed.id,)]


async def test_a_later_change_of_feeds_takes_a_dead_job_up_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with yard() as place:
        made = await place.upload("q.txt", TEXT)
        await work(place)
        async with place.deps.workspaces.of(place.user_id) as session:
            feeds = [(await session.add_feed(place.space_id, name)).id for name in "ab"]
            await session.add_to_feed(feeds[0], [made.id])

        async def broken(*_: object) -> frozenset[str]:
            raise StoreError("the store is away")

        with monkeypatch.context() as patched:
            patched.setattr(Workspace, "write_feeds", broken)
            assert await work_once(place.deps, WorkerConfig(attempts=1))
            assert await work(place) == 0
        async with place.deps.workspaces.administration() as operator:
            assert len(await operator.dead()) == 1
        async with place.deps.workspaces.of(place.user_id) as session:
            await session.add_to_feed(feeds[1], [made.id])
        assert await work(place) == 1
        assert [set(one) for one in await feeds_of(place)] == [set(feeds)]
        async with place.deps.workspaces.administration() as operator:
            assert await operator.dead() == ()
        assert (await place.document(made.id)).status == "ready"


async def test_a_change_of_feeds_leaves_a_document_that_could_not_be_indexed_dead(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with yard() as place:
        made = await place.upload("q.txt", TEXT)

        async def broken(*_: object) -> object:
            raise StoreError("the store is away")

        with monkeypatch.context() as patched:
            patched.setattr(Workspace, "index_document", broken)
            assert await work_once(place.deps, WorkerConfig(attempts=1))
        async with place.deps.workspaces.of(place.user_id) as session:
            feed = await session.add_feed(place.space_id, "news")
            await session.add_to_feed(feed.id, [made.id])
        assert await work(place) == 0
        assert await work(place) == 0
        async with place.deps.workspaces.administration() as operator:
            (dead,) = await operator.dead()
            assert "the store is away" in dead.reason
            await operator.retry(dead.id)
        assert await work(place) == 1
        assert await feeds_of(place) == [(feed.id,)]


async def test_one_whose_feeds_cannot_be_written_takes_no_other_along_and_stays_ready(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with yard() as place:
        ids = [(await place.upload(f"{n}.txt", f"{TEXT} {n}")).id for n in range(4)]
        await work(place)
        async with place.deps.workspaces.of(place.user_id) as session:
            feed = await session.add_feed(place.space_id, "news")
            await session.add_to_feed(feed.id, ids)
        before = [await place.document(one) for one in ids]
        write_feeds = Workspace.write_feeds

        async def refuses_one(self: Workspace, documents: Sequence[Document]) -> frozenset[str]:
            if any(one.id == ids[1] for one in documents):
                raise UsageError("a document cannot be indexed: it is the second")
            return await write_feeds(self, documents)

        with monkeypatch.context() as patched:
            patched.setattr(Workspace, "write_feeds", refuses_one)
            assert await work(place) == 1, "they are taken at once"
        assert [await place.document(one) for one in ids] == before
        assert {one.status for one in before} == {"ready"}
        assert sorted(await feeds_of(place)) == [(), *[(feed.id,)] * 3]
        async with place.deps.workspaces.of(place.user_id) as session:
            other = await session.add_feed(place.space_id, "other")
            await session.add_to_feed(other.id, ids[1:2])
        assert await work(place) == 1
        assert tuple(sorted((feed.id, other.id))) in await feeds_of(place)


async def test_what_the_index_lost_is_indexed_again() -> None:
    async with yard() as place:
        made = await place.upload("q.txt", TEXT)
        await work(place)
        await place.deps.workspace.remove_document(made)
        async with place.deps.workspaces.of(place.user_id) as session:
            feed = await session.add_feed(place.space_id, "news")
            await session.add_to_feed(feed.id, [made.id])
        await work(place)
        assert await feeds_of(place) == [(feed.id,)]


Kept = tuple[Workspaces, Clock]


@pytest.fixture(params=["sqlite", "postgres"])
def kept(request: pytest.FixtureRequest) -> Iterator[Callable[[], Kept]]:
    """A database with a clock that tests set."""
    clock = Clock()
    if request.param == "postgres":
        server: Server = request.getfixturevalue("postgres")
        found = server.database(request.getfixturevalue("migrated"))
        yield lambda: (PostgresWorkspaces(found.app, operator=found.operator, clock=clock), clock)
        return
    with quick_folder() as folder:
        yield lambda: (SqliteWorkspaces(folder / "workspaces.db", clock), clock)


async def settled(workspaces: Workspaces) -> tuple[str, Document, str]:
    """A user, a document that is ready, and a feed without it."""
    async with workspaces.administration() as operator:
        user = await operator.add_user("Anna")
    async with workspaces.of(user.id) as session:
        made = await session.add_document(user.personal, "a.md", HASH, 12)
        feed = await session.add_feed(user.personal, "news")
    async with workspaces.administration() as operator:
        claimed = await operator.claim("w", 60)
        assert claimed is not None
        assert await operator.finish(claimed[0].id, "w", 1, {})
        assert await operator.claim("w", 60) is None
    return user.id, made, feed.id


def test_a_change_while_it_is_written_is_written_again(kept: Callable[[], Kept]) -> None:
    async def session() -> None:
        workspaces, clock = kept()
        if isinstance(workspaces, SqliteWorkspaces):
            await workspaces.migrate()
        user, made, feed = await settled(workspaces)
        async with workspaces.of(user) as opened:
            await opened.add_to_feed(feed, [made.id])
        async with workspaces.administration() as operator:
            assert await operator.claim("w1", 60) is None
            (claimed,) = await operator.claim_feeds("w1", 60, 50)
        assert (claimed[1].feed_ids, claimed[1].status) == ((feed,), "ready")
        async with workspaces.administration() as operator:
            assert await operator.claim_feeds("w2", 60, 50) == (), "never two at once"
            assert await operator.claim("w2", 60) is None
        async with workspaces.of(user) as opened:
            await opened.remove_from_feed(feed, [made.id])
        async with workspaces.administration() as operator:
            assert await operator.finish(claimed[0].id, "w1", 1, None)
            (again,) = await operator.claim_feeds("w2", 60, 50)
        assert again[1].feed_ids == ()
        clock.now += timedelta(seconds=61)  # w2 is killed
        async with workspaces.administration() as operator:
            taken = await operator.claim("w3", 60)
            assert taken is not None
            assert (taken[0].id, taken[1].status) == (again[0].id, "ready")
            assert not await operator.finish(again[0].id, "w2", 1, None)
            assert await operator.finish(taken[0].id, "w3", 1, None)
            assert await operator.claim_feeds("w3", 60, 50) == ()
        await workspaces.close()

    asyncio.run(session())


def test_a_document_that_goes_meanwhile_is_removed(kept: Callable[[], Kept]) -> None:
    async def session() -> None:
        workspaces, _ = kept()
        if isinstance(workspaces, SqliteWorkspaces):
            await workspaces.migrate()
        user, made, feed = await settled(workspaces)
        async with workspaces.of(user) as opened:
            await opened.add_to_feed(feed, [made.id])
        async with workspaces.administration() as operator:
            (claimed,) = await operator.claim_feeds("w", 60, 50)
        async with workspaces.of(user) as opened:
            await opened.delete_document(made.id)
        async with workspaces.administration() as operator:
            assert await operator.finish(claimed[0].id, "w", 1, None)
            going = await operator.claim("w", 60)
            assert going is not None
            assert going[1].status == "deleting"
            assert await operator.finish(going[0].id, "w", going[1].version, None)
            assert await operator.claim("w", 60) is None
            assert await operator.claim_feeds("w", 60, 50) == ()
        await workspaces.close()

    asyncio.run(session())


def test_a_dead_job_hears_of_what_a_feed_gets_and_loses(kept: Callable[[], Kept]) -> None:
    async def session() -> None:
        workspaces, _ = kept()
        if isinstance(workspaces, SqliteWorkspaces):
            await workspaces.migrate()
        user, made, feed = await settled(workspaces)
        async with workspaces.of(user) as opened:
            await opened.add_to_feed(feed, [made.id])
        for _ in range(2):
            async with workspaces.administration() as operator:
                (claimed,) = await operator.claim_feeds("w", 60, 50)
                assert claimed[0].attempts == 1
                await operator.fail(claimed[0].id, "w", "the store is away", None)
                assert len(await operator.dead()) == 1
                assert await operator.claim_feeds("w", 60, 50) == ()
            async with workspaces.of(user) as opened:
                await opened.remove_from_feed(feed, [made.id])
                await opened.add_to_feed(feed, [made.id])
        async with workspaces.of(user) as opened:  # another version that cannot be indexed
            await opened.change_document(made.id, filename="b.md")
        async with workspaces.administration() as operator:
            failing = await operator.claim("w", 60)
            assert failing is not None
            await operator.fail(failing[0].id, "w", "it is broken", None)
        async with workspaces.of(user) as opened:
            await opened.remove_from_feed(feed, [made.id])
        async with workspaces.administration() as operator:
            assert await operator.claim_feeds("w", 60, 50) == ()
            (dead,) = await operator.dead()
            assert dead.reason == "it is broken"
        await workspaces.close()

    asyncio.run(session())
