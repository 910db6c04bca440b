"""Clients and daemons for tests, as real processes."""

from __future__ import annotations

import asyncio
import os
import stat
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from pincite.daemon.client.remote_index import RemoteIndex
from pincite.testing.points import document_of
from tests.quick_folder import quick_folder
from tests.stores.children import alive
from tests.time_limits import HANGS_S

A1 = document_of("a.md", "a1", ["the brown fox"], dense=False)
Check = Callable[[Path], Coroutine[Any, Any, None]]


def client(folder: Path, idle_s: float = 60.0, answer_s: float = HANGS_S) -> RemoteIndex:
    return RemoteIndex(folder, folder / "models", idle_s, answer_s)


@asynccontextmanager
async def connected(folder: Path, idle_s: float = 60.0) -> AsyncIterator[RemoteIndex]:
    """A client, with a daemon that ends with the test."""
    index = client(folder, idle_s)
    try:
        yield index
    finally:
        await index.leave()
        await index.close()


def run(check: Check) -> None:
    with quick_folder() as folder:
        asyncio.run(check(folder))


def is_empty(folder: Path) -> bool:
    return not any(folder.iterdir())


def open_to_others(folder: Path) -> list[Path]:
    return [p for p in folder.rglob("*") if stat.S_IMODE(p.lstat().st_mode) & 0o077]


async def gone(pid: int) -> bool:
    """Return when it has ended; False if it hangs."""
    try:
        async with asyncio.timeout(HANGS_S):
            while alive(pid):  # noqa: ASYNC110 - a process that is not our child
                await asyncio.sleep(0.01)
    except TimeoutError:
        return False
    return True


def script(code: str, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-W", "error", "-c", code, *map(str, arguments)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


@contextmanager
def daemon(code: str, folder: Path, *arguments: object) -> Iterator[subprocess.Popen[str]]:
    """A daemon of the folder that is ready, started by `code`; it ends with the block."""
    process = script(code, folder, *arguments)
    assert process.stdout is not None
    assert process.stdout.readline() == "{}\n"
    try:
        yield process
    finally:
        process.terminate()
        process.communicate(timeout=600)


def daemons_of(folder: Path) -> set[int]:
    """The processes that were started as daemons of this folder."""
    found = set()
    for process in Path("/proc").iterdir():
        try:
            command = (process / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"pincite.daemon" in command and os.fsencode(folder) in command:
            found.add(int(process.name))
    return found
