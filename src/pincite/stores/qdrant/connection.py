"""The connection to a server: its address, retries, and translated errors."""

from __future__ import annotations

import asyncio
import random
import warnings
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar
from urllib.parse import urlsplit

from pincite.errors import ConfigError, DiskFull, PinciteError, StoreError
from pincite.support.proxies import proxies_for

try:
    import grpc
    import httpx
    from qdrant_client import AsyncQdrantClient
    from qdrant_client.common.client_exceptions import ResourceExhaustedResponse
    from qdrant_client.http.exceptions import ResponseHandlingException, UnexpectedResponse
except ModuleNotFoundError as error:
    if (error.name or "").split(".")[0] not in ("qdrant_client", "grpc"):
        raise
    raise ConfigError(
        "the package qdrant-client is not installed; a Qdrant server needs it",
        hint="pip install 'pincite[qdrant]'",
    ) from error

T = TypeVar("T")

TRIES = 3
_FIRST_WAIT_S = 0.25
_LONGEST_WAIT_S = 5.0
_LONGEST_TIMEOUT_S = 86_400.0  # of the client, which takes only integers
_PASSING = (429, 500, 502, 503, 504)
_REFUSED = (401, 403)
_NO_SPACE = 507


def open_client(
    url: str, key: str | None, *, grpc_port: int | None, timeout_s: float
) -> AsyncQdrantClient:
    """Create a client that connects with its first request. The scheme of `url` decides about TLS.
    With a `grpc_port`, points and searches use gRPC. Raises ConfigError for an invalid address, and
    for a key that would be sent unencrypted to another machine."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ConfigError(f"{url!r} is not the address of a Qdrant server: use https://HOST:6333")
    secure = parts.scheme == "https"
    if key and not secure and parts.hostname not in ("localhost", "127.0.0.1", "::1"):
        raise ConfigError(
            f"the key would be sent unencrypted to {parts.hostname}",
            hint=f"https://{parts.netloc}",
        )
    with warnings.catch_warnings(), proxies_for(url) as proxied:
        warnings.filterwarnings("ignore", "Api key is used with an insecure")  # checked above
        direct: dict[str, Any] = {}
        if not proxied:  # without the environment the client would not know SSL_CERT_FILE either
            verify = httpx.create_ssl_context() if secure else False
            direct = {"trust_env": False, "verify": verify}
        return AsyncQdrantClient(
            host=parts.hostname,
            port=parts.port or (443 if secure else 6333),
            prefix=parts.path.strip("/") or None,
            https=secure,
            api_key=key,
            prefer_grpc=grpc_port is not None,
            grpc_port=grpc_port or 6334,
            timeout=max(1, round(min(timeout_s, _LONGEST_TIMEOUT_S))),
            check_compatibility=False,  # it would send a request, and warn, before the first use
            grpc_options=None if proxied else {"grpc.enable_http_proxy": 0},
            **direct,
        )


class Connection:
    """A client with retries: transient failures are retried, all others become StoreErrors. Every
    operation that is sent here must be safe to repeat."""

    def __init__(self, client: AsyncQdrantClient, where: str, first_wait_s: float = _FIRST_WAIT_S):
        self.client = client
        self.where = where
        self._first_wait_s = first_wait_s

    async def ask(self, verb: str, call: Callable[[AsyncQdrantClient], Awaitable[T]]) -> T:
        """Return the result of one operation. Raises StoreError, DiskFull."""
        for attempt in range(1, TRIES + 1):
            try:
                return await call(self.client)
            except PinciteError:
                raise
            except Exception as error:
                wait_s = self._wait_s(error, attempt)
                if wait_s is None or attempt == TRIES:
                    raise self._translated(error, verb) from error
                await asyncio.sleep(wait_s)
        raise AssertionError  # the last attempt returns or raises

    async def close(self) -> None:
        """Close the connection."""
        await self.client.close()

    def _wait_s(self, error: Exception, attempt: int) -> float | None:
        """Return the wait before the next try in seconds, None for no further try: the time that
        the server asks for, or full jitter."""
        if isinstance(error, ResourceExhaustedResponse):
            return min(float(error.retry_after_s), _LONGEST_WAIT_S)
        passing = isinstance(error, ResponseHandlingException) or _status(error) in _PASSING
        longest = min(_LONGEST_WAIT_S, self._first_wait_s * 2**attempt)
        return random.uniform(0, longest) if passing else None

    def _translated(self, error: Exception, verb: str) -> StoreError:
        status = _status(error)
        said = f"{self.where} could not {verb}: {_said(error)}"
        if status in _REFUSED:
            return StoreError(said, hint="export PINCITE_QDRANT_KEY=...")
        if status == _NO_SPACE:
            return DiskFull(said, hint="make room on the server, then run the same command again")
        if "CERTIFICATE_VERIFY_FAILED" in said:
            return StoreError(said, hint="export SSL_CERT_FILE=/path/to/its/authority.pem")
        if isinstance(error, ResponseHandlingException):
            return StoreError(
                said, hint="check that the server is running at the url in pincite.toml"
            )
        return StoreError(said, hint="pincite status")


_GRPC = {
    grpc.StatusCode.UNAUTHENTICATED: 401,
    grpc.StatusCode.PERMISSION_DENIED: 403,
    grpc.StatusCode.RESOURCE_EXHAUSTED: 429,
    grpc.StatusCode.UNAVAILABLE: 503,
    grpc.StatusCode.DEADLINE_EXCEEDED: 504,
}


def _status(error: Exception) -> int | None:
    """Return the HTTP status of the server's response, or None if there is none."""
    if isinstance(error, UnexpectedResponse):
        return error.status_code
    if isinstance(error, grpc.RpcError):
        return _GRPC.get(_field(error, "code"))
    return None


def _said(error: Exception) -> str:
    if isinstance(error, UnexpectedResponse):
        text = error.content.decode(errors="replace").strip()
        return f"{error.status_code} {error.reason_phrase}: {text[:300]}"
    if isinstance(error, grpc.RpcError):
        return str(_field(error, "details"))[:300]
    if isinstance(error, ResponseHandlingException):
        return f"{type(error.source).__name__}: {error.source}"[:300]
    return str(error)[:300] or type(error).__name__


def _field(error: Exception, name: str) -> Any:
    read = getattr(error, name, None)
    return read() if callable(read) else None
