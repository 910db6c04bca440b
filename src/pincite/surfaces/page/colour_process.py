"""Run the process `colour_child`: start it, send it texts, and kill it if one takes too long."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec

from pincite.support.decodable import ready
from pincite.support.processes.environment import without_secrets

T = TypeVar("T")
_MOST_ANSWER = 64 * 1024 * 1024  # bytes


@dataclass(slots=True)
class ColourProcess:
    """A process that is started for the first text. Hold `turn` while `ask` runs."""

    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    _child: asyncio.subprocess.Process | None = None

    async def ask(
        self, asked: Mapping[str, Any], kind: type[T], start_s: float, patience_s: float
    ) -> T | None:
        """Return the answer to one request. None if the process takes longer than `start_s` to
        start or `patience_s` to answer, or if it fails; then it is killed."""
        try:
            async with asyncio.timeout(start_s):
                child = await self._started()
            async with asyncio.timeout(patience_s):
                return await _answer(child, asked, kind)
        except (TimeoutError, OSError, ValueError, msgspec.MsgspecError):
            await self._end()
            return None
        except asyncio.CancelledError:
            await self._end()
            raise

    async def close(self) -> None:
        """End the process after its current text."""
        async with self.turn:
            await self._end()

    async def _started(self) -> asyncio.subprocess.Process:
        if self._child is None:
            self._child = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-X", "utf8", "-m", "pincite.surfaces.page.colour_child"),
                env=without_secrets(os.environ),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                limit=_MOST_ANSWER,
            )
            assert self._child.stdout is not None
            await self._child.stdout.readline()  # it has started
        return self._child

    async def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None and child.returncode is None:
            child.kill()
            await child.wait()


async def _answer(child: asyncio.subprocess.Process, asked: Mapping[str, Any], kind: type[T]) -> T:
    assert child.stdin is not None
    assert child.stdout is not None
    child.stdin.write(json.dumps(asked).encode() + b"\n")
    await child.stdin.drain()
    return msgspec.json.decode(await child.stdout.readline(), type=ready(kind))
