"""The process that indexes for the daemon. It is started on demand and kept for a while.

Starting Python and importing the modules for indexing take most of a short run. So the process
answers several requests, a line of JSON each, and ends after a minute without one.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from pincite.daemon.refresh.freshness import DONE, RunRequest, SourceReport, Wish
from pincite.support.decodable import ready

_PROGRAM: Final = "pincite.maintenance.refresh"
_LONGEST_LINE: Final = 64 * 1024 * 1024
_STAYS_S: Final = 60.0  # as long as the daemon itself waits before it rests
_PATIENCE_S: Final = 5.0  # seconds until a process that was asked to end is killed
_MOST_RUNS: Final = 200  # of one process, to bound memory leaks of parsers


@dataclass(slots=True)
class _Started:
    process: asyncio.subprocess.Process
    wish: tuple[str, str]  #: the settings file and the folder of models that it was started with
    runs: int = 0

    @property
    def alive(self) -> bool:
        return self.process.returncode is None


class Indexer:
    """At most one process that indexes the index in `root`. It ends after `stays_s` seconds without
    a run."""

    def __init__(self, root: Path, environ: Mapping[str, str], stays_s: float = _STAYS_S) -> None:
        self._root, self._environ, self._stays_s = root, environ, stays_s
        self._started: _Started | None = None
        self._starting = asyncio.Lock()
        self._leaving: asyncio.TimerHandle | None = None
        self._running = 0  # current runs; at 0 the process ends by itself
        self._farewells: set[asyncio.Task[None]] = set()
        self._stops: set[asyncio.Task[bool]] = set()

    async def start(self, wish: Wish) -> None:
        """Start a process ahead of a request. Raises OSError."""
        if not self._running:  # a running process is kept, whatever the new wish
            await self._at_hand(wish)

    async def run(self, asked: RunRequest, wish: Wish) -> AsyncIterator[SourceReport]:
        """Bring sources up to date and yield the lines of the process. If the process dies, the
        last line is a report with `trouble`. Raises OSError, msgspec.MsgspecError."""
        self._running += 1
        self._stay()
        ended, started = False, None
        try:
            started = await self._at_hand(wish)
            line = await _first_line(started, asked)
            if not line and started.runs:  # it has died since the last run
                self._end()
                started = await self._at_hand(wish)
                line = await _first_line(started, asked)
            started.runs += 1
            output = started.process.stdout
            while output and line:
                found = msgspec.json.decode(line, type=ready(SourceReport))
                if found.state == DONE:
                    ended = True
                    break
                yield found
                line = await output.readline()
            if not ended:
                code = await started.process.wait()
                yield SourceReport(
                    "", "", "trouble", trouble=f"the indexing process ended with code {code}"
                )
        finally:
            self._running -= 1
            if not ended or started is None or started.runs >= _MOST_RUNS:
                self._end()
            else:
                self._leave_later()

    def stop(self) -> None:
        """Ask the current run, if any, to stop."""
        if self._running and self._started is not None:
            asking = asyncio.create_task(_ask(self._started, RunRequest(stop=True)))
            self._stops.add(asking)
            asking.add_done_callback(self._stops.discard)

    async def _at_hand(self, wish: Wish) -> _Started:
        async with self._starting:
            known = self._started
            key = (_config_of(wish), wish.models)
            if known is None or not known.alive or known.wish != key:
                self._end()
                known = self._started = _Started(await self._launch(*key), key)
            self._leave_later()
            return known

    async def _launch(self, config: str, models: str) -> asyncio.subprocess.Process:
        environ = {**self._environ, "PINCITE_OFFLINE": "1", "PINCITE_REFRESH": "manual"}
        environ.pop("PINCITE_CONFIG", None)
        if config:
            environ["PINCITE_CONFIG"] = config
        if models:
            environ["PINCITE_MODELS"] = models
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-X", "utf8", "-m", _PROGRAM, str(self._root)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env=environ,
            limit=_LONGEST_LINE,
        )

    def _leave_later(self) -> None:
        """End the process after a while, unless a run is going on."""
        self._stay()
        if not self._running:
            self._leaving = asyncio.get_running_loop().call_later(self._stays_s, self._end)

    def _stay(self) -> None:
        if self._leaving is not None:
            self._leaving.cancel()
            self._leaving = None

    def _end(self) -> None:
        """End the process. A run stops where it is, and the next one continues there."""
        self._stay()
        if self._started is not None and self._started.alive:
            with suppress(ProcessLookupError):
                self._started.process.terminate()
            farewell = asyncio.create_task(see_off(self._started.process))
            self._farewells.add(farewell)
            farewell.add_done_callback(self._farewells.discard)
        self._started = None

    async def close(self) -> None:
        """End the process, and wait until it and its predecessors have ended and their pipes are
        closed."""
        async with self._starting:  # also ends one that is being started
            self._end()
        await asyncio.gather(*self._farewells, *self._stops)


def _config_of(wish: Wish) -> str:
    """Return the settings file of a wish, empty for a found one that no longer exists."""
    return "" if wish.found and not Path(wish.config).is_file() else wish.config


async def see_off(process: asyncio.subprocess.Process, patience_s: float = _PATIENCE_S) -> None:
    """Wait until a process that was asked to end has ended, or kill it; then close its pipes. Takes
    at most twice `patience_s`: children of the process may keep its output open."""
    try:
        async with asyncio.timeout(patience_s):
            await process.wait()
    except TimeoutError:  # the process is in a long call, or suspended
        with suppress(ProcessLookupError):
            process.kill()
    with suppress(TimeoutError):
        async with asyncio.timeout(patience_s):
            await _hang_up(process)


async def _hang_up(process: asyncio.subprocess.Process) -> None:
    await process.wait()
    if process.stdin is not None:
        process.stdin.close()
        with suppress(OSError):
            await process.stdin.wait_closed()
    if process.stdout is not None:
        with suppress(RuntimeError):  # a run reads it, and does so to its end
            await process.stdout.read()


async def _first_line(started: _Started, asked: RunRequest) -> bytes:
    """Send the request and return the first line of the answer, empty if the process has ended."""
    output = started.process.stdout
    if output is None or not await _ask(started, asked):
        return b""
    return await output.readline()


async def _ask(started: _Started, asked: RunRequest) -> bool:
    """Send the request. Return False if the process is known to have ended."""
    stdin = started.process.stdin
    if stdin is None or not started.alive:
        return False
    try:
        stdin.write(msgspec.json.encode(asked) + b"\n")
        await stdin.drain()
    except (BrokenPipeError, ConnectionResetError):
        return False
    return True
