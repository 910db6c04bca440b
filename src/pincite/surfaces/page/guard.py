"""Checks before any request: its Host, its Origin, and for data the token of the URL.

The Host header reveals a name that rebinds to this machine, the Origin header a page of another
site. Other users of this machine do not have the token; it is in the fragment of the URL, which
browsers never send.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any, Final

from pincite.surfaces.page.files import POLICY
from pincite.surfaces.web.bodies import steady
from pincite.surfaces.web.refusing import ambiguity, refuse

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

BODY_S: Final = 30.0  # for the body of a request, as in `HttpLimits`
TOKEN: Final = b"x-pincite-token"
_HEADERS: Final = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)


class Guard:
    """An ASGI application that wraps another. `hosts` are values of Host, complete and with their
    port. The body of a request must be complete after `body_s` seconds."""

    def __init__(self, app: App, hosts: Iterable[str], token: str, body_s: float = BODY_S) -> None:
        self._app = app
        self._body_s = body_s
        self._hosts = frozenset(one.lower().encode() for one in hosts)
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it."""
        if scope["type"] != "http":
            return  # no websockets and no lifespan events

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *_HEADERS]}
            await send(message)

        refusal = self._refusal(scope)
        if refusal is None:
            await self._app(scope, steady(receive, whole_s=self._body_s), guarded)
            return
        status, said = refusal
        await refuse(guarded, status, {"message": said, "hint": ""})

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        def values(name: bytes) -> list[bytes]:
            return [value for key, value in scope["headers"] if key == name]

        if said := ambiguity(scope["headers"]):
            return 400, said
        hosts = values(b"host")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return 421, "this host name is not allowed"
        if any(origin.lower() != b"http://" + hosts[0].lower() for origin in values(b"origin")):
            return 403, "this origin is not allowed"
        if not scope["path"].startswith("/api/"):
            return None
        tokens = values(TOKEN)
        if len(tokens) != 1 or not secrets.compare_digest(tokens[0], self._token):
            return 401, (
                "the token is missing in the address: open the address that `pincite ui` printed"
            )
        return None
