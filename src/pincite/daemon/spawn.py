"""How the daemon of an index is found or started, by any number of clients at once."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pincite.daemon import protocol
from pincite.daemon.peers import is_ours
from pincite.daemon.read_only import workplace
from pincite.errors import IndexNotFound, IndexUnavailable, PinciteError
from pincite.index.folder import require_own

_START_S = 60.0  # loading a shard of a million chunks takes 2 s
_POLL_S = 0.01
_STARTS = 4  # of daemons that were killed before they had said anything
_BUFFER_BYTES = 1024 * 1024
_APPEND = os.O_WRONLY | os.O_CREAT | os.O_APPEND

Stream = tuple[asyncio.StreamReader, asyncio.StreamWriter]


class _Died(IndexUnavailable):
    """A daemon has ended without a word, as one does that is killed while it starts."""


async def connect(root: Path) -> Stream | None:
    """A connection to the daemon of `root`, None if there is none. Raises IndexUnavailable, also
    where another user's process answers or the folder is not ours."""
    require_own(root)
    stream = await _connect_in(root, root)
    if stream is None and (place := workplace(root)) != root:
        return await _connect_in(place, root)
    return stream


async def _connect_in(place: Path, root: Path) -> Stream | None:
    try:
        with protocol.socket_address(place) as address:
            stream = await asyncio.open_unix_connection(address, limit=_BUFFER_BYTES)
    except (FileNotFoundError, ConnectionRefusedError, ConnectionResetError):
        return None
    except OSError as error:
        raise IndexUnavailable(
            f"the daemon of {root} cannot be reached: {error}",
            hint="use an index folder of your own: see PINCITE_INDEX",
        ) from error
    if not is_ours(stream[1].get_extra_info("socket")):
        stream[1].close()
        raise IndexUnavailable(
            f"a process of another user answers in {place}",
            hint=f"see who may write to that folder: ls -ld {place}",
        )
    return stream


async def connect_or_start(root: Path, models: Path, idle_s: float) -> Stream:
    """A connection to the daemon of `root`, which is started if there is none. Of several clients
    that do this at once, one starts it and the others wait. Raises what kept it from starting."""
    stream = await connect(root)
    if stream is not None:
        return stream
    try:
        with _only_one(root) as lock:
            async with asyncio.timeout(_START_S):
                while not _try(lock):  # noqa: ASYNC110 - the one who has it is another process
                    await asyncio.sleep(_POLL_S)
                return await _start(root, models, idle_s)
    except TimeoutError as error:
        raise IndexUnavailable(
            f"the daemon of {root} has not started within {_START_S:g} s",
            hint=f"look into {workplace(root) / protocol.LOG}{_who(root)}",
        ) from error


async def _start(root: Path, models: Path, idle_s: float) -> Stream:
    died = 0
    while True:
        stream = await connect(root)
        if stream is not None:
            return stream
        if not _owned(root) and (error := await _spawn(root, models, idle_s)) is not None:
            died += isinstance(error, _Died)
            if not isinstance(error, _Died) or died == _STARTS:
                raise error
        await asyncio.sleep(_POLL_S)  # its predecessor is still closing


@contextmanager
def _only_one(root: Path) -> Iterator[int]:
    try:
        lock = os.open(workplace(root) / "start.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except FileNotFoundError as error:
        raise IndexNotFound(f"there is no index at {root}", hint="pincite index PATH") from error
    except OSError as error:
        raise IndexUnavailable(
            f"the index {root} cannot be used: {error}",
            hint="an index must be on a disk that you may write to: see PINCITE_INDEX",
        ) from error
    try:
        yield lock
    finally:
        os.close(lock)


def _try(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _owned(root: Path) -> bool:
    """Does a process hold the index, whether it answers or not?"""
    try:
        lock = os.open(workplace(root) / protocol.LOCK, os.O_RDWR | os.O_CLOEXEC)
    except OSError:  # if it is there, the daemon will say what is wrong with it
        return False
    try:
        return not _try(lock)
    finally:
        os.close(lock)


def daemon_pid(root: Path) -> int | None:
    """The process that holds the index, whether it answers or not."""
    try:
        return int((workplace(root) / protocol.LOCK).read_text()) if _owned(root) else None
    except (OSError, ValueError):
        return None


async def wait_for_end(root: Path, pid: int | None) -> None:
    """Return when this process has let go of the index."""
    while pid is not None and daemon_pid(root) == pid:  # noqa: ASYNC110 - in another process
        await asyncio.sleep(_POLL_S)


def _who(root: Path) -> str:
    """Which process to end, for a hint."""
    pid = daemon_pid(root)
    return "" if pid is None else f", then: kill {pid}"


def hung(root: Path, what: str, seconds: float) -> IndexUnavailable:
    """What to say of a daemon that does not answer."""
    return IndexUnavailable(
        f"the daemon of {root} has not answered {what!r} within {seconds:g} s",
        hint=f"look into {workplace(root) / protocol.LOG}{_who(root)}",
    )


async def _spawn(root: Path, models: Path, idle_s: float) -> PinciteError | None:
    """Start a process and wait for its report. None where clients may connect, or another process
    was first; else why not."""
    pid, pipe = _launch(root, models, idle_s)
    try:
        line = await _read_line(pipe)
    finally:
        os.close(pipe)
        _reap(pid)
    answer = json.loads(line) if line.endswith(b"\n") else {"error": None}
    if "error" not in answer:
        return None
    if answer["error"] is not None:
        return protocol.revive_error(*answer["error"])
    return _Died(
        f"the daemon of {root} did not start",
        hint=f"look at the end of {workplace(root) / protocol.LOG}",
    )


def _launch(root: Path, models: Path, idle_s: float) -> tuple[int, int]:
    """A process, and the pipe on which it reports: the only one of ours that it has."""
    reading, writing = os.pipe()
    log = workplace(root) / protocol.LOG
    try:
        command = (
            sys.executable,
            "-P",
            "-m",
            "pincite.daemon",
            str(root),
            str(models),
            str(idle_s),
        )
        pid = os.posix_spawn(
            sys.executable,
            command,
            os.environ,  # handed on, not read
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_DUP2, writing, 1),
                (os.POSIX_SPAWN_OPEN, 2, str(log), _APPEND, 0o600),
            ],
        )
    except OSError as error:
        os.close(reading)
        raise IndexUnavailable(
            f"the daemon of {root} cannot be started with its log {log}: {error.strerror}",
            hint=f"see what is there: ls -ld {log}",
        ) from error
    finally:
        os.close(writing)
    return pid, reading


def _reap(pid: int) -> None:
    """The process itself left for the background long ago."""
    with suppress(ChildProcessError):
        os.waitpid(pid, 0)


async def _read_line(descriptor: int) -> bytes:
    """Up to the newline or the end. Waits without a thread, which could not be called back."""
    loop = asyncio.get_running_loop()
    line = b""
    while not line.endswith(b"\n"):
        readable = asyncio.Event()
        loop.add_reader(descriptor, readable.set)
        try:
            await readable.wait()
        finally:
            loop.remove_reader(descriptor)
        part = os.read(descriptor, 65_536)
        if not part:
            break
        line += part
    return line
