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
        """What stands after `Bearer`."""
        return self.headers.get("authorization", "").removeprefix("Bearer ").strip()


@dataclass(frozen=True, slots=True)
class Response:
    """`body` is encoded as JSON unless it is bytes. A `stream` of lines is sent instead of it."""

    status: int = 200
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    stream: Iterator[bytes] | None = None

    def raw(self) -> bytes:
        """As it goes over the wire."""
        return self.body if isinstance(self.body, bytes) else msgspec.json.encode(self.body)


@dataclass(frozen=True, slots=True)
class Refusal(Exception):
    """Raised by an endpoint: the status and the vendor's message."""

    status: int
    message: str


#: The answer to a request, or a Refusal.
Endpoint = Callable[[Request], Response]


@dataclass(frozen=True, slots=True)
class Vendor:
    """One vendor: its endpoints by (method, path), the shape of its errors, and whether it wants a
    key. `error(status, message)` is the body."""

    name: str
    endpoints: Mapping[tuple[str, str], Endpoint]
    error: Callable[[int, str], Any]
    needs_key: bool = False
