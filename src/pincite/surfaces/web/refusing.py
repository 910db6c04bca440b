"""Refuse a request before any framework processes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, MutableMapping

    Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


async def refuse(send: Send, status: int, said: object) -> None:
    """Answer with `said` as JSON, and ask the client to close the connection."""
    body = msgspec.json.encode(said)
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
