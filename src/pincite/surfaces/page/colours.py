"""Syntax colours as pieces of lines, from a process that is ended when it takes too long."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Sequence

import msgspec

from pincite.support.environment import without_secrets

Line = Sequence[tuple[str, str]]
_PATIENCE_S = 2.0  # of a text; guess, unmeasured
_START_S = 10.0  # more for the first one, whose process has to begin
_MOST_CHARS = 300_000  # of a text that is coloured; guess, unmeasured
_MOST_ANSWER = 64 * 1024 * 1024  # bytes


class Colours:
    """Colours one text at a time. What cannot be coloured in time comes back in one colour."""

    def __init__(self, patience_s: float = _PATIENCE_S, start_s: float = _START_S) -> None:
        self._patience_s = patience_s
        self._start_s = start_s
        self._child: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()

    async def lines(self, language: str, path: str, text: str) -> Sequence[Line]:
        """The lines of the text as (class, piece); their pieces are the line, character by
        character."""
        plain = [[("", line)] if line else [] for line in text.split("\n")]
        if len(text) > _MOST_CHARS:
            return plain
        async with self._turn:
            try:
                patience_s = self._patience_s + (self._start_s if self._child is None else 0)
                async with asyncio.timeout(patience_s):
                    found = await self._ask(language, path, text)
            except (TimeoutError, OSError, ValueError, msgspec.MsgspecError):
                await self._end()
                return plain
            except asyncio.CancelledError:
                await self._end()
                raise
        if ["".join(piece for _, piece in line) for line in found] != text.split("\n"):
            return plain  # a lexer that changes its text, whose lines cannot be trusted
        return found

    async def close(self) -> None:
        """End the process."""
        async with self._turn:
            await self._end()

    async def _ask(self, language: str, path: str, text: str) -> Sequence[Line]:
        if self._child is None:
            self._child = await asyncio.create_subprocess_exec(
                *(sys.executable, "-P", "-m", "pincite.surfaces.page.colour_child"),
                env=without_secrets(os.environ),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                limit=_MOST_ANSWER,
            )
        child = self._child
        assert child.stdin is not None
        assert child.stdout is not None
        asked = {"language": language, "path": path, "text": text}
        child.stdin.write(json.dumps(asked).encode() + b"\n")
        await child.stdin.drain()
        answer = await child.stdout.readline()
        return msgspec.json.decode(answer, type=list[list[tuple[str, str]]])

    async def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None and child.returncode is None:
            child.kill()
            await child.wait()
