"""Refuse a request before any framework processes it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, MutableMapping

    Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


#: Headers that must not be repeated: a proxy in front of the server might use another one of them.
_ONCE: Final = (b"authorization", b"content-length", b"if-match", b"transfer-encoding")


def ambiguity(headers: Iterable[tuple[bytes, bytes]]) -> str:
    """Return why the headers of a request are ambiguous, "" if they are not: it has two keys, or
    two lengths (RFC 9112, 6.1). Names must be in lower case."""
    names = Counter(name for name, _ in headers)
    for name in _ONCE:
        if names[name] > 1:
            return f"the request has several {name.decode().title()} headers"
    if names[b"content-length"] and names[b"transfer-encoding"]:
        return "the request has both Content-Length and Transfer-Encoding"
    return ""


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
