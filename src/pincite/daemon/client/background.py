"""Start a process that outlives its parent and reports one line to it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from pincite.support.capabilities import FORK, NO_FOLLOW
from pincite.support.databases.private_file import open_private

_APPEND = os.O_WRONLY | os.O_CREAT | os.O_APPEND | NO_FOLLOW
_OWN = 0o600


def launch(command: Sequence[str], environ: Mapping[str, str], log: Path) -> Started:
    """Start a process with its stderr in `log`, a pipe as its output and no other descriptors of
    ours. Where processes can fork, it detaches itself and is not our child. Raises OSError."""
    return _Forking(command, environ, log) if FORK else _Child(command, environ, log)


def launch_waiting(command: Sequence[str], environ: Mapping[str, str]) -> WaitingProcess | None:
    """Start a process that waits for a line on its input, and whose stderr is discarded until then.
    Return None where processes cannot fork. Raises OSError."""
    return WaitingProcess(command, environ) if FORK else None


def open_log(log: Path) -> int:
    """Return a descriptor that appends to a log of this user alone. Raises OSError."""
    return open_private(log, _APPEND)


class Started:
    """A started process that reports one line."""

    async def read_line(self) -> bytes:
        """Return the output up to the newline or the end."""
        raise NotImplementedError

    def close(self) -> None:
        """Close the pipe. The process continues."""
        raise NotImplementedError


class _Forking(Started):
    def __init__(self, command: Sequence[str], environ: Mapping[str, str], log: Path) -> None:
        self._start(
            command,
            environ,
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 2, str(log), _APPEND, _OWN),
        )

    def _start(
        self, command: Sequence[str], environ: Mapping[str, str], *files: tuple[object, ...]
    ) -> None:
        self._pipe, writing = os.pipe()
        try:
            self._pid = os.posix_spawn(
                command[0],
                list(command),
                environ,
                file_actions=[*files, (os.POSIX_SPAWN_DUP2, writing, 1)],
            )
        except BaseException:
            os.close(self._pipe)
            raise
        finally:
            os.close(writing)

    async def read_line(self) -> bytes:
        """Return the line. Waits without a thread, because a thread cannot be cancelled."""
        import asyncio  # late, as elsewhere here: a process may be launched before anything else

        loop = asyncio.get_running_loop()
        line = b""
        while not line.endswith(b"\n"):
            readable = asyncio.Event()
            loop.add_reader(self._pipe, readable.set)
            try:
                await readable.wait()
            finally:
                loop.remove_reader(self._pipe)
            part = os.read(self._pipe, 65_536)
            if not part:
                break
            line += part
        return line

    def close(self) -> None:
        os.close(self._pipe)
        with suppress(ChildProcessError):  # it detached long ago
            os.waitpid(self._pid, 0)


class WaitingProcess(_Forking):
    """A started process that waits for one line first."""

    def __init__(self, command: Sequence[str], environ: Mapping[str, str]) -> None:
        reading, self._telling = os.pipe()
        try:
            self._start(
                command,
                environ,
                (os.POSIX_SPAWN_DUP2, reading, 0),
                (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
            )
        except BaseException:
            os.close(self._telling)
            raise
        finally:
            os.close(reading)

    def tell(self, line: bytes) -> None:
        """Send the line to the process. Raises OSError if it has ended."""
        try:
            os.write(self._telling, line)
        finally:
            self._tell_no_more()

    def close(self) -> None:
        """See `Started.close`. A process that received no line ends by itself, without being waited
        for."""
        flags = os.WNOHANG if self._telling >= 0 else 0
        self._tell_no_more()
        os.close(self._pipe)
        with suppress(ChildProcessError):
            os.waitpid(self._pid, flags)

    def _tell_no_more(self) -> None:
        if self._telling >= 0:
            os.close(self._telling)
            self._telling = -1


class _Child(Started):
    """A process that remains our child, in a group of its own; a thread waits for its end."""

    def __init__(self, command: Sequence[str], environ: Mapping[str, str], log: Path) -> None:
        import subprocess

        hidden = getattr(subprocess, "CREATE_NO_WINDOW", 0)
        alone = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
        with os.fdopen(open_log(log), "wb") as noise:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=noise,
                env=dict(environ),
                creationflags=hidden | alone,
                start_new_session=True,
            )

    async def read_line(self) -> bytes:
        """Return the line. A thread waits, because not every event loop can wait for a pipe."""
        import asyncio
        import threading

        loop = asyncio.get_running_loop()
        line: asyncio.Future[bytes] = loop.create_future()
        pipe = self._process.stdout
        assert pipe is not None

        def told(said: bytes) -> None:
            if not line.done():
                line.set_result(said)

        def wait() -> None:
            with pipe:
                said = pipe.readline()
            with suppress(RuntimeError):  # the loop has ended in the meantime
                loop.call_soon_threadsafe(told, said)
            self._process.wait()

        threading.Thread(target=wait, name="pincite-start", daemon=True).start()
        return await line

    def close(self) -> None:
        """Do nothing: the thread closes the pipe."""
