"""A worker that runs with other models writes to a collection of its own, which running servers
search as well. These tests use the bundled model."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from pincite.providers.bundled.cache import default_root
from pincite.support.fields import replace
from pincite.workspace import Access
from pincite.workspace.worker.deps import WorkerConfig, WorkerDeps
from pincite.workspace.worker.loop import work_once
from pincite.workspace.workspace import Workspace
from tests.workspace.yard import ENVIRONMENT, Yard, pieces, yard

pytestmark = pytest.mark.anyio

LEXICAL = "chunks__lexical"
_SOON_S = 20.0  # a busy machine is no failure


@pytest.fixture(autouse=True)
def _models(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ENVIRONMENT, "PINCITE_MODELS", str(default_root()))


async def settle(deps: WorkerDeps) -> None:
    while await work_once(deps, WorkerConfig()):
        pass


async def names(made: Yard) -> list[str]:
    found = await made.deps.workspace.collections(Access(made.user_id))
    return [one.name for one in found]


async def test_a_running_server_searches_a_collection_that_a_worker_adds() -> None:
    async with yard() as made:
        first = await made.upload("a.txt", "The quetzal password is 4711.")
        await settle(made.deps)
        assert await made.found("quetzal password") == [first.id]
        server = made.deps.workspace
        async with Workspace(server.settings, made.deps.workspaces) as dense:
            second = await made.upload("b.txt", "The quetzal password is long.")
            stored = await made.deps.files.put(made.space_id, pieces("The quetzal flies."), 1_000)
            async with made.deps.workspaces.of(made.user_id) as session:
                await session.change_document(
                    first.id, content_hash=stored.content_hash, size=stored.size
                )
            await settle(replace(made.deps, workspace=dense))
        assert len(await names(made)) == 2
        until_s, found = time.monotonic() + _SOON_S, set[str]()
        while found != {first.id, second.id} and time.monotonic() < until_s:
            await asyncio.sleep(0.2)
            found = set(await made.found("quetzal"))
        assert found == {first.id, second.id}


async def test_searches_that_follow_each_other_do_not_list_the_collections(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with yard() as made:
        await made.upload("a.txt", "The quetzal password is 4711.")
        await settle(made.deps)
        await made.found("quetzal")
        collections = made.deps.workspace._engine._searcher.collections
        now_s = time.monotonic() + 60.0
        monkeypatch.setattr(collections, "_clock", lambda: now_s)
        await made.found("quetzal")
        client = made.deps.workspace._engine.client()
        listed, listing = 0, type(client).collections

        async def counted(self: Any) -> Any:
            nonlocal listed
            listed += 1
            return await listing(self)

        monkeypatch.setattr(type(client), "collections", counted)
        for _ in range(3):
            await made.found("quetzal")
        assert listed == 0
        now_s += 3.0
        for _ in range(3):
            await made.found("quetzal")
        assert listed == 1


async def test_a_change_of_a_feed_makes_no_collection() -> None:
    async with yard() as made:
        document = await made.upload("a.txt", "The quetzal password is 4711.")
        await settle(made.deps)
        async with made.deps.workspaces.of(made.user_id) as session:
            feed = await session.add_feed(made.space_id, "news")
            await session.add_to_feed(feed.id, [document.id])
        await settle(made.deps)
        assert await names(made) == [LEXICAL]
        pack = await made.deps.workspace.search(Access(made.user_id), "quetzal password")
        assert [one.attributes["feed_ids"] for one in pack.evidence] == [(feed.id,)]


async def test_a_worker_without_a_model_changes_the_feeds_of_a_dense_collection() -> None:
    async with yard() as made:
        server = made.deps.workspace
        async with Workspace(server.settings, made.deps.workspaces) as dense:
            document = await made.upload("a.txt", "The quetzal password is 4711.")
            await settle(replace(made.deps, workspace=dense))
        (before,) = await names(made)
        assert before != LEXICAL
        async with made.deps.workspaces.of(made.user_id) as session:
            feed = await session.add_feed(made.space_id, "news")
            await session.add_to_feed(feed.id, [document.id])
        await settle(made.deps)
        assert await names(made) == [before]
        pack = await made.deps.workspace.search(Access(made.user_id), "quetzal password")
        assert [one.attributes["feed_ids"] for one in pack.evidence] == [(feed.id,)]
        second = await made.upload("b.txt", "The quetzal flies.")
        await settle(made.deps)
        assert await names(made) == sorted([before, LEXICAL])
        assert set(await made.found("quetzal")) == {document.id, second.id}
