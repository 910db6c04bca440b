"""Mark an index folder as in use by one machine: a file in it that the machine touches regularly.

Locks and sockets work within one machine, and folders can be shared. A machine is identified by its
start, not by its name. The mark of another machine is stale if it was not touched for a while,
either by the clock of the folder itself or while this process watched: clocks of machines differ,
and after a reboot the mark of the same machine looks like that of another. Each process that works
in the folder shares a lock in it, so that only the last process of a machine removes the mark.
"""

from __future__ import annotations

import asyncio
import os
import socket
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import Final

import msgspec

from pincite.errors import IndexUnavailable
from pincite.support.capabilities import name_once
from pincite.support.databases.private_file import create_private, open_private
from pincite.support.decodable import ready
from pincite.support.processes.locks import Lock, open_lock

FILE: Final = "machine.json"
LOCK: Final = "machine.lock"
BEAT_S: Final = 3.0
STALE_S: Final = 15.0  # guess, unmeasured; a machine that stalls for longer loses the folder
_LOOK_S: Final = 0.25
_TRIES: Final = 20  # a leaving process holds the lock while it removes a file
_LONGEST: Final = 4_096  # bytes of a mark; a longer file is invalid
_SHOWN_CHARS: Final = 80
_BOOT: Final = Path("/proc/sys/kernel/random/boot_id")


class Mark(msgspec.Struct, frozen=True):
    """The content of a mark: `start` differs for each machine and each start of it, `name` is for
    people."""

    start: str
    name: str = ""


def this_machine() -> Mark:
    """Return the mark of the machine that this process runs on."""
    try:
        start = _BOOT.read_text().strip()
    except OSError:
        start = f"{uuid.getnode():x}"
    digest = blake2b(start.encode(), digest_size=16, person=b"pincite-machine").hexdigest()
    return Mark(digest, socket.gethostname())


async def require_here(root: Path) -> None:
    """Wait until no other machine works in the folder, up to `STALE_S` seconds after another one
    was last seen. Raises IndexUnavailable if one still does."""
    await _stale(root, this_machine(), STALE_S)


async def _stale(root: Path, machine: Mark, stale_s: float) -> tuple[Mark, int] | None:
    """Return the stale mark of another machine, None if there is none. Raises the errors of
    `require_here`."""
    seen = _look(root)
    if seen is None or seen[0].start == machine.start:
        return None
    started_s = time.monotonic()
    first = seen
    age_s = await asyncio.to_thread(_age_s, root, first[1])
    while age_s < stale_s and time.monotonic() - started_s < stale_s:
        if seen is None:
            return None
        if seen != first:
            raise _refused(root, seen[0])
        await asyncio.sleep(_LOOK_S)
        seen = _look(root)
    return first


def beat(root: Path, machine: Mark) -> bool:
    """Touch the mark of this machine. Return False if another machine has taken the folder."""
    seen = _look(root)
    if seen is not None and seen[0].start == machine.start:
        with suppress(OSError):
            os.utime(root / FILE)
        return True
    return seen is None and mark(root, machine)


def mark(root: Path, machine: Mark, *, over: bool = False) -> bool:
    """Write the mark of this machine; with `over`, replace that of another one. Return False if
    another machine was first. On a full or read-only folder, nothing is written."""
    fresh = root / f"{FILE}.{uuid.uuid4().hex}.new"
    try:
        create_private(fresh, msgspec.json.encode(machine))
        if over:
            fresh.replace(root / FILE)
        else:
            name_once(fresh, root / FILE)
    except FileExistsError:
        seen = _look(root)
        return seen is None or seen[0].start == machine.start
    except OSError:  # missing, full or read-only folder: machines cannot be told apart
        return True
    finally:
        with suppress(OSError):
            fresh.unlink(missing_ok=True)
    return True


async def take_folder(root: Path, machine: Mark, stale_s: float = STALE_S) -> None:
    """Take the folder for this machine. Raises IndexUnavailable if another one has it."""
    stale = await _stale(root, machine, stale_s)
    seen = _look(root)
    over = seen is not None and seen[0].start != machine.start
    if seen is not None and over and seen != stale:  # a third one was first
        raise _refused(root, seen[0])
    if not mark(root, machine, over=over):
        raise _taken(root)
    if over:  # several may have seen the same stale mark: the last to replace it wins
        await asyncio.sleep(2 * _LOOK_S)
        seen = _look(root)
        if seen is not None and seen[0].start != machine.start:
            raise _refused(root, seen[0])


async def join(root: Path, machine: Mark) -> Lock | None:
    """Take the folder as `take_folder` does, for a process that works there until it calls `leave`
    with the returned lock. The lock is None if the folder can have none."""
    await take_folder(root, machine)
    lock = await attend(root)
    if not beat(root, machine):  # the last process of this machine has just left
        if lock is not None:
            lock.close()
        raise _taken(root)
    return lock


async def attend(root: Path) -> Lock | None:
    """Share the lock of the processes that work in the folder; None if it is not available."""
    try:
        lock = open_lock(root / LOCK)
    except OSError:  # missing or read-only folder
        return None
    taken = False
    try:
        for _ in range(_TRIES):
            if taken := lock.take(shared=True):
                return lock
            await asyncio.sleep(_LOOK_S)  # another process is leaving
    except OSError:
        return None
    finally:
        if not taken:
            lock.close()
    return None


def leave(root: Path, machine: Mark, lock: Lock | None = None) -> None:
    """Stop working in the folder. The last process of its machine removes the mark. If it is
    unknown whether this process is the last, the mark stays and soon becomes stale."""
    if lock is not None:
        lock.close()
    seen = _look(root)
    if seen is None or seen[0].start != machine.start:
        return
    with suppress(OSError):
        alone = open_lock(root / LOCK)
        try:
            if alone.take():
                (root / FILE).unlink()
        finally:
            alone.close()


@asynccontextmanager
async def working_in(root: Path, beat_s: float = BEAT_S) -> AsyncIterator[None]:
    """Keep the folder, if it exists, for this machine while the block runs. Raises IndexUnavailable
    if another machine has it; one that takes it later ends the block."""
    machine = this_machine()
    lock = await join(root, machine)

    async def keep() -> None:
        nonlocal lock
        while True:
            await asyncio.sleep(beat_s)
            if not beat(root, machine):
                block.reschedule(asyncio.get_running_loop().time())
                return
            lock = lock or await attend(root)  # the folder may have been created since

    keeping: asyncio.Task[None] | None = None
    try:
        async with asyncio.timeout(None) as block:
            keeping = asyncio.create_task(keep())
            yield
    except TimeoutError:
        if block.expired():
            raise _taken(root) from None
        raise
    finally:
        if keeping is not None:
            keeping.cancel()
            with suppress(asyncio.CancelledError):
                await keeping
        leave(root, machine, lock)


def _look(root: Path) -> tuple[Mark, int] | None:
    """Return the mark and the time of its last touch; None if there is none, or if it is
    invalid."""
    try:
        handle = open_private(root / FILE)
    except OSError:
        return None
    with os.fdopen(handle, "rb") as file:  # opened, because network file systems cache the rest
        try:
            found = msgspec.json.decode(file.read(_LONGEST), type=ready(Mark))
            return found, os.fstat(file.fileno()).st_mtime_ns
        except (OSError, msgspec.MsgspecError, TypeError):
            return None


def _age_s(root: Path, touched_ns: int) -> float:
    """Return the age of a time in seconds, by the clock of the folder's file system; 0 if it is
    unknown."""
    probe = root / f"{FILE}.{uuid.uuid4().hex}.probe"  # process ids repeat on other machines
    try:
        create_private(probe, b"")
        return (probe.stat().st_mtime_ns - touched_ns) / 1e9
    except OSError:
        return 0.0
    finally:
        with suppress(OSError):
            probe.unlink(missing_ok=True)


def _taken(root: Path) -> IndexUnavailable:
    """Return the error for a folder that another process took first."""
    seen = _look(root)
    return _refused(root, seen[0] if seen else Mark(""))


def _refused(root: Path, other: Mark) -> IndexUnavailable:
    shown = "".join(sign for sign in other.name if sign.isprintable())[:_SHOWN_CHARS]
    called = f" ({shown})" if shown else ""
    return IndexUnavailable(
        f"another machine{called} uses the index folder {root}, and an index folder belongs to"
        " one machine",
        hint=(
            "run this command on that machine; to use several machines, keep workspaces in"
            " PostgreSQL (PINCITE_DATABASE_URL) and points on a Qdrant server (QDRANT_URL)"
        ),
    )
