"""What every request passes first: its Host, its Origin, and for data the token of the address.

A name that rebinds to this machine is given away by Host, a page of another site by Origin. Another
user of this machine does not have the token, which stands in the fragment of the address: browsers
send that to nobody.
"""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any, Final

from pincite.surfaces.refusing import refuse

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

TOKEN: Final = b"x-pincite-token"
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
    " img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS: Final = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
)


class Guard:
    """Around an ASGI application. `hosts` are values of Host, complete and with their port."""

    def __init__(self, app: App, hosts: Iterable[str], token: str) -> None:
        self._app = app
        self._hosts = frozenset(one.lower().encode() for one in hosts)
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it."""
        if scope["type"] != "http":
            return  # no websockets, and nothing that begins or ends

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *_HEADERS]}
            await send(message)

        refusal = self._refusal(scope)
        if refusal is None:
            await self._app(scope, receive, guarded)
            return
        status, said = refusal
        await refuse(guarded, status, {"message": said, "hint": ""})

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        def values(name: bytes) -> list[bytes]:
            return [value for key, value in scope["headers"] if key == name]

        hosts = values(b"host")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return 421, "this server is not called that"
        if any(origin.lower() != b"http://" + hosts[0].lower() for origin in values(b"origin")):
            return 403, "pages of that origin may not"
        if not scope["path"].startswith("/api/"):
            return None
        tokens = values(TOKEN)
        if len(tokens) != 1 or not secrets.compare_digest(tokens[0], self._token):
            return 401, "the address lacks its token: open the one that `pincite ui` printed"
        return None
