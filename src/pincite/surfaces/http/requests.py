"""Telemetry of requests: a span, and an event of the log."""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final

from pincite.ports.tracing import span

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

log = logging.getLogger("pincite.http")

_METHODS: Final = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))
_OTHER: Final = "_OTHER"  # the name for an unknown method in the conventions of OpenTelemetry


async def watched_request(
    app: App, scope: Scope, receive: Receive, send: Send, began: Callable[[Scope, int], None]
) -> None:
    """Serve a request with a span named by its method and its route. Its path and query, which may
    contain names of users' files, are left out. A header `traceparent` makes it part of the
    caller's trace. `began` is called with the status when the response starts."""
    method = scope["method"] if scope["method"] in _METHODS else _OTHER
    scheme = str(scope.get("scheme", "http"))
    attributes = {"http.request.method": method, "url.scheme": scheme}
    status = 0

    async def told(message: Message) -> None:
        nonlocal status
        if message["type"] == "http.response.start":
            status = int(message["status"])
            began(scope, status)
        await send(message)

    with span(method, attributes, "server", _parent(scope)) as watched:
        try:
            await app(scope, receive, told)
        finally:
            route = str(scope.get("path_template") or "")
            if route:
                watched.rename(f"{method} {route}")
                watched.set("http.route", route)
            if status:
                watched.set("http.response.status_code", status)
            if status >= 500:
                watched.fail(str(status))
            watched.set("pincite.request_id", str(scope.get("request_id", "")))
            _log(method, route, status, scope)


def _parent(scope: Scope) -> str:
    """Return the header if it occurs exactly once."""
    given = [value for name, value in scope["headers"] if name == b"traceparent"]
    return given[0].decode("latin-1") if len(given) == 1 else ""


def _log(method: str, route: str, status: int, scope: Scope) -> None:
    if not log.isEnabledFor(logging.INFO):
        return
    took_s = time.perf_counter() - float(scope.get("began_s", 0.0))
    event = {
        "method": method,
        "route": route,
        "status": status,
        "took_ms": round(took_s * 1000, 1),
        "request_id": scope.get("request_id", ""),
    }
    log.info("request", extra={"event": event})
