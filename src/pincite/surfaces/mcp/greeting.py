"""The first answer over stdin and stdout, before the protocol library is there.

Importing the library takes .45 s of processor time, which a client waits for before it shows its
tools. `initialize` needs none of it: the answer says who we are and what is indexed. The library
is imported behind it, gets the same request, and what it answers to that is dropped.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from io import TextIOWrapper
from typing import Any, BinaryIO, Final

import msgspec

from pincite.collection.members import by_base
from pincite.engine import AsyncPincite
from pincite.errors import PinciteError
from pincite.model import Attributes
from pincite.surfaces.mcp import texts
from pincite.version import VERSION

log = logging.getLogger(__name__)
NAME: Final = "pincite"
TITLE: Final = "Pincite"
DESCRIPTION: Final = "Evidence that can be cited, from documentation and code."
#: Those of the handshake; the last is offered to a client that asks for another.
VERSIONS: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
#: A longer first message is for the library to judge.
_MOST_BYTES: Final = 65_536
#: A client that waits longer for its first answer may give up: then it is told less.
_GREETING_S: Final = 5.0


class _Client(msgspec.Struct, frozen=True):
    name: str
    version: str


class _Params(msgspec.Struct, frozen=True, rename="camel"):
    protocol_version: str
    capabilities: dict[str, Any]
    client_info: _Client


class _Initialize(msgspec.Struct, frozen=True):
    """All that must be right for us to answer; anything else is for the library."""

    jsonrpc: str
    id: int | str
    method: str
    params: _Params


@dataclass(frozen=True, slots=True)
class Wire:
    """The streams of the client. Whatever else reads or writes on stdin and stdout misses them."""

    requests: BinaryIO
    answers: BinaryIO


async def instructions_of(engine: AsyncPincite, tags: Attributes) -> str:
    """What a client is told of us and of the index when it connects."""
    try:
        async with asyncio.timeout(_GREETING_S):
            return texts.instructions(by_base(await engine.collections()), bound=tags)
    except TimeoutError:
        return texts.instructions((), "the index is still being opened; try again in a moment.")
    except PinciteError as error:
        return texts.instructions((), str(error))


async def warm(engine: AsyncPincite) -> None:
    """Get ready for the first search; what stands in its way is for that search to say."""
    try:
        await engine.warm()
    except PinciteError as error:
        log.info("not warm: %s", error)


def claim_wire() -> Wire:
    """Take the streams: stdin is then empty, and stdout is stderr."""
    sys.stdout.flush()
    wire = Wire(
        os.fdopen(os.dup(0), "rb", closefd=False), os.fdopen(os.dup(1), "wb", closefd=False)
    )
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    os.dup2(2, 1)
    return wire


def initialize_of(line: bytes) -> _Initialize | None:
    """The request, if it is one that we may answer."""
    if len(line) > _MOST_BYTES:
        return None
    try:
        found = msgspec.json.decode(line, type=_Initialize)
    except (msgspec.DecodeError, RecursionError):
        return None
    return found if (found.jsonrpc, found.method) == ("2.0", "initialize") else None


def greeting(asked: _Initialize, instructions: str) -> bytes:
    """Our answer: the same that the library gives."""
    wanted = asked.params.protocol_version
    result = {
        "capabilities": {"tools": {"listChanged": False}},
        "protocolVersion": wanted if wanted in VERSIONS else VERSIONS[-1],
        "serverInfo": {
            "description": DESCRIPTION,
            "name": NAME,
            "title": TITLE,
            "version": VERSION,
        },
        "instructions": instructions,
    }
    return msgspec.json.encode({"jsonrpc": "2.0", "id": asked.id, "result": result}) + b"\n"


@dataclass(slots=True)
class Requests:
    """Lines of the client for the library: the first, which was read already, then the others."""

    wire: Wire
    first: bytes

    async def __aiter__(self) -> AsyncIterator[str]:
        import anyio

        if self.first:
            yield self.first.decode("utf-8", "replace")
        text = TextIOWrapper(self.wire.requests, encoding="utf-8", errors="replace")
        async for line in anyio.wrap_file(text):
            yield line


@dataclass(slots=True)
class Answers:
    """Lines of the library for the client, without its answer to what we have answered."""

    wire: Wire
    answered: int | str | None
    _text: list[str] = field(default_factory=list)

    async def write(self, line: str) -> int:
        """Keep the line, unless it is that answer."""
        if self.answered is not None and _id_of(line) == self.answered:
            self.answered = None
        else:
            self._text.append(line)
        return len(line)

    async def flush(self) -> None:
        """Send what was kept."""
        import anyio.to_thread

        said, self._text = "".join(self._text).encode("utf-8"), []
        await anyio.to_thread.run_sync(self._send, said)

    def _send(self, said: bytes) -> None:
        self.wire.answers.write(said)
        self.wire.answers.flush()


class _Answer(msgspec.Struct, frozen=True):
    """An answer has an id and no method."""

    id: int | str | None = None
    method: str | None = None


def _id_of(line: str) -> int | str | None:
    found = msgspec.json.decode(line, type=_Answer)
    return found.id if found.method is None else None
