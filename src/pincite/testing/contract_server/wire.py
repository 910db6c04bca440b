"""Requests and responses of the endpoints."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec


@dataclass(frozen=True, slots=True)
class Request:
    """A decoded request. `path` is without the vendor."""

    vendor: str
    method: str
    path: str
    headers: Mapping[str, str]
    body: Any

    @property
    def key(self) -> str:
        """Return the key after `Bearer`."""
        return self.headers.get("authorization", "").removeprefix("Bearer ").strip()


@dataclass(frozen=True, slots=True)
class Response:
    """A response. `body` is encoded as JSON unless it is bytes. A `stream` of lines replaces it."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    stream: Iterator[bytes] | None = None

    def raw(self) -> bytes:
        """Return the bytes of the body."""
        return self.body if isinstance(self.body, bytes) else msgspec.json.encode(self.body)


@dataclass(frozen=True, slots=True)
class Refusal(Exception):
    """Raised by an endpoint: the status and the vendor's message."""

    status: int
    message: str


#: A function that answers a request or raises Refusal.
Endpoint = Callable[[Request], Response]


@dataclass(frozen=True, slots=True)
class Vendor:
    """A vendor: its endpoints by (method, path), the format of its errors, and whether it needs a
    key. `error(status, message)` returns the body."""

    name: str
    endpoints: Mapping[tuple[str, str], Endpoint]
    error: Callable[[int, str], Any]
    needs_key: bool = False
