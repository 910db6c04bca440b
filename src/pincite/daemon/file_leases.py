"""Leases for writing to a collection: one process at a time, in the order of arrival.

A writer holds the lock of `writing-NAME.lock`, a file in which it describes its work. A waiting
process holds the lock of a ticket, `waiting-NAME+TIME.lock`; the oldest ticket is next. The kernel
releases the locks of a process that dies, so no process waits for a dead one. Tickets of dead
processes are removed.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from uuid import uuid4

import msgspec

from pincite.daemon.server.read_only import may_write, read_only
from pincite.errors import DiskFull, IndexUnavailable, PinciteError
from pincite.model import Notice
from pincite.ports import Waiting
from pincite.stores.validate import check_name
from pincite.support.capabilities import is_alive
from pincite.support.decodable import ready
from pincite.support.full_disk import out_of_room
from pincite.support.local_time import local_now
from pincite.support.processes.locks import Lock, is_held, open_lock, remove_lock, said_in, say_in

_LOOK_S = 0.1
_LEARN_S = 2.0  # a process that has just got the lock writes its description in microseconds
_LOCK = "writing-{}.lock"
_TICKET = "waiting-{}+{}.lock"


class Holder(msgspec.Struct, frozen=True):
    """A writing process as it describes itself: `since` is a time in ISO 8601."""

    pid: int
    since: str
    what: str

    @property
    def sentence(self) -> str:
        """Return the description as a sentence for people."""
        return f"process {self.pid} is {self.what}, since {self.since}"


class FileLeases(msgspec.Struct, frozen=True):
    """`pincite.ports.Leases` of the index folder `root`, for processes of one machine."""

    root: Path

    @asynccontextmanager
    async def take(self, collection: str, what: str, waiting: Waiting) -> AsyncIterator[None]:
        """As `Leases.take`."""
        root = self.root
        if not may_write(root):
            raise read_only(root)
        check_name(collection)
        lock = _open(root, _LOCK.format(collection))
        try:
            with _ticket(root, collection) as ticket:
                await _wait(lock, ticket, collection, waiting)
            try:
                said = what.encode(errors="backslashreplace").decode()  # a path need not be Unicode
                _say(root, lock, Holder(os.getpid(), local_now(), said))
                yield
            finally:
                os.ftruncate(lock.file, 0)
        finally:
            lock.close()

    def is_any_taken(self) -> bool:
        """As `Leases.is_any_taken`."""
        return any(is_held(path) for path in self.root.glob(_LOCK.format("*")))

    def holders(self) -> tuple[Holder, ...]:
        """Return the writing processes as they describe themselves."""
        found = []
        for path in sorted(self.root.glob(_LOCK.format("*"))):
            if not is_held(path):
                continue
            try:
                lock = open_lock(path, make=False, write=False)
            except OSError:  # it has just ended
                continue
            try:
                holder = _holder(lock)
            finally:
                lock.close()
            if holder is not None:
                found.append(holder)
        return tuple(found)


def is_waited_for(root: Path, collection: str) -> bool:
    """Return whether this process writes to a collection while another writer waits for it."""
    path = root / _LOCK.format(collection)
    try:
        lock = open_lock(path, make=False, write=False)
    except OSError:  # missing, or just removed
        return False
    try:
        holder = _holder(lock)
    finally:
        lock.close()
    if holder is None or holder.pid != os.getpid():
        return False
    return any(is_held(one) for one in root.glob(_TICKET.format(collection, "*")))


async def _wait(lock: Lock, ticket: Path, collection: str, waiting: Waiting) -> None:
    started_s = time.monotonic()
    told = False
    while not (_is_next(ticket) and lock.take()):
        holder, waited_s = _holder(lock), time.monotonic() - started_s
        known = (
            holder.sentence
            if holder
            else f"another process is writing to collection {collection!r}"
        )
        if waited_s >= waiting.limit_s and (holder or waited_s >= _LEARN_S):
            raise IndexUnavailable(
                f"{known}; collection {collection!r} was not free after {waiting.limit_s:g} s",
                hint=(
                    "wait for that process and run the same command again, or wait longer:"
                    " --wait SECONDS"
                ),
            )
        if holder and not told and waiting.limit_s:
            told = True
            message = f"{known}; waiting for at most {waiting.limit_s:g} s"
            waiting.on_notice(Notice("waiting", message))
        await asyncio.sleep(_LOOK_S)


@contextmanager
def _ticket(root: Path, collection: str) -> Iterator[Path]:
    """Take a place in the queue. If the ticket is removed as that of a dead process before it is
    locked, take another one. No file is renamed while it is open, which some systems refuse."""
    while True:
        name = _TICKET.format(collection, f"{time.time_ns():020}-{uuid4().hex}")
        held = _open(root, name)
        try:
            if held.take() and _is_there(root / name, held):
                yield root / name
                return
        finally:
            held.close()
            remove_lock(root / name)


def _is_there(path: Path, lock: Lock) -> bool:
    try:
        return os.path.samestat(path.lstat(), os.fstat(lock.file))
    except FileNotFoundError:
        return False


def _is_next(ticket: Path) -> bool:
    """Return whether our ticket is the oldest. Tickets of dead processes are removed."""
    queue = ticket.name.rpartition("+")[0]
    for path in sorted(ticket.parent.glob(f"{queue}+*.lock")):
        if path.name >= ticket.name:
            return True
        if not _thrown_away(path):
            return False
    return True


def _thrown_away(path: Path) -> bool:
    """Remove a ticket that no process holds. It is locked for the removal: a process that has just
    made it finds it locked or missing, and makes another one."""
    try:
        lock = open_lock(path, make=False)
    except FileNotFoundError:
        return True
    except OSError:
        return not is_held(path)
    try:
        if not lock.take():
            return False
        remove_lock(path)
    finally:
        lock.close()
    remove_lock(path)  # again: an open file may have stayed
    return True


def _open(root: Path, name: str) -> Lock:
    try:
        return open_lock(root / name)
    except OSError as error:
        raise _refused(root, error) from error


def _refused(root: Path, error: OSError) -> PinciteError:
    if out_of_room(error):
        return DiskFull(
            f"the disk is full: cannot write to {root}; the index is intact",
            hint="make room on that disk, then run the same command again",
        )
    return IndexUnavailable(
        f"cannot write to the index {root}: {error.strerror}",
        hint="an index must be in a folder that you can write to: see PINCITE_INDEX",
    )


def _say(root: Path, lock: Lock, holder: Holder) -> None:
    try:
        os.ftruncate(lock.file, 0)
        say_in(lock, msgspec.json.encode(holder))
    except OSError as error:
        raise _refused(root, error) from error


def _holder(lock: Lock) -> Holder | None:
    """Return the description that the process with the lock has written; None if it has not written
    it yet, or has just died."""
    try:
        holder = msgspec.json.decode(said_in(lock), type=ready(Holder))
    except msgspec.DecodeError:
        return None
    return holder if is_alive(holder.pid) else None
