"""Answer `initialize` on stdin and stdout before the protocol library is imported.

Importing the library takes .45 s of processor time, and a client would wait for it before it shows
the tools. `initialize` does not need the library: the answer contains our name and a summary of the
index. The library is imported afterwards and receives the same request; its answer to it is
dropped.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from io import TextIOWrapper
from typing import Any, BinaryIO, Final

import msgspec

from pincite.collection.members import by_base
from pincite.engine import AsyncPincite
from pincite.errors import PinciteError
from pincite.model import Attributes
from pincite.support.decodable import ready
from pincite.surfaces.mcp import texts
from pincite.surfaces.mcp.lines import mended, refusal
from pincite.version import VERSION

log = logging.getLogger(__name__)
NAME: Final = "pincite"
TITLE: Final = "Pincite"
DESCRIPTION: Final = "Evidence that can be cited, from documentation and code."
#: Protocol versions with this handshake; the last one is offered to a client that asks for another.
VERSIONS: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
#: A longer first message is answered by the library.
_MOST_BYTES: Final = 65_536
#: A client that waits longer for its first answer may give up. After this time the answer is sent
#: without the summary of the index.
_GREETING_S: Final = 5.0
#: The longest wait for answers after stdin has ended. The library drops answers that are not
#: written by then.
_LAST_ANSWERS_S: Final = 10.0


class _Client(msgspec.Struct, frozen=True):
    name: str
    version: str


class _Params(msgspec.Struct, frozen=True, rename="camel"):
    protocol_version: str
    capabilities: dict[str, Any]
    client_info: _Client


class _Initialize(msgspec.Struct, frozen=True):
    """The fields that must be valid for our answer. Any other request is answered by the
    library."""

    jsonrpc: str
    id: int | str
    method: str
    params: _Params


@dataclass(frozen=True, slots=True)
class Wire:
    """The client's streams. Other code that uses stdin or stdout does not reach them."""

    requests: BinaryIO
    answers: BinaryIO

    def send(self, said: bytes) -> None:
        """Send complete lines."""
        self.answers.write(said)
        self.answers.flush()


async def instructions_of(engine: AsyncPincite, tags: Attributes) -> str:
    """Return the description of Pincite and of the index for a client that connects."""
    try:
        async with asyncio.timeout(_GREETING_S):
            return texts.instructions(by_base(await engine.collections()), bound=tags)
    except TimeoutError:
        return texts.instructions((), "the index is still opening; try again in a moment.")
    except PinciteError as error:
        return texts.instructions((), str(error))


async def warm(engine: AsyncPincite) -> None:
    """Prepare for the first search. Errors are only logged; that search reports them."""
    try:
        await engine.warm()
    except PinciteError as error:
        log.info("not warm: %s", error)


def claim_wire() -> Wire:
    """Take over the streams: afterwards stdin of this process is empty, and its stdout goes to
    stderr."""
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
    """Return the request if it is an `initialize` that we can answer, otherwise None."""
    if len(line) > _MOST_BYTES:
        return None
    try:
        found = msgspec.json.decode(line, type=ready(_Initialize))
    except (msgspec.DecodeError, RecursionError):
        return None
    return found if (found.jsonrpc, found.method) == ("2.0", "initialize") else None


def greeting(asked: _Initialize, instructions: str) -> bytes:
    """Return our answer as a line, equal to the library's answer."""
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


class _Message(msgspec.Struct, frozen=True):
    """A message. A request has an id and a method, an answer only an id, and a notification only a
    method."""

    id: int | str | None = None
    method: str | None = None
    params: Any = None


@dataclass(slots=True)
class Unanswered:
    """The client's unanswered requests: id -> their number."""

    waiting: Counter[int | str] = field(default_factory=Counter)
    _none: asyncio.Event = field(default_factory=asyncio.Event)

    def read(self, line: str) -> None:
        """Record a line of the client: a request or a cancellation; other lines are ignored."""
        try:
            found = msgspec.json.decode(line, type=ready(_Message))
        except (msgspec.DecodeError, RecursionError):
            return
        if found.method == "notifications/cancelled" and isinstance(found.params, dict):
            self.answered(found.params.get("requestId"))
        elif found.method is not None and found.id is not None:
            self.waiting[found.id] += 1

    def answered(self, request: Any) -> None:
        """Record that one request with this id was answered or cancelled."""
        if isinstance(request, int | str):
            self.waiting -= Counter([request])
        if not self.waiting:
            self._none.set()

    async def wait(self) -> None:
        """Wait until all requests are answered, up to a limit."""
        self._none.clear()
        if self.waiting:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._none.wait(), _LAST_ANSWERS_S)


@dataclass(slots=True)
class Requests:
    """The client's lines for the library: the first one, which was already read, then the others.
    The iteration ends when stdin has ended and all requests are answered, so that
    `printf ... | pincite mcp` works. Lines that the library would drop are answered here."""

    wire: Wire
    first: bytes
    unanswered: Unanswered

    async def __aiter__(self) -> AsyncIterator[str]:
        import anyio.to_thread

        async for given in self._lines():
            line = mended(given)
            if refused := refusal(line):
                await anyio.to_thread.run_sync(self.wire.send, refused)
                continue
            self.unanswered.read(line)
            yield line
        await self.unanswered.wait()

    async def _lines(self) -> AsyncIterator[str]:
        import anyio

        if self.first:
            yield self.first.decode("utf-8", "replace")
        text = TextIOWrapper(self.wire.requests, encoding="utf-8", errors="replace")
        async for line in anyio.wrap_file(text):
            yield line


@dataclass(slots=True)
class Answers:
    """The library's lines for the client, without its answer to a request that we have already
    answered."""

    wire: Wire
    answered: int | str | None
    unanswered: Unanswered
    _text: list[str] = field(default_factory=list)
    _ids: list[int | str] = field(default_factory=list)

    async def write(self, line: str) -> int:
        """Buffer the line, unless it is the answer to that request."""
        found = _id_of(line)
        if found is not None:
            self._ids.append(found)
        if self.answered is not None and found == self.answered:
            self.answered = None
        else:
            self._text.append(line)
        return len(line)

    async def flush(self) -> None:
        """Send the buffered lines."""
        import anyio.to_thread

        said, self._text = "".join(self._text).encode("utf-8"), []
        ids, self._ids = self._ids, []
        await anyio.to_thread.run_sync(self.wire.send, said)
        for one in ids:
            self.unanswered.answered(one)


def _id_of(line: str) -> int | str | None:
    found = msgspec.json.decode(line, type=ready(_Message))
    return found.id if found.method is None else None
