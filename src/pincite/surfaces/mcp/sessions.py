"""Limit the number of MCP sessions: a new one ends the least recently used one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final

import msgspec

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

SESSION: Final = b"mcp-session-id"
#: Of the request that opened a session, what the library compares with that of later requests.
_KEPT: Final = ("user", "auth")
_KEPT_HEADERS: Final = (b"host", b"origin")


class _Session(msgspec.Struct):
    opener: Scope
    requests: int = 0  # unanswered ones


class LimitedSessions:
    """An ASGI application that wraps that of the protocol library, which keeps each session for
    half an hour, and refuses clients at its own limit of 10,000. A session with an unanswered
    request or an open stream of events is not ended. The client of an ended session gets 404, and
    opens a new one."""

    def __init__(self, app: App, most: int) -> None:
        self._app = app
        self._most = most
        self._sessions: dict[bytes, _Session] = {}  # last used one last

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, then end sessions beyond the limit."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        session = _session_in(scope["headers"])
        held = self._sessions.pop(session, None) if session is not None else None
        if session is not None and held is not None:
            self._sessions[session] = held
            held.requests += 1

        ended = False

        async def sent(message: Message) -> None:
            nonlocal ended
            if message["type"] == "http.response.start" and message["status"] < 400:
                opened = _session_in(message.get("headers", ()))
                if session is None and opened is not None:
                    self._sessions[opened] = _Session(_opener(scope))
                ended = session is not None and scope["method"] == "DELETE"
            await send(message)

        try:
            await self._app(scope, receive, sent)
        finally:
            if held is not None:
                held.requests -= 1
        if ended and session is not None:
            self._sessions.pop(session, None)
        while len(self._sessions) > self._most:
            unused = (one for one, known in self._sessions.items() if not known.requests)
            if (oldest := next(unused, None)) is None:
                return
            await self._end(scope, oldest, self._sessions.pop(oldest).opener)

    async def _end(self, scope: Scope, session: bytes, opener: Scope) -> None:
        """End a session by sending the request with which its client would end it. Whoever asks now
        may be another client, or one that is refused."""
        asked = {
            **{key: value for key, value in scope.items() if key not in _KEPT},
            **opener,
            "method": "DELETE",
            "headers": [*opener["headers"], (SESSION, session)],
        }

        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(_: Message) -> None:
            pass

        await self._app(asked, receive, send)


def _session_in(headers: Any) -> bytes | None:
    return next((value for name, value in headers if name.lower() == SESSION), None)


def _opener(scope: Scope) -> Scope:
    headers = [one for one in scope["headers"] if one[0].lower() in _KEPT_HEADERS]
    return {"headers": headers} | {key: scope[key] for key in _KEPT if key in scope}
