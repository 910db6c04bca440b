"""Pages of other origins that the operator allows (CORS, a part of the Fetch standard).

A browser asks before it sends a request with a key or a body, and shows a response to the page only
if its headers allow that. There are no cookies, so credentials are never allowed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from typing import Any, Final

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = tuple[tuple[bytes, bytes], ...]

_MAX_AGE_S: Final = 600  # until browsers notice that an origin is no longer allowed; guess


@dataclass(frozen=True, slots=True)
class AllowedPages:
    """The `origins`, complete and with their port, whose pages may send requests with these
    `methods` and headers (`sent`), and read these headers of responses (`shown`)."""

    origins: frozenset[str]
    methods: str
    sent: str
    shown: str

    def headers(self, scope: Scope) -> Headers:
        """Return the headers to add to the response to a request, none for other origins."""
        given = [value for name, value in scope["headers"] if name == b"origin"]
        if len(given) != 1 or given[0].decode("latin-1") not in self.origins:
            return ()
        allowed = ((b"access-control-allow-origin", given[0]), (b"vary", b"Origin"))
        if not _is_preflight(scope):
            return (*allowed, (b"access-control-expose-headers", self.shown.encode()))
        return (
            *allowed,
            (b"access-control-allow-methods", self.methods.encode()),
            (b"access-control-allow-headers", self.sent.encode()),
            (b"access-control-max-age", str(_MAX_AGE_S).encode()),
        )

    def asks_first(self, scope: Scope) -> bool:
        """Return whether this is a preflight request from an allowed origin."""
        return _is_preflight(scope) and bool(self.headers(scope))


class ForPages:
    """An ASGI application that adds the headers for allowed pages to the responses of `app`."""

    def __init__(self, app: App, pages: AllowedPages) -> None:
        self._app = app
        self._pages = pages

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http" or not (added := self._pages.headers(scope)):
            await self._app(scope, receive, send)
            return

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *added]}
            await send(message)

        if self._pages.asks_first(scope):
            await answer_first(answer)
        else:
            await self._app(scope, receive, answer)


async def answer_first(send: Send) -> None:
    """Answer a preflight. The headers are added by `send`."""
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


def _is_preflight(scope: Scope) -> bool:
    asked = b"access-control-request-method"
    return scope["method"] == "OPTIONS" and any(name == asked for name, _ in scope["headers"])
