"""Track what was sent of a response, to report a late error in the right form.

Before the first byte, the problem is the response. In a stream of an answer, it is the last event.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec

from pincite.surfaces.http.problems import MEDIA_TYPE, Problem
from pincite.surfaces.http.requests import Message, Send
from pincite.surfaces.page.questions import STREAMED


def _event(problem: bytes) -> bytes:
    return b"event: problem\r\ndata: " + problem + b"\r\n\r\n"


def _line(problem: bytes) -> bytes:
    return b'{"problem": ' + problem + b"}\n"


#: How a problem is written in a stream of a media type.
_LAST: Final[dict[str, Callable[[bytes], bytes]]] = {
    "text/event-stream": _event,
    STREAMED: _line,
}


class Sent:
    """A `send` that remembers how much of the response it has passed on."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._begun = self._complete = False
        self._media_type = ""

    async def __call__(self, message: Message) -> None:
        """Pass on a part of the response."""
        if message["type"] == "http.response.start":
            self._begun = True
            given = (value for name, value in message.get("headers", ()) if name == b"content-type")
            self._media_type = next(given, b"").decode("latin-1").partition(";")[0].strip()
        elif message["type"] == "http.response.body":
            self._complete = not message.get("more_body", False)
        await self._send(message)

    async def end(self, problem: Problem, retry_s: int | None = None) -> None:
        """End the response with a problem. A response that has begun and is not a stream of events
        remains incomplete: the server closes its connection. `retry_s` is the value of the header
        Retry-After."""
        if not self._begun:
            await self._refuse(problem, retry_s)
        elif not self._complete and self._media_type in _LAST:
            body = _LAST[self._media_type](msgspec.json.encode(problem))
            await self({"type": "http.response.body", "body": body, "more_body": False})

    async def _refuse(self, problem: Problem, retry_s: int | None) -> None:
        body = msgspec.json.encode(problem)
        headers = [
            (b"content-type", MEDIA_TYPE.encode()),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
        ]
        if retry_s is not None:
            headers.append((b"retry-after", str(retry_s).encode()))
        await self({"type": "http.response.start", "status": problem.status, "headers": headers})
        await self({"type": "http.response.body", "body": body})
