"""The worker beside the server: it indexes, is started again when it dies, and ends with it."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from pincite.surfaces.http import worker_process
from pincite.workspace.access.keys import make_key
from pincite.workspace.database.sqlite import SqliteWorkspaces
from tests.quick_folder import quick_folder
from tests.time_limits import HANGS_S

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="asks Linux for processes"),
]


@contextmanager
def _serving(folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    environ = {**os.environ, "PINCITE_INDEX": str(folder / "index"), "PINCITE_OFFLINE": "1"}
    environ["PINCITE_IDLE_S"] = "60"
    command = [sys.executable, "-m", "pincite.surfaces.cli.app", "serve", "--lexical"]
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen([*command, "--port", "0"], cwd=folder, env=environ, stderr=log)
    try:
        until_s = time.monotonic() + HANGS_S
        while not (said := re.search(r" at (http://\S+)", (folder / "log").read_text())):
            assert server.poll() is None
            assert time.monotonic() < until_s
            time.sleep(0.05)
        yield server, said[1]
    finally:
        server.kill()
        server.wait(HANGS_S)
        subprocess.run([*command[:3], "stop"], cwd=folder, env=environ, check=False)


def _worker_of(server: subprocess.Popen[bytes]) -> int | None:
    """The process that the server has started to index."""
    for place in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((place / "stat").read_text().rpartition(")")[2].split()[1])
            if parent == server.pid and b"--beside" in (place / "cmdline").read_bytes():
                return int(place.name)
        except OSError:
            continue
    return None


def _lives(process: int) -> bool:
    return Path(f"/proc/{process}").exists()


async def _until_worker(server: subprocess.Popen[bytes], *, but: int | None = None) -> int:
    async with asyncio.timeout(HANGS_S):
        while (found := _worker_of(server)) in (None, but):  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    assert found is not None
    return found


async def _key(folder: Path) -> str:
    (folder / "index").mkdir(0o700)
    workspaces = SqliteWorkspaces(folder / "index" / "workspaces.db")
    await workspaces.migrate()
    try:
        async with workspaces.administration() as operator:
            user, new = await operator.add_user("Ada"), make_key()
            await operator.add_key(user.id, "all", new.hash, new.prefix, ("search", "write"))
    finally:
        await workspaces.close()
    return new.text


@asynccontextmanager
async def _client(url: str, key: str) -> AsyncIterator[httpx.AsyncClient]:
    headers = {"authorization": f"Bearer {key}"}
    async with httpx.AsyncClient(base_url=url, headers=headers, timeout=HANGS_S) as client:
        yield client


async def _is_indexed(client: httpx.AsyncClient, text: str) -> None:
    said = await client.post("/v1/documents", params={"filename": "a.txt"}, content=text)
    place = f"/v1/documents/{said.raise_for_status().json()['id']}"
    async with asyncio.timeout(HANGS_S):
        while (await client.get(place)).json()["status"] != "ready":  # noqa: ASYNC110
            await asyncio.sleep(0.05)


async def test_a_worker_that_is_killed_is_started_again_and_ends_with_its_server() -> None:
    with quick_folder() as folder:
        key = await _key(folder)
        with _serving(folder) as (server, url):
            async with _client(url, key) as client:
                await _is_indexed(client, "the quetzal flies")
                first = await _until_worker(server)
                os.kill(first, signal.SIGKILL)
                second = await _until_worker(server, but=first)
                await _is_indexed(client, "the heron wades")
            server.kill()  # nothing that it could still do
            async with asyncio.timeout(HANGS_S):
                while _lives(second):  # noqa: ASYNC110
                    await asyncio.sleep(0.05)


async def test_a_server_that_is_told_to_end_ends_its_worker_first() -> None:
    with quick_folder() as folder:
        await _key(folder)
        with _serving(folder) as (server, _):
            worker = await _until_worker(server)
            server.send_signal(signal.SIGTERM)
            assert await asyncio.to_thread(server.wait, HANGS_S) == 0
            assert not _lives(worker)


async def _answers(url: str) -> bool:
    try:
        async with httpx.AsyncClient() as client:
            await client.get(f"{url}/healthz")
    except httpx.TransportError:
        return False
    return True


async def test_a_second_signal_ends_a_worker_that_does_not_end() -> None:
    with quick_folder() as folder:
        await _key(folder)
        with _serving(folder) as (server, url):
            worker = await _until_worker(server)
            os.kill(worker, signal.SIGSTOP)
            server.send_signal(signal.SIGTERM)
            async with asyncio.timeout(HANGS_S):
                while await _answers(url):  # noqa: ASYNC110
                    await asyncio.sleep(0.05)
            assert server.poll() is None
            server.send_signal(signal.SIGTERM)
            assert await asyncio.to_thread(server.wait, HANGS_S) == 0
            assert not _lives(worker)


HANGING = (sys.executable, "-c", "import time; time.sleep(1_000)")


@pytest.mark.parametrize("told", [True, False])
async def test_a_worker_that_does_not_end_is_ended_when_told_so_and_after_a_while(
    monkeypatch: pytest.MonkeyPatch, told: bool
) -> None:
    ending, at_once, started = asyncio.Event(), asyncio.Event(), list[asyncio.subprocess.Process]()
    start = asyncio.create_subprocess_exec

    async def seen(*given: Any, **named: Any) -> asyncio.subprocess.Process:
        started.append(await start(*given, **named))
        return started[0]

    monkeypatch.setattr(asyncio, "create_subprocess_exec", seen)
    monkeypatch.setattr(worker_process, "_FINISH_S", 1_000.0 if told else 0.1)
    keeping = asyncio.create_task(worker_process._keep(HANGING, ending, at_once))
    while not started:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    ending.set()
    if told:
        at_once.set()
    await asyncio.wait_for(keeping, HANGS_S)
    assert started[0].returncode == -signal.SIGKILL


async def test_a_worker_that_cannot_be_started_is_tried_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    ending, tries, again = asyncio.Event(), list[int](), asyncio.Event()
    start = asyncio.create_subprocess_exec

    async def refused_twice(*given: Any, **named: Any) -> asyncio.subprocess.Process:
        tries.append(1)
        if len(tries) in (1, 3):
            raise BlockingIOError(11, "Resource temporarily unavailable")
        if len(tries) == 4:
            again.set()
        return await start(*given, **named)

    monkeypatch.setattr(asyncio, "create_subprocess_exec", refused_twice)
    monkeypatch.setattr(worker_process, "_AGAIN_S", 0.01)
    ends = (sys.executable, "-c", "raise SystemExit(3)")
    keeping = asyncio.create_task(worker_process._keep(ends, ending, asyncio.Event()))
    await asyncio.wait_for(again.wait(), HANGS_S)
    ending.set()
    await asyncio.wait_for(keeping, HANGS_S)
    assert "cannot be started ([Errno 11] Resource temporarily unavailable)" in caplog.text


@pytest.mark.parametrize("long", [True, False])
async def test_a_worker_that_ran_for_long_is_started_again_as_soon_as_the_first_time(
    monkeypatch: pytest.MonkeyPatch, long: bool
) -> None:
    waits, ending, wait_for = list[float](), asyncio.Event(), asyncio.wait_for

    async def seen(waiting: Any, wait_s: float) -> Any:
        waits.append(wait_s)
        if len(waits) == 4:
            ending.set()
        return await wait_for(waiting, 0.001)

    monkeypatch.setattr(asyncio, "wait_for", seen)
    monkeypatch.setattr(worker_process, "_LONG_S", 0.0 if long else 1_000.0)
    await worker_process._keep((sys.executable, "-c", ""), ending, asyncio.Event())
    assert waits == ([1.0] * 4 if long else [1.0, 2.0, 4.0, 8.0])
