"""The text of a replaced document: not called current before the new one is indexed, and gone
once that fails."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from typing import Any

import pytest

from pincite.citations.compare_claim import Claim
from pincite.citations.verify import verify as verify_pack
from pincite.current_files.files import FilesOnDisk
from pincite.errors import NotFound, StoreError
from pincite.sources.record_places import open_record_store
from pincite.workspace import Access
from pincite.workspace.indexing import SOURCE
from pincite.workspace.worker.deps import WorkerConfig
from pincite.workspace.worker.loop import work, work_once
from tests.time_limits import HANGS_S
from tests.workspace.yard import Yard, pieces, yard

pytestmark = pytest.mark.anyio

TEXT = "The quetzal password is 4711.\n"


async def replace(made: Yard, document_id: str, content: bytes | str) -> None:
    stored = await made.deps.files.put(made.space_id, pieces(content), 1_000)
    async with made.deps.workspaces.of(made.user_id) as session:
        await session.change_document(
            document_id, content_hash=stored.content_hash, size=stored.size
        )


async def change(made: Yard, document_id: str, **fields: Any) -> None:
    async with made.deps.workspaces.of(made.user_id) as session:
        await session.change_document(document_id, **fields)


async def settle(made: Yard, config: WorkerConfig = WorkerConfig()) -> None:
    while await work_once(made.deps, config):
        pass


def indexed(made: Yard, document_id: str) -> tuple[str, ...]:
    """The records of a document in the index."""
    settings = made.deps.workspace.settings
    with open_record_store(settings.index) as store:
        return store.paths_of(settings.indexed_collection, SOURCE, document_id)


async def test_until_the_new_content_is_indexed_the_earlier_text_is_not_called_current() -> None:
    async with yard() as made:
        document = await made.upload("a.txt", TEXT)
        await settle(made)
        workspace, access = made.deps.workspace, Access(made.user_id)
        pack = await workspace.search(access, "quetzal password")
        (item,) = pack.evidence
        assert item.truth == "fresh"
        await change(made, document.id, given={"category": "x"})  # the text is the same
        pack = await workspace.search(access, "quetzal password")
        assert (pack.evidence[0].truth, pack.warnings) == ("fresh", ())
        await settle(made)
        await replace(made, document.id, "The heron wades.\n")
        pack = await workspace.search(access, "quetzal password")
        assert [one.truth for one in pack.evidence] == ["unchecked"]
        assert "refreshing" in [one.code for one in pack.warnings]
        answer = await workspace.answer(access, "what is the quetzal password?")
        assert "refreshing" in [one.code for one in answer.evidence.warnings]
        claims = [Claim(item.citation, "quetzal"), Claim(item.citation)]
        for check in await workspace.check(access, claims):
            assert (check.status, check.path) == ("unknown", item.path)
            assert "new content" in check.detail
        (checked,) = await workspace.verify(access, pack)
        assert (checked.status, "new content" in checked.detail) == ("unknown", True)
        passage = await workspace.get(access, item.citation)
        assert passage.changed
        assert "new content" in passage.warning
        await settle(made)
        assert await made.found("heron") == [document.id]
        (check,) = await workspace.check(access, claims[:1])
        assert check.status == "changed"


@pytest.mark.parametrize("how", ["search", "verify"])
async def test_an_earlier_text_is_not_current_if_indexing_ends_during_the_comparison(
    how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with yard() as made:
        document = await made.upload("a.txt", TEXT)
        await settle(made)
        workspace, access = made.deps.workspace, Access(made.user_id)
        before = await workspace.search(access, "quetzal password")
        await replace(made, document.id, "The quetzal password is 9999.\n")
        look, verify = FilesOnDisk.look, verify_pack

        async def slow_look(self: FilesOnDisk, *given: Any, **more: Any) -> Any:
            found = await look(self, *given, **more)
            await settle(made)
            return found

        async def slow_verify(*given: Any, **more: Any) -> Any:
            found = await verify(*given, **more)
            await settle(made)
            return found

        monkeypatch.setattr(FilesOnDisk, "look", slow_look)
        monkeypatch.setattr("pincite.workspace.workspace.verify_pack", slow_verify)
        if how == "search":
            pack = await workspace.search(access, "quetzal password")
            assert [(one.truth, "4711" in one.text) for one in pack.evidence] == [
                ("unchecked", True)
            ]
        else:
            assert [one.status for one in await workspace.verify(access, before)] == ["unknown"]
        assert (await made.document(document.id)).status == "ready"


async def test_a_removal_that_fails_does_not_end_the_worker(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with yard() as made:
        document = await made.upload("a.txt", TEXT)
        await settle(made)
        await replace(made, document.id, b"\0" * 100)
        other = await made.upload("b.txt", "the heron wades")

        async def full(*_: Any) -> Any:
            raise OSError("the disk is full")

        with monkeypatch.context() as patch:
            patch.setattr(type(made.deps.workspace), "remove_document", full)
            assert await work_once(made.deps, WorkerConfig(retry_s=0.0)) == 2
        assert (await made.document(other.id)).status == "ready"
        assert (await made.document(document.id)).status == "pending"
        await settle(made, WorkerConfig(retry_s=0.0))
        assert (await made.document(document.id)).status == "failed"
        assert indexed(made, document.id) == ()


@pytest.mark.parametrize("how", ["unreadable content", "a name of another type"])
async def test_the_earlier_text_leaves_the_index_when_the_new_version_cannot_be_read(
    how: str,
) -> None:
    async with yard() as made:
        document = await made.upload("a.txt", TEXT)
        await made.upload("b.txt", "the heron wades")
        await settle(made)
        workspace, access = made.deps.workspace, Access(made.user_id)
        citation = (await workspace.search(access, "quetzal password")).evidence[0].citation
        if how == "unreadable content":
            await replace(made, document.id, b"\0" * 100)
        else:
            await change(made, document.id, filename="a.docx")
        await settle(made)
        failed = await made.document(document.id)
        assert (failed.status, failed.version, failed.indexed_version) == ("failed", 2, 0)
        assert document.id not in await made.found("quetzal password")
        assert indexed(made, document.id) == ()
        with pytest.raises(NotFound):
            await workspace.get(access, citation)
        (check,) = await workspace.check(access, [Claim(citation, "quetzal")])
        assert (check.status, check.path) == ("unknown", None)
        await change(made, document.id, filename="a.txt")
        await settle(made)
        found = await made.found("quetzal password")
        assert (document.id in found) == (how != "unreadable content")


async def test_a_dead_job_hides_the_earlier_text_also_while_the_store_is_away(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with yard() as made:
        document = await made.upload("a.txt", TEXT)
        await settle(made)
        workspace = type(made.deps.workspace)

        async def away(*_: Any) -> Any:
            raise StoreError("the store is away")

        with monkeypatch.context() as patch:
            patch.setattr(workspace, "index_document", away)
            patch.setattr(workspace, "remove_document", away)
            await replace(made, document.id, "The heron wades.\n")
            await settle(made, WorkerConfig(retry_s=0.0, attempts=2))
        assert (await made.document(document.id)).status == "failed"
        assert indexed(made, document.id)
        caplog.set_level(logging.INFO)
        assert await made.found("quetzal password") == []
        assert not [one for one in caplog.records if one.levelno >= logging.ERROR]
        async with made.deps.workspaces.administration() as operator:
            (dead,) = await operator.dead()
            await operator.retry(dead.id)
        assert await made.found("quetzal password") == []
        with monkeypatch.context() as patch:
            patch.setattr(workspace, "index_document", away)
            await settle(made, WorkerConfig(retry_s=0.0, attempts=1))
        assert indexed(made, document.id) == ()


async def test_a_failure_after_a_change_of_metadata_keeps_the_text(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with yard() as made:
        document = await made.upload("a.txt", TEXT)
        await settle(made)

        async def away(*_: Any) -> Any:
            raise StoreError("the store is away")

        await change(made, document.id, given={"category": "x"})
        monkeypatch.setattr(type(made.deps.workspace), "index_document", away)
        await settle(made, WorkerConfig(retry_s=0.0, attempts=1))
        assert (await made.document(document.id)).status == "failed"
        assert await made.found("quetzal password") == [document.id]


@pytest.mark.parametrize("how", ["renamed", "retried", "left alone"])
async def test_the_earlier_text_of_what_failed_before_the_upgrade_stays_hidden(
    how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with yard() as made:
        document = await made.upload("a.txt", TEXT)
        await settle(made)

        async def away(*_: Any) -> Any:
            raise StoreError("the store is away")

        with sqlite3.connect(made.folder / ".pincite/workspaces.db") as db:  # as it left them
            db.create_function("app_user_id", 0, lambda: made.user_id)  # which a trigger calls
            db.execute("UPDATE documents SET status = 'failed', version = 2")
            db.execute("UPDATE jobs SET state = 'dead'")
        db.close()
        assert await made.found("quetzal password") == []
        monkeypatch.setattr(type(made.deps.workspace), "index_document", away)
        if how == "renamed":
            await change(made, document.id, filename="b.txt")
        elif how == "left alone":
            ending = asyncio.Event()
            config = WorkerConfig(retry_s=0.0, attempts=1, idle_s=0.01)
            working = asyncio.create_task(work(made.deps, config, ending))
            try:
                async with asyncio.timeout(HANGS_S):
                    while indexed(made, document.id):  # noqa: ASYNC110
                        await asyncio.sleep(0.05)
            finally:
                ending.set()
                await working
        else:
            async with made.deps.workspaces.administration() as operator:
                await operator.retry((await operator.dead())[0].id)
        await settle(made, WorkerConfig(retry_s=0.0, attempts=1))
        assert await made.found("quetzal password") == []
        assert indexed(made, document.id) == ()
