"""Workers: each document whole and once, whatever dies; the last request wins."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pincite.errors import BadResponse, ConfigError, StoreError, Unavailable
from pincite.providers.translate import translate
from pincite.workspace import Access
from pincite.workspace.database.administration import DatabaseAdministration
from pincite.workspace.files.folder import FolderFiles
from pincite.workspace.files.one_database import bind_files, sweep_files
from pincite.workspace.worker.deps import WorkerConfig, WorkerDeps
from pincite.workspace.worker.loop import work, work_once
from tests.time_limits import HANGS_S
from tests.workspace.yard import ENVIRONMENT, pieces, yard

pytestmark = pytest.mark.anyio

KILLS = int(os.environ.get("PINCITE_WORKER_KILLS", "6"))


async def sweep(deps: WorkerDeps, age_s: float) -> int:
    return await sweep_files(deps.workspaces, deps.files, age_s, -1)


async def test_a_fault_that_passes_is_retried_and_one_that_stays_is_dead(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with yard() as made:
        document = await made.upload("a.txt", "the quetzal flies")

        async def index_document(*_: Any) -> Any:
            raise StoreError("the store is away")

        config = WorkerConfig(retry_s=0.0, attempts=3)
        with monkeypatch.context() as patch:
            patch.setattr(type(made.deps.workspace), "index_document", index_document)
            while await work_once(made.deps, config):
                pass
            async with made.deps.workspaces.administration() as operator:
                (dead,) = await operator.dead()
        assert dead.document_id == document.id
        assert "the store is away" in dead.reason
        assert dead.attempts == 3
        async with made.deps.workspaces.administration() as operator:
            await operator.retry(dead.id)
        assert await work_once(made.deps, config)
        assert (await made.document(document.id)).status == "ready"
        assert await made.found("quetzal") == [document.id]


async def test_the_log_says_why_a_job_is_retried_without_the_words_of_another_server(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with yard() as made:
        await made.upload("a.txt", "the quetzal flies")
        faults = iter(
            (
                Unavailable("the request to http://localhost:9 failed: connection refused"),
                translate(400, {}, b'{"error": "bad input: the quetzal flies"}', "http://host/e"),
                BadResponse("http://host/e returned 'the quetzal flies'"),
            )
        )

        async def index_document(*_: Any) -> Any:
            raise next(faults)

        monkeypatch.setattr(type(made.deps.workspace), "index_document", index_document)
        while await work_once(made.deps, WorkerConfig(retry_s=0.0, attempts=3)):
            pass
        said = [one.getMessage().partition(": ")[2] for one in caplog.records]
        refused = "Unavailable: the request to http://localhost:9 failed: connection refused"
        assert said == [
            f"{refused}; try 1 of 3; the next one is in 0 s",
            "Invalid: http://host/e answered 400; try 2 of 3; the next one is in 0 s",
            "BadResponse; try 3 of 3; it is dead: pincite workspace dead",
        ]


async def test_a_fault_of_the_settings_is_for_the_operator(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async with yard() as made:
        document = await made.upload("a.txt", "the quetzal flies")

        async def index_document(*_: Any) -> Any:
            raise ConfigError("models.dense names no provider", hint="fix pincite.toml")

        with monkeypatch.context() as patch:
            patch.setattr(type(made.deps.workspace), "index_document", index_document)
            assert await work_once(made.deps, WorkerConfig()) == 1
        async with made.deps.workspaces.administration() as operator:
            (dead,) = await operator.dead()
        assert dead.reason == "models.dense names no provider"
        told = [one.getMessage() for one in caplog.records if one.levelname == "ERROR"]
        assert told == [f"job {dead.id}: models.dense names no provider"]
        failed = await made.document(document.id)
        assert failed.status == "failed"
        assert dead.id in failed.error
        assert "models.dense" not in failed.error


async def test_a_worker_that_has_lost_its_lease_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    async with yard() as made:
        await made.upload("a.txt", "the quetzal flies")
        going = asyncio.Event()

        async def index_document(*_: Any) -> Any:
            going.set()
            await asyncio.Event().wait()

        async def lost(*_: Any) -> bool:
            return False

        monkeypatch.setattr(type(made.deps.workspace), "index_document", index_document)
        monkeypatch.setattr(DatabaseAdministration, "renew", lost)
        assert await work_once(made.deps, WorkerConfig(lease_s=0.3))
        assert going.is_set()


async def test_what_was_asked_last_is_what_there_is_in_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with yard() as made:
        document = await made.upload("a.txt", "the quetzal flies")
        workspace = type(made.deps.workspace)
        index_document = workspace.index_document

        async def replaced_meanwhile(self: Any, *given: Any) -> Any:
            done = await index_document(self, *given)
            monkeypatch.setattr(workspace, "index_document", index_document)
            stored = await made.deps.files.put(made.space_id, pieces("the heron wades"), 100)
            async with made.deps.workspaces.of(made.user_id) as session:
                await session.change_document(
                    document.id, content_hash=stored.content_hash, size=stored.size
                )
            return done

        monkeypatch.setattr(workspace, "index_document", replaced_meanwhile)
        while await work_once(made.deps, WorkerConfig()):
            pass
        assert await made.found("heron") == [document.id]
        assert await made.found("quetzal") in ([], [document.id])
        pack = await made.deps.workspace.search(Access(made.user_id), "heron")
        assert all("quetzal" not in one.text for one in (*pack.evidence, *pack.closest))


async def test_files_that_nobody_needs_are_swept_once_they_are_old() -> None:
    async with yard() as made:
        kept = await made.upload("a.txt", "the quetzal flies")
        gone = await made.upload("b.txt", "the heron wades")
        await made.deps.files.put(made.space_id, pieces("never recorded"), 100)
        async with made.deps.workspaces.of(made.user_id) as session:
            await session.delete_document(gone.id)
        while await work_once(made.deps, WorkerConfig()):
            pass
        assert await sweep(made.deps, 3_600) == 0
        assert await sweep(made.deps, -1) == 2
        assert await made.deps.files.older_than(-1) == ((made.space_id, kept.content_hash),)


async def test_a_file_that_is_put_again_while_others_are_swept_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with yard() as made:
        stored = await made.deps.files.put(made.space_id, pieces("the quetzal flies"), 100)
        for path in (made.folder / ".pincite/files").rglob(stored.content_hash):
            os.utime(path, (0, 0))
        older_than = FolderFiles.older_than

        async def put_again(self: FolderFiles, age_s: float) -> tuple[tuple[str, str], ...]:
            found = await older_than(self, age_s)
            assert found
            await self.put(made.space_id, pieces("the quetzal flies"), 100)
            return found

        await made.upload("a.txt", "a file that is needed")
        await bind_files(made.deps.workspaces, made.deps.files)
        monkeypatch.setattr(FolderFiles, "older_than", put_again)
        await sweep(made.deps, 3_600)
        assert await made.deps.files.read(made.space_id, stored.content_hash)


async def test_a_worker_ends_when_it_is_told_to() -> None:
    async with yard() as made:
        document = await made.upload("a.txt", "the quetzal flies")
        ending = asyncio.Event()
        task = asyncio.create_task(work(made.deps, WorkerConfig(idle_s=0.05), ending))
        while (await made.document(document.id)).status != "ready":  # noqa: ASYNC110
            await asyncio.sleep(0.05)
        ending.set()
        assert await task == 1


async def test_workers_that_are_killed_lose_nothing_and_write_nothing_twice() -> None:
    async with yard() as made:
        names = (
            *("heron", "stork", "crane", "raven", "finch", "eagle"),
            *("robin", "egret", "quail", "goose", "swift", "ibis"),
        )
        documents = [await made.upload(f"{name}.txt", f"{name} sings {name}") for name in names]
        chance = random.Random(7)
        for _ in range(KILLS):
            process = _start(made.folder)
            await asyncio.sleep(chance.uniform(0.5, 3.0))
            process.send_signal(signal.SIGKILL)
            await asyncio.to_thread(process.wait, HANGS_S)
            _hang_up([process])
        pair = [_start(made.folder), _start(made.folder)]
        try:
            for process in pair:  # until it heeds signals
                assert process.stderr is not None
                said = await asyncio.to_thread(process.stderr.readline)
                assert b"working on" in said
            while not all([(await made.document(one.id)).status == "ready" for one in documents]):
                assert all(one.poll() is None for one in pair)
                await asyncio.sleep(0.2)
        finally:
            for process in pair:
                process.send_signal(signal.SIGTERM)
            codes = [await asyncio.to_thread(one.wait, HANGS_S) for one in pair]
            _hang_up(pair)
        assert codes == [0, 0]
        for name, document in zip(names, documents, strict=True):
            assert await made.found(name) == [document.id]
        async with made.deps.workspaces.administration() as operator:
            assert await operator.dead() == ()


def _start(folder: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "pincite.surfaces.cli.app", "worker", "--lexical"]
    return subprocess.Popen(
        [*command, "--lease", "1", "--index", str(folder / ".pincite")],
        cwd=folder,
        env={**os.environ, **ENVIRONMENT},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def _hang_up(processes: list[subprocess.Popen[bytes]]) -> None:
    for process in processes:
        assert process.stderr is not None
        process.stderr.close()
