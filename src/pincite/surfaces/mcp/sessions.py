"""Limit the number of MCP sessions: a new one ends the least recently used one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

SESSION: Final = b"mcp-session-id"
_KEPT: Final = (b"host", b"origin")  # headers that the library checks


class LimitedSessions:
    """An ASGI application that wraps that of the protocol library, which keeps each session for
    half an hour, and refuses clients at its own limit of 10,000. A session with an unanswered
    request or an open stream of events is not ended. The client of an ended session gets 404, and
    opens a new one."""

    def __init__(self, app: App, most: int) -> None:
        self._app = app
        self._most = most
        self._requests: dict[bytes, int] = {}  # unanswered ones; last used session last

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, then end sessions beyond the limit."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        session = _session_in(scope["headers"])
        if session in self._requests:
            self._requests[session] = self._requests.pop(session) + 1

        ended = False

        async def sent(message: Message) -> None:
            nonlocal ended
            if message["type"] == "http.response.start" and message["status"] < 400:
                opened = _session_in(message.get("headers", ()))
                if session is None and opened is not None:
                    self._requests[opened] = 0
                ended = session is not None and scope["method"] == "DELETE"
            await send(message)

        try:
            await self._app(scope, receive, sent)
        finally:
            if session in self._requests:
                self._requests[session] = max(0, self._requests[session] - 1)
        if ended and session is not None:
            self._requests.pop(session, None)
        while len(self._requests) > self._most:
            unused = (one for one, requests in self._requests.items() if not requests)
            if (oldest := next(unused, None)) is None:
                return
            del self._requests[oldest]
            await self._end(scope, oldest)

    async def _end(self, scope: Scope, session: bytes) -> None:
        """End a session by sending the request with which a client ends it."""
        headers = [one for one in scope["headers"] if one[0] in _KEPT]
        asked = {**scope, "method": "DELETE", "headers": [*headers, (SESSION, session)]}

        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(_: Message) -> None:
            pass

        await self._app(asked, receive, send)


def _session_in(headers: Any) -> bytes | None:
    return next((value for name, value in headers if name.lower() == SESSION), None)
