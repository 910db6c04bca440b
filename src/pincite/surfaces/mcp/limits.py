"""Limits of time, size and sessions for clients of the MCP server over HTTP."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

import msgspec

from pincite.support.decodable import ready
from pincite.surfaces.mcp.sessions import SESSION, LimitedSessions
from pincite.surfaces.web.bodies import StalledBody, steady
from pincite.surfaces.web.connections import HttpLimits
from pincite.surfaces.web.refusing import ambiguity, refuse

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

_LAST_EVENT = b"last-event-id"
_INVALID_REQUEST = -32600  # of JSON-RPC


class _Call(msgspec.Struct, frozen=True):
    """The fields of a request that are read here; the protocol library answers it."""

    id: str | int
    method: str


class Limited:
    """An ASGI application that reads the whole request before `app` does. It answers 408 if that
    takes too long, 413 if the request is too large, and 400 if its headers are ambiguous. It also
    answers 400 to a request that has the id of an unanswered request of the same session, because
    the library would answer only one of them. The number of sessions is limited, see
    `LimitedSessions`."""

    def __init__(self, app: App, limits: HttpLimits) -> None:
        self._app = LimitedSessions(app, limits.sessions)
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
            body = await self._read(steady(receive, whole_s=limits.body_s))
        except StalledBody as error:
            await _refuse(send, 408, error.message)
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
    session = next((value for name, value in scope["headers"] if name == SESSION), None)
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
