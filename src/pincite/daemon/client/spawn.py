"""Find or start the daemon of an index, also from many clients at once."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pincite.daemon.client.background import Started, launch, open_log
from pincite.daemon.client.standby import dismiss, told
from pincite.daemon.server.read_only import workplace
from pincite.daemon.wire import protocol
from pincite.daemon.wire.loopback import Stream as Stream
from pincite.daemon.wire.transport import StrangerError, dial
from pincite.errors import IndexNotFound, IndexUnavailable, PinciteError
from pincite.index.folder import require_own
from pincite.settings.index_folder import is_inner_worktree
from pincite.support.databases.private_file import read_private
from pincite.support.processes.locks import Lock, is_held, open_lock

_START_S = 60.0  # loading a shard of a million chunks takes 2 s
_POLL_S = 0.01
_STARTS = 4  # tries with daemons that were killed before their first line


class _Died(IndexUnavailable):
    """The daemon was killed while it started, before it reported a line."""


def missing(root: Path) -> IndexNotFound:
    """Return the error for an index folder that does not exist."""
    said, hint = f"no index exists at {root}", "pincite index PATH"
    above = (root.parent, *root.parent.parents)
    worktree = next((one for one in above if is_inner_worktree(str(one))), None)
    if worktree is not None:
        said += f"; {worktree} is a git worktree, and an index above it has files of another branch"
        hint = f"in {worktree}: pincite index ."
    return IndexNotFound(said, hint=hint)


async def connect(root: Path) -> Stream | None:
    """Return a connection to the daemon of `root`, None if there is none. Raises IndexUnavailable,
    also if a process of another user answers or the folder is not ours."""
    require_own(root)
    stream = await _connect_in(root, root)
    if stream is None and (place := workplace(root)) != root:
        return await _connect_in(place, root)
    return stream


async def _connect_in(place: Path, root: Path) -> Stream | None:
    try:
        return await dial(place)
    except StrangerError as error:
        raise IndexUnavailable(
            f"a process of another user answers at {place}",
            hint=f"check who can write to that folder: ls -ld {place}",
        ) from error
    except (FileNotFoundError, ConnectionRefusedError, ConnectionResetError):
        return None
    except OSError as error:
        raise IndexUnavailable(
            f"the daemon of {root} cannot be reached: {error}",
            hint="use an index folder of your own: see PINCITE_INDEX",
        ) from error


async def connect_or_start(root: Path, models: Path, idle_s: float) -> Stream:
    """Return a connection to the daemon of `root`, and start it if there is none. If several
    clients do this at once, one starts it and the others wait. Raises the error that prevented the
    start."""
    stream = await connect(root) or await _connect_new(root, models, idle_s)
    dismiss()
    return stream


async def _connect_new(root: Path, models: Path, idle_s: float) -> Stream:
    from pincite.daemon.host_mark import require_here  # not needed if a daemon runs

    await require_here(root)
    try:
        with _only_one(root) as lock:
            async with asyncio.timeout(_START_S):
                while not lock.take():  # noqa: ASYNC110 - the one who has it is another process
                    await asyncio.sleep(_POLL_S)
                return await _start(root, models, idle_s)
    except TimeoutError as error:
        raise IndexUnavailable(
            f"the daemon of {root} has not started within {_START_S:g} s",
            hint=f"read the log {workplace(root) / protocol.LOG}{_who(root)}",
        ) from error


async def _start(root: Path, models: Path, idle_s: float) -> Stream:
    died = 0
    while True:
        stream = await connect(root)
        if stream is not None:
            return stream
        if not owned(root):
            error = await _spawn(root, models, idle_s)
            if error is None and (stream := await connect(root)) is not None:
                return stream
            died += isinstance(error, _Died)
            if error is not None and (not isinstance(error, _Died) or died == _STARTS):
                raise error
        await asyncio.sleep(_POLL_S)  # its predecessor is still closing, or it has ended again


@contextmanager
def _only_one(root: Path) -> Iterator[Lock]:
    try:
        lock = open_lock(workplace(root) / "start.lock")
    except FileNotFoundError as error:
        raise missing(root) from error
    except OSError as error:
        raise IndexUnavailable(
            f"the index {root} cannot be used: {error}",
            hint="an index must be on a disk that you can write to: see PINCITE_INDEX",
        ) from error
    try:
        yield lock
    finally:
        lock.close()


def owned(root: Path) -> bool:
    """Return whether a process holds the index, even if it does not answer."""
    try:
        return is_held(workplace(root) / protocol.LOCK)
    except OSError:  # the daemon will report the cause
        return False


def daemon_pid(root: Path) -> int | None:
    """Return the process that holds the index, even if it does not answer."""
    try:
        return int(read_private(workplace(root) / protocol.LOCK)) if owned(root) else None
    except (OSError, ValueError):
        return None


async def wait_for_end(root: Path, pid: int | None) -> None:
    """Wait until this process has released the index."""
    while pid is not None and daemon_pid(root) == pid:  # noqa: ASYNC110 - in another process
        await asyncio.sleep(_POLL_S)


def _who(root: Path) -> str:
    """Return the process to end, for a hint."""
    pid = daemon_pid(root)
    return "" if pid is None else f", then: kill -9 {pid}"


def hung(root: Path, what: str, seconds: float) -> IndexUnavailable:
    """Return the error for a daemon that does not answer."""
    return IndexUnavailable(
        f"the daemon of {root} did not answer {what!r} within {seconds:g} s",
        hint=f"read the log {workplace(root) / protocol.LOG}{_who(root)}",
    )


async def _spawn(root: Path, models: Path, idle_s: float) -> PinciteError | None:
    """Start a process and wait for its report. Return None if clients may connect, or if another
    process was first; else the error."""
    started = _launch(root, models, idle_s)
    try:
        line = await started.read_line()
    finally:
        started.close()
    answer = json.loads(line) if line.endswith(b"\n") else {"error": None}
    if "error" not in answer:
        return None
    if answer["error"] is not None:
        return protocol.revive_error(*answer["error"])
    return _Died(
        f"the daemon of {root} did not start",
        hint=f"read the end of the log {workplace(root) / protocol.LOG}",
    )


def _launch(root: Path, models: Path, idle_s: float) -> Started:
    log = workplace(root) / protocol.LOG
    daemon = ("-P", "-X", "utf8", "-m", "pincite.daemon", str(root), str(models), str(idle_s))
    try:
        os.close(open_log(log))
        started = told(root, models, idle_s)
        return started or launch((sys.executable, *daemon), os.environ, log)  # passed on, not read
    except OSError as error:
        raise IndexUnavailable(
            f"the daemon of {root} cannot start with its log {log}: {error.strerror}",
            hint=f"check the log file: ls -ld {log}",
        ) from error
