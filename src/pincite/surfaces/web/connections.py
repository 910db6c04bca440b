"""Limit the time and the number of the connections of an HTTP server.

The HTTP library waits until each request has arrived, and until each answer has been read. It never
gives up on a client that does not finish a request or does not read its answer; this module does.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from uvicorn.protocols.http.h11_impl import H11Protocol

from pincite.support.processes.process_limits import most_files

#: Connections that asyncio accepts at once. If the process cannot open more files, asyncio logs an
#: error for each of them, once a second; the default of uvicorn is 2,048.
BACKLOG = 64
#: Unsent bytes that the operating system buffers. By default it buffers megabytes, and does not
#: show that the client reads until a third of them is sent.
_UNSENT = 131_072  # guess, unmeasured
#: A client that has connected and sent no request for this long does not need its connection now.
_IDLE_S = 1.0  # guess, unmeasured: a head is one packet


@dataclass(frozen=True, slots=True)
class HttpLimits:
    """Limits in seconds, bytes, connections and sessions.

    `head_s` is for the head of a request: a few hundred bytes, one packet. `body_s` is for its
    body: 4 MiB take 30 s at 1.2 Mbit/s. `stalled_s` is how long a client may read nothing of an
    answer. `body_bytes` is ample: the largest arguments that tools accept have 200,000 characters,
    less than 1 MB. At most `connections`, and at most half of the files that this process may open,
    are open at once. One more closes a connection that waits for its client.
    `sessions` is the limit of an MCP server: a session took 41 kB of memory. All other values are
    unmeasured guesses on the safe side.
    """

    head_s: float = 10.0
    body_s: float = 30.0
    stalled_s: float = 30.0
    body_bytes: int = 4 * 1024 * 1024
    connections: int = 512
    sessions: int = 1_000


def limited_protocol(limits: HttpLimits) -> type[H11Protocol]:
    """Return an HTTP/1.1 protocol that closes a connection if the head of its next request is not
    complete after `head_s`, or if its client reads nothing of an answer for `stalled_s`. If there
    are too many connections, it closes the one that has waited longest for its client: for a
    request, for the rest of a body, or for the client to read. Those without a request for a second
    go first. If none waits, it closes the oldest stream of events, which clients open again.
    Requests to change the protocol (`Upgrade`) are answered as if they had none."""
    most = min(limits.connections, most_files() // 2)

    class LimitedProtocol(H11Protocol):
        def __init__(self, *args: Any, **others: Any) -> None:
            super().__init__(*args, **others)
            self._head, self._reader = _Deadline(self.loop), _Deadline(self.loop)
            self.since = self._read_since = self.loop.time()
            self._seen = 0

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            self._answers = _Counted(transport)
            super().connection_made(cast("asyncio.Transport", self._answers))
            if len(self.connections) > most:
                self._make_room()
            self._watch_head()

        def data_received(self, data: bytes) -> None:
            self.since = self.loop.time()
            super().data_received(data)
            self._watch_head()

        def on_response_complete(self) -> None:
            self.since = self.loop.time()
            super().on_response_complete()
            self._watch_head()
            self._watch_reader()

        def pause_writing(self) -> None:
            super().pause_writing()
            self._has_read()
            self._watch_reader()

        def connection_lost(self, exc: Exception | None) -> None:
            self._head.stop()
            self._reader.stop()
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

        def _should_upgrade(self) -> bool:
            return False  # uvicorn would print a warning for each such request

        def _make_room(self) -> None:
            """Close the connection that has had no request for longest, or else the one that has
            waited longest for its client, or else the oldest stream, or else this connection."""
            others = [one for one in self.connections if one is not self]
            held = [one for one in others if isinstance(one, LimitedProtocol)]
            waits = [(since, one) for one in held if (since := one.waits_since()) is not None]
            before = self.loop.time() - _IDLE_S
            idle = [pair for pair in waits if pair[0] < before and pair[1].is_idle()]
            waits = idle or waits or [(one.since, one) for one in held if one.streams()]
            oldest = min(waits, key=_when)[1] if waits else self
            self.connections.discard(oldest)  # `abort` closes it a little later
            oldest.transport.abort()

        def waits_since(self) -> float | None:
            """Return since when the server waits for the client: to read an answer, or to send a
            request or the rest of a body. None if the client waits for the server, which may not
            have begun to read the body, or reads it more slowly than it arrives."""
            if self.transport.get_write_buffer_size():
                return self._has_read()
            if not self.in_progress():
                return self.since
            unread = self.flow.read_paused or self.cycle.waiting_for_100_continue
            return self.since if self.cycle.more_body and not unread else None

        def streams(self) -> bool:
            """Return whether an answer to GET has begun and is not complete."""
            in_progress = self.in_progress() and self.cycle.response_started
            return in_progress and self.scope["method"] == "GET"

        def in_progress(self) -> bool:
            """Return whether there is a request whose answer is not complete."""
            return self.cycle is not None and not self.cycle.response_complete

        def is_idle(self) -> bool:
            """Return whether there is no request, and no answer that is still being read."""
            return not (self.in_progress() or self.transport.get_write_buffer_size())

        def _has_read(self) -> float:
            """Return the last time when the client was seen to have read something."""
            if self._answers.sent > self._seen:
                self._seen, self._read_since = self._answers.sent, self.loop.time()
            return self._read_since

        def _watch_head(self) -> None:
            if self.in_progress():
                self._head.stop()
            else:
                self._head.start(limits.head_s, self.transport.abort)

        def _watch_reader(self) -> None:
            if self.transport.get_write_buffer_size():
                self._reader.start(limits.stalled_s, self._check_reader, self._answers.sent)

        def _check_reader(self, before: int) -> None:
            """Close the connection if the client has read nothing; otherwise check again later."""
            self._reader.stop()
            if self.transport.get_write_buffer_size() and self._answers.sent <= before:
                self.transport.abort()
            else:
                self._watch_reader()

    return LimitedProtocol


def _when(one: tuple[float, H11Protocol]) -> float:
    return one[0]


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
