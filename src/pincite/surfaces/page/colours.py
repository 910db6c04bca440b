"""Syntax colours as pieces of lines, and Markdown as a tree, from processes that are killed if they
take too long."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import msgspec

from pincite.support.concurrency import OnePerName
from pincite.surfaces.page.colour_process import ColourProcess

Line = Sequence[tuple[str, str]]
T = TypeVar("T")
_PATIENCE_S = 2.0  # for one text; guess, unmeasured
_START_S = 10.0  # for the start of a process
_TURN_S = 5.0  # the longest wait for other texts; guess, unmeasured
_LATE_S = 60.0  # how long a user uses the slow process after a text took too long; guess
_MOST_CHARS = 300_000  # of a coloured text; guess, unmeasured


class Rendered(msgspec.Struct, frozen=True):
    """Markdown as the tree of `readers.markdown_tree`. `cut` says that it is incomplete."""

    nodes: list[Any]
    marked: bool
    cut: bool


class Busy(Exception):
    """Other texts took so long that this one was not processed."""


@dataclass(frozen=True, slots=True, eq=False)
class Colours:
    """Colours texts and parses Markdown for all users of a server, one text of each user at a time.
    After a text that took too long, its user uses the slow process for `late_s` seconds, so that
    others do not wait for more such texts."""

    patience_s: float = _PATIENCE_S
    start_s: float = _START_S
    turn_s: float = _TURN_S
    late_s: float = _LATE_S
    _quick: ColourProcess = field(default_factory=ColourProcess, init=False)
    _slow: ColourProcess = field(default_factory=ColourProcess, init=False)
    _turns: OnePerName = field(default_factory=OnePerName, init=False)
    _late: dict[str, float] = field(default_factory=dict, init=False)  # until when, by user

    def of(self, user: str) -> UsersColours:
        """Return the colours for one user."""
        return UsersColours(self, user)

    async def close(self) -> None:
        """End the processes."""
        await self._quick.close()
        await self._slow.close()

    async def ask(self, user: str, asked: Mapping[str, Any], kind: type[T]) -> T | None:
        """Return the answer of a process; None if it takes too long or fails. Raises Busy."""
        try:
            async with asyncio.timeout(self.turn_s) as wait, self._turns.of(user):
                process = self._process_of(user)
                async with process.turn:
                    wait.reschedule(None)
                    found = await process.ask(asked, kind, self.start_s, self.patience_s)
        except TimeoutError:
            raise Busy from None
        if found is None:
            self._late[user] = asyncio.get_running_loop().time() + self.late_s
        return found

    def _process_of(self, user: str) -> ColourProcess:
        now = asyncio.get_running_loop().time()
        for other in [one for one, until in self._late.items() if until <= now]:
            del self._late[other]
        return self._slow if user in self._late else self._quick


@dataclass(frozen=True, slots=True)
class UsersColours:
    """The colours for one user of a server."""

    colours: Colours
    user: str

    async def lines(self, language: str, path: str, text: str) -> Sequence[Line]:
        """Return the lines of a text as pieces (class, text), which join to the exact line. A text
        that is too long, or takes too long, has no colours."""
        plain = [[("", line)] if line else [] for line in text.split("\n")]
        if len(text) > _MOST_CHARS:
            return plain
        asked = {"language": language, "path": path, "text": text}
        try:
            found = await self.colours.ask(self.user, asked, list[list[tuple[str, str]]])
        except Busy:
            return plain
        if found is None:
            return plain
        if ["".join(piece for _, piece in line) for line in found] != text.split("\n"):
            return plain  # the lexer changed the text, so its lines are unreliable
        return found

    async def markdown(
        self, text: str, window: tuple[int, int], cited: tuple[int, int]
    ) -> Rendered | None:
        """Return the blocks of Markdown that overlap the window (first line from 0, end exclusive),
        with the cited lines marked and their code coloured, or without colours if those take too
        long. None if that takes too long as well, or if no cited line is visible in it: then only
        its source shows the cited lines."""
        if len(text) > _MOST_CHARS:
            return None
        asked = {"text": text, "window": window, "cited": cited}
        try:
            found = await self.colours.ask(self.user, asked | {"coloured": True}, Rendered)
            if found is None:  # colouring its code may take too long
                found = await self.colours.ask(self.user, asked | {"coloured": False}, Rendered)
        except Busy:
            return None
        return found if found is not None and found.marked else None
