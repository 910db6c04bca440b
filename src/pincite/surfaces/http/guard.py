"""What every request passes before it is looked at: its Host, its Origin, an id, room and time.

A page of another site that is open in a browser on this machine can send requests to it; its Origin
gives it away. A name that rebinds to this address is given away by Host.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import Counter
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

import msgspec

from pincite.surfaces.http.problems import MEDIA_TYPE, Problem, TooManyRequests, problem_of
from pincite.surfaces.http.requests import App, Message, Receive, Scope, Send, watched_request

#: Uploads and answers take as long as their clients and models do. They have limits of their own,
#: and half of the places at most, so that they hold up no search.
_STREAMED: Final = {"POST": ("/v1/documents", "/v1/answers"), "PUT": ("/v1/documents",)}


@dataclass(frozen=True, slots=True)
class GuardLimits:
    """`at_once`: requests that are worked on; `waiting`: those that wait for one of them to end,
    more are refused. `each`: those of one key, so that one that is slow on purpose leaves room for
    others. `seconds` for one request, `stream_s` for an upload or a streamed answer. All guesses on
    the safe side, unmeasured."""

    at_once: int = 64
    waiting: int = 256
    each: int = 32
    seconds: float = 60.0
    stream_s: float = 600.0


class Guard:
    """An ASGI application around `app`."""

    def __init__(
        self, app: App, hosts: frozenset[str], origins: frozenset[str], limits: GuardLimits
    ) -> None:
        self._app = app
        self._hosts = hosts
        self._origins = origins
        self._limits = limits
        self._room = asyncio.Semaphore(limits.at_once)
        self._streams = asyncio.Semaphore(max(1, limits.at_once // 2))
        self._inside = 0
        self._of_key: Counter[bytes] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = secrets.token_hex(8)
        scope["request_id"], scope["began_s"] = request_id, time.perf_counter()
        began = False

        async def answer(message: Message) -> None:
            nonlocal began
            if message["type"] == "http.response.start":
                began = True
                named = (b"x-request-id", request_id.encode())
                message = {**message, "headers": [*message.get("headers", ()), named, *_HEADERS]}
            await send(message)

        refusal = self._refusal(scope, request_id)
        if refusal is not None:
            await _refuse(answer, refusal)
            return
        if scope["path"] == "/healthz":  # also while there is no room
            await self._app(scope, receive, answer)
            return
        limits = self._limits
        if self._inside >= limits.at_once + limits.waiting:
            busy = TooManyRequests("the server has no room for more requests", 1.0, status=503)
            await _refuse(answer, problem_of(busy, request_id), retry_s=1)
            return
        keys = _keys(scope)
        if any(self._of_key[key] >= limits.each for key in keys):
            busy = TooManyRequests(f"a key has {limits.each} requests at a time", 1.0)
            await _refuse(answer, problem_of(busy, request_id), retry_s=1)
            return
        self._inside += 1
        self._of_key.update(keys)
        streamed = str(scope["path"]).startswith(_STREAMED.get(scope["method"], ("\0",)))
        try:
            async with AsyncExitStack() as held:
                seconds = limits.stream_s if streamed else limits.seconds
                await held.enter_async_context(asyncio.timeout(seconds))
                if streamed:  # before a place among all, which would wait for it
                    await held.enter_async_context(self._streams)
                await held.enter_async_context(self._room)
                await watched_request(self._app, scope, receive, answer)
        except TimeoutError as error:
            if not began:
                await _refuse(answer, problem_of(error, request_id))
        finally:
            self._inside -= 1
            self._of_key -= Counter(keys)  # keeps what is above zero

    def _refusal(self, scope: Scope, request_id: str) -> Problem | None:
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        host = hosts[0].decode("latin-1").lower() if len(hosts) == 1 else ""
        if host not in self._hosts and "*" not in self._hosts:
            return _problem(421, "wrong_host", "The server is not called that", request_id)
        origins = [value.decode("latin-1") for name, value in scope["headers"] if name == b"origin"]
        for origin in origins:
            if not _is_own(origin, host) and origin not in self._origins:
                return _problem(403, "wrong_origin", "Pages of that origin may not", request_id)
        return None


_HEADERS: Final = (
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
)


def _keys(scope: Scope) -> frozenset[bytes]:
    """The keys that a request shows, true or not, however their header is written."""
    given = (value for name, value in scope["headers"] if name == b"authorization")
    return frozenset(value.partition(b" ")[2].strip() for value in given) - {b""}


def _is_own(origin: str, host: str) -> bool:
    """Is it a page of this server? What is no URL is none."""
    try:
        found = urlsplit(origin)
    except ValueError:
        return False
    return found.netloc.lower() == host and found.scheme in ("http", "https")


def _problem(status: int, code: str, title: str, request_id: str) -> Problem:
    return Problem(f"urn:pincite:problem:{code}", title, status, code, request_id=request_id)


async def _refuse(send: Send, problem: Problem, retry_s: int | None = None) -> None:
    body = msgspec.json.encode(problem)
    headers = [
        (b"content-type", MEDIA_TYPE.encode()),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    if retry_s is not None:
        headers.append((b"retry-after", str(retry_s).encode()))
    await send({"type": "http.response.start", "status": problem.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
