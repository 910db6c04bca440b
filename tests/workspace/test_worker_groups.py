"""Workers index several small documents with one run; one that fails ends none of the others."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pincite.errors import StoreError, WorkspaceUnavailable
from pincite.support.writing_until import may_write
from pincite.workspace.database.administration import DatabaseAdministration
from pincite.workspace.worker.deps import WorkerConfig
from pincite.workspace.worker.loop import work_once
from tests.workspace.yard import Yard, yard

pytestmark = pytest.mark.anyio

NAMES = ("heron", "stork", "crane", "raven", "finch")


async def _uploads(made: Yard) -> dict[str, str]:
    return {name: (await made.upload(f"{name}.txt", f"{name} sings {name}")).id for name in NAMES}


async def _all_are_found(made: Yard, ids: dict[str, str]) -> None:
    for name, id_ in ids.items():
        assert (await made.document(id_)).status == "ready"
        assert (await made.document(id_)).metadata["title"]
        assert set(await made.found(name)) == {id_}


async def test_small_documents_are_indexed_together_and_large_ones_alone() -> None:
    async with yard() as made:
        ids = await _uploads(made)
        large = await made.upload("large.txt", "quetzal " * 2_000)
        last = await made.upload("last.txt", "robin sings robin")
        config = WorkerConfig(batch=10, small_bytes=1_000)
        assert await work_once(made.deps, config) == len(ids) + 1
        await _all_are_found(made, ids | {"quetzal": large.id})
        assert (await made.document(last.id)).status == "pending"
        assert await work_once(made.deps, config) == 1
        assert await work_once(made.deps, config) == 0


async def test_one_that_cannot_be_read_is_told_so_and_the_others_are_ready() -> None:
    async with yard() as made:
        broken = await made.upload("a.pdf", "no PDF")
        ids = await _uploads(made)
        empty = await made.upload("b.txt", " \n")
        assert await work_once(made.deps, WorkerConfig()) == len(ids) + 2
        await _all_are_found(made, ids)
        for one in (broken, empty):
            found = await made.document(one.id)
            assert (found.status, bool(found.error)) == ("failed", True)


async def test_where_a_run_fails_each_document_is_done_by_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with yard() as made:
        ids = await _uploads(made)

        async def index_documents(*_: Any) -> Any:
            raise StoreError("the store is away")

        monkeypatch.setattr(type(made.deps.workspace), "index_documents", index_documents)
        assert await work_once(made.deps, WorkerConfig()) == len(ids)
        await _all_are_found(made, ids)


async def test_one_that_was_begun_before_is_done_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    async with yard() as made:
        ids = await _uploads(made)
        sizes = []
        index_documents = type(made.deps.workspace).index_documents

        async def counted(self: Any, given: Any) -> Any:
            sizes.append(len(given))
            return await index_documents(self, given)

        monkeypatch.setattr(type(made.deps.workspace), "index_documents", counted)
        for _ in ids:  # claimed, and the worker is gone
            async with made.deps.workspaces.administration() as operator:
                assert await operator.claim("gone", 0.0)
        while await work_once(made.deps, WorkerConfig()):
            pass
        assert sizes == []
        await _all_are_found(made, ids)


async def test_a_lease_that_is_lost_ends_the_run_and_the_others_are_done_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with yard() as made:
        ids = await _uploads(made)
        workspace = type(made.deps.workspace)
        lost: list[str] = []
        renew = DatabaseAdministration.renew

        async def hangs(*_: Any) -> Any:
            await asyncio.Event().wait()

        async def loses_one(self: Any, job_id: str, worker: str, lease_s: float) -> bool:
            if not lost:
                lost.append(job_id)
            return job_id not in lost and await renew(self, job_id, worker, lease_s)

        with monkeypatch.context() as patch:
            patch.setattr(workspace, "index_documents", hangs)
            patch.setattr(DatabaseAdministration, "renew", loses_one)
            assert await work_once(made.deps, WorkerConfig(lease_s=3.0)) == len(ids)
        states = [(await made.document(id_)).status for id_ in ids.values()]
        assert sorted(states) == ["indexing", *["ready"] * (len(ids) - 1)]
        while not await work_once(made.deps, WorkerConfig()):  # noqa: ASYNC110 - its lease runs out
            await asyncio.sleep(0.1)
        await _all_are_found(made, ids)


async def test_a_run_may_write_until_the_first_of_its_leases_may_have_run_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with yard() as made:
        ids = await _uploads(made)
        seen = []

        async def slow(*_: Any) -> Any:
            seen.append(may_write())
            while may_write():  # noqa: ASYNC110 - that is what is waited for
                await asyncio.sleep(0.05)
            seen.append(may_write())
            raise StoreError("too late")

        async def away(*_: Any) -> bool:
            raise WorkspaceUnavailable("the database is away")

        workspace = type(made.deps.workspace)
        with monkeypatch.context() as patch:
            patch.setattr(workspace, "index_documents", slow)
            patch.setattr(workspace, "index_document", slow)
            patch.setattr(DatabaseAdministration, "renew", away)
            await work_once(made.deps, WorkerConfig(lease_s=3.0))
        assert seen[:2] == [True, False]
        assert not any(seen[2:]), "the documents that are done again are no longer its own"
        assert len(seen) == 2 + 2 * len(ids)
