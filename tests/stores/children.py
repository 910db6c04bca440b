"""The child processes of this one, as the kernel lists them."""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from pathlib import Path

from tests.time_limits import HANGS_S


def children() -> set[int]:
    """Process ids, without those that have ended and wait to be looked at."""
    return {pid for pid in _listed() if alive(pid)}


def zombies() -> set[int]:
    """Those that have ended and wait to be looked at."""
    return {pid for pid in _listed() if not alive(pid)}


def _listed() -> set[int]:
    found: set[int] = set()
    for listed in Path("/proc/self/task").glob("*/children"):
        with suppress(FileNotFoundError, ProcessLookupError):  # that thread has ended meanwhile
            found.update(map(int, listed.read_text().split()))
    return found


def alive(pid: int) -> bool:
    """Is that process still running?"""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


async def new_child(before: set[int]) -> int:
    """The next process that is started."""
    while not (fresh := children() - before):  # noqa: ASYNC110 - nothing tells of it
        await asyncio.sleep(0.001)
    return fresh.pop()


def descriptors() -> int:
    """How many files this process has open."""
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208


async def let_go(before: int) -> bool:
    """Are no more files open than `before`, once a collection's texts have been read ahead?"""
    try:
        async with asyncio.timeout(HANGS_S):
            while descriptors() > before:  # noqa: ASYNC110 - nothing tells of it
                await asyncio.sleep(0.01)
    except TimeoutError:
        return False
    return True
