"""Limits of time and size for clients of the HTTP server.

The protocol library answers a request when its tool is done, and the HTTP server waits until each
request has arrived completely. Neither gives up on a client that never finishes a request or never
reads its answer; this module does.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any, cast

import msgspec
from uvicorn.protocols.http.h11_impl import H11Protocol

from pincite.support.decodable import ready
from pincite.support.processes.process_limits import most_files
from pincite.surfaces.web.refusing import ambiguity, refuse

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

#: Connections that asyncio accepts at once. If the process cannot open more files, asyncio logs an
#: error for each of them, once a second; the default of uvicorn is 2,048.
BACKLOG = 64
#: Unsent bytes that the operating system buffers. By default it buffers megabytes, and does not
#: show that the client reads until a third of them is sent.
_UNSENT = 131_072  # guess, unmeasured
_LAST_EVENT = b"last-event-id"
_SESSION = b"mcp-session-id"
_INVALID_REQUEST = -32600  # of JSON-RPC


@dataclass(frozen=True, slots=True)
class HttpLimits:
    """Limits in seconds, bytes and connections.

    `head_s` is for the head of a request: a few hundred bytes, one packet. `body_s` is for its
    body: 4 MiB take 30 s at 1.2 Mbit/s. `stalled_s` is how long a client may read nothing of an
    answer. `body_bytes` is ample: the largest arguments that tools accept have 200,000 characters,
    less than 1 MB. At most `connections`, and at most half of the files that this process may open,
    are open at once. One more closes the connection that has waited longest for a request. All
    values are unmeasured guesses on the safe side.
    """

    head_s: float = 10.0
    body_s: float = 30.0
    stalled_s: float = 30.0
    body_bytes: int = 4 * 1024 * 1024
    connections: int = 512


class _Call(msgspec.Struct, frozen=True):
    """The fields of a request that are read here; the protocol library answers it."""

    id: str | int
    method: str


class Limited:
    """An ASGI application that reads the whole request before `app` does. It answers 408 if that
    takes too long, 413 if the request is too large, and 400 if its headers are ambiguous. It also
    answers 400 to a request that has the id of an unanswered request of the same session, because
    the library would answer only one of them."""

    def __init__(self, app: App, limits: HttpLimits) -> None:
        self._app = app
        self._limits = limits
        self._unanswered: set[tuple[bytes, str]] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "http" and (said := ambiguity(scope["headers"])):
            await _refuse(send, 400, said)
            return
        if scope["type"] != "http" or scope["method"] != "POST":
            if scope["type"] == "http":  # no events are stored: the library would not answer this
                heads = [one for one in scope["headers"] if one[0] != _LAST_EVENT]
                scope = {**scope, "headers": heads}
            await self._app(scope, receive, send)
            return
        limits = self._limits
        try:
            async with asyncio.timeout(limits.body_s):
                body = await self._read(receive)
        except TimeoutError:
            said = f"the request was not complete after {limits.body_s:g} s"
            await _refuse(send, 408, said)
            return
        if body is None:
            return  # the client has disconnected
        if len(body) > limits.body_bytes:
            await _refuse(send, 413, f"a request can have at most {limits.body_bytes:,} bytes")
            return
        key = _key(scope, body)
        if key in self._unanswered:
            await _refuse(send, 400, f"the id {key[1]} belongs to a request that is still running")
            return
        if key is not None:
            self._unanswered.add(key)
        try:
            await self._app(scope, _replayed(body, receive), send)
        finally:
            if key is not None:
                self._unanswered.remove(key)

    async def _read(self, receive: Receive) -> bytes | None:
        """Return the body, or None if the client disconnected. Reading stops after the first chunk
        that exceeds the limit."""
        body = bytearray()
        while len(body) <= self._limits.body_bytes:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            body += message.get("body", b"")
            if not message.get("more_body", False):
                break
        return bytes(body)


def _key(scope: Scope, body: bytes) -> tuple[bytes, str] | None:
    """Return the session and the id of a request, which is how the library tells requests apart;
    None for anything else."""
    session = next((value for name, value in scope["headers"] if name == _SESSION), None)
    if session is None:
        return None
    try:
        call = msgspec.json.decode(body, type=ready(_Call))
    except (msgspec.DecodeError, RecursionError):  # the library reports it
        return None
    return session, str(call.id)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that returns the body first, then the messages of the given `receive`."""
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


async def _refuse(send: Send, status: int, message: str) -> None:
    error = {"code": _INVALID_REQUEST, "message": message}
    await refuse(send, status, {"jsonrpc": "2.0", "id": None, "error": error})


def limited_protocol(limits: HttpLimits) -> type[H11Protocol]:
    """Return an HTTP/1.1 protocol that closes a connection if the head of its next request is not
    complete after `head_s`, or if its client reads nothing of an answer for `stalled_s`. If there
    are too many connections, it closes the one that has waited longest for a request."""
    most = min(limits.connections, most_files() // 2)
    idle: dict[H11Protocol, None] = {}

    class LimitedProtocol(H11Protocol):
        def __init__(self, *args: Any, **others: Any) -> None:
            super().__init__(*args, **others)
            self._head, self._reader = _Deadline(self.loop), _Deadline(self.loop)

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            self._answers = _Counted(transport)
            super().connection_made(cast("asyncio.Transport", self._answers))
            if len(self.connections) > most:
                oldest = next(iter(idle), self)
                idle.pop(oldest, None)
                oldest.transport.abort()
            self._watch_head()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._watch_head()

        def on_response_complete(self) -> None:
            super().on_response_complete()
            self._watch_head()
            self._watch_reader()

        def pause_writing(self) -> None:
            super().pause_writing()
            self._watch_reader()

        def connection_lost(self, exc: Exception | None) -> None:
            self._head.stop()
            self._reader.stop()
            idle.pop(self, None)
            super().connection_lost(exc)

        def send_400_response(self, msg: str) -> None:
            """Refuse invalid bytes. A request that is still being answered is ended first: its
            answer would follow this one, and the HTTP library would report that as a fault of the
            application."""
            if self.cycle is not None and not self.cycle.response_complete:
                self.cycle.disconnected = True
                self.cycle.message_event.set()
                if self.cycle.response_started:
                    self.transport.abort()
                    return
            super().send_400_response(msg)

        def _watch_head(self) -> None:
            if self.cycle is not None and not self.cycle.response_complete:
                self._head.stop()
                idle.pop(self, None)
            else:
                idle.setdefault(self)
                self._head.start(limits.head_s, self.transport.abort)

        def _watch_reader(self) -> None:
            if self.transport.get_write_buffer_size():
                self._reader.start(limits.stalled_s, self._check_reader, self._answers.sent)

        def _check_reader(self, before: int) -> None:
            """End the connection if the client has read nothing; otherwise check again later."""
            self._reader.stop()
            if self.transport.get_write_buffer_size() and self._answers.sent <= before:
                self.transport.abort()
            else:
                self._watch_reader()

    return LimitedProtocol


class _Counted:
    """A transport that counts its bytes. The size of its buffer does not show whether a client
    reads, because a long answer fills it again and again."""

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._written = 0
        given = transport.get_extra_info("socket")
        if given is not None and hasattr(socket, "TCP_NOTSENT_LOWAT"):
            given.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, _UNSENT)

    @property
    def sent(self) -> int:
        """Return the number of bytes that have left the buffer."""
        return self._written - self._transport.get_write_buffer_size()

    def write(self, data: bytes) -> None:
        """Write and count."""
        self._written += len(data)
        self._transport.write(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class _Deadline:
    """A timer with at most one pending call."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._timer: asyncio.TimerHandle | None = None

    def start(self, after_s: float, then: Callable[..., None], *values: Any) -> None:
        if self._timer is None:
            self._timer = self._loop.call_later(after_s, then, *values)

    def stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
