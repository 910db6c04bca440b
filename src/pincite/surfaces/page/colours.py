"""Syntax colours as pieces of lines, and Markdown as a tree, from a process that is killed if it
takes too long."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from pincite.support.environment import without_secrets

Line = Sequence[tuple[str, str]]
T = TypeVar("T")
_PATIENCE_S = 2.0  # for one text; guess, unmeasured
_START_S = 10.0  # extra time for the first text, whose process has to start
_TURN_S = 5.0  # the longest wait for other texts; guess, unmeasured
_MOST_CHARS = 300_000  # of a coloured text; guess, unmeasured
_MOST_ANSWER = 64 * 1024 * 1024  # bytes


class Rendered(msgspec.Struct, frozen=True):
    """Markdown as the tree of `readers.markdown_tree`. `cut` says that it is incomplete."""

    nodes: list[Any]
    marked: bool
    cut: bool


class Colours:
    """Colour one text at a time. A text that takes too long is returned in one colour."""

    def __init__(
        self,
        patience_s: float = _PATIENCE_S,
        start_s: float = _START_S,
        turn_s: float = _TURN_S,
    ) -> None:
        """Set the seconds for a text, the extra seconds for the first one, and the wait for its
        turn."""
        self._patience_s = patience_s
        self._start_s = start_s
        self._turn_s = turn_s
        self._child: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()

    async def lines(self, language: str, path: str, text: str) -> Sequence[Line]:
        """Return the lines of the text as (class, piece); the pieces join to the exact line."""
        plain = [[("", line)] if line else [] for line in text.split("\n")]
        if len(text) > _MOST_CHARS:
            return plain
        asked = {"language": language, "path": path, "text": text}
        found = await self._in_time(asked, list[list[tuple[str, str]]])
        if found is None:
            return plain
        if ["".join(piece for _, piece in line) for line in found] != text.split("\n"):
            return plain  # the lexer changed the text, so its lines are unreliable
        return found

    async def markdown(
        self, text: str, window: tuple[int, int], cited: tuple[int, int]
    ) -> Rendered | None:
        """Return the blocks of Markdown that overlap the window (first line from 0, end exclusive),
        with the cited lines marked. None if it takes too long, or if no cited line is visible in
        it: then only its source shows the cited lines."""
        if len(text) > _MOST_CHARS:
            return None
        found = await self._in_time({"text": text, "window": window, "cited": cited}, Rendered)
        return found if found is not None and found.marked else None

    async def _in_time(self, asked: Mapping[str, Any], kind: type[T]) -> T | None:
        try:
            async with asyncio.timeout(self._turn_s):
                await self._turn.acquire()
        except TimeoutError:  # other texts take long: this one is shown without colours
            return None
        try:
            return await self._in_turn(asked, kind)
        finally:
            self._turn.release()

    async def _in_turn(self, asked: Mapping[str, Any], kind: type[T]) -> T | None:
        try:
            patience_s = self._patience_s + (self._start_s if self._child is None else 0)
            async with asyncio.timeout(patience_s):
                return await self._ask(asked, kind)
        except (TimeoutError, OSError, ValueError, msgspec.MsgspecError):
            await self._end()
            return None
        except asyncio.CancelledError:
            await self._end()
            raise

    async def close(self) -> None:
        """End the process."""
        async with self._turn:
            await self._end()

    async def _ask(self, asked: Mapping[str, Any], kind: type[T]) -> T:
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
        child.stdin.write(json.dumps(asked).encode() + b"\n")
        await child.stdin.drain()
        answer = await child.stdout.readline()
        return msgspec.json.decode(answer, type=kind)

    async def _end(self) -> None:
        child, self._child = self._child, None
        if child is not None and child.returncode is None:
            child.kill()
            await child.wait()
