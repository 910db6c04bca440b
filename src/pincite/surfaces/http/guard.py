"""Checks before any request is processed: its Host, its Origin, an id, capacity and time.

A page of another site, open in a browser on this machine, can send requests to the server; the
Origin header reveals it. The Host header reveals a name that rebinds to this address.
"""

from __future__ import annotations

import asyncio
import re
import secrets
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlsplit
from weakref import WeakValueDictionary

from pincite.surfaces.http.problems import (
    RETRY_S,
    Ending,
    Problem,
    TooManyRequests,
    told_problem,
)
from pincite.surfaces.http.requests import App, Message, Receive, Scope, Send, watched_request
from pincite.surfaces.http.sent import Sent
from pincite.surfaces.page.files import POLICY
from pincite.surfaces.web.bodies import steady
from pincite.surfaces.web.cross_origin import AllowedPages, answer_first
from pincite.surfaces.web.refusing import ambiguity

#: Uploads, downloads and answers take as long as their clients and models. They have their own
#: limits, and use at most half of the slots, so that they do not delay searches.
_STREAMED: Final = {
    "POST": re.compile("/v1/documents|/v1/answers|/ui/api/answer"),
    "PUT": re.compile("/v1/documents"),
    "GET": re.compile("/v1/documents/[^/]+/content"),
}
_NO_STREAM: Final = "the server, or this key, is at its limit of uploads, downloads and answers"


@dataclass(frozen=True, slots=True)
class GuardLimits:
    """`at_once` is the number of requests in progress; `waiting` is the number that wait for a
    slot; further ones are refused. `each` is the number per key, `streams_each` that of uploads,
    downloads and answers per key, so that a deliberately slow client leaves room for others.
    `seconds` is the time limit of a request, `stream_s` that of an upload, a download or an answer,
    which waits at most `wait_s` for a slot. `idle_s` is the limit between two pieces of a body. All
    are cautious guesses, unmeasured."""

    at_once: int = 64
    waiting: int = 256
    each: int = 32
    streams_each: int = 8
    seconds: float = 60.0
    stream_s: float = 600.0
    wait_s: float = 10.0
    idle_s: float = 30.0


class Guard:
    """An ASGI application that wraps `app`. `began` is called with the status of each response,
    when it starts."""

    def __init__(
        self,
        app: App,
        hosts: frozenset[str],
        origins: frozenset[str],
        limits: GuardLimits,
        began: Callable[[Scope, int], None],
    ) -> None:
        self._app = app
        self._began = began
        self._hosts = hosts
        self._pages = AllowedPages(origins, _METHODS, _SENT, _SHOWN)
        self._limits = limits
        self._room = asyncio.Semaphore(limits.at_once)
        self._streams = asyncio.Semaphore(max(1, limits.at_once // 2))
        self._tasks: set[asyncio.Task[Any]] = set()
        self._ending = False
        self._inside = 0
        self._of_key: Counter[bytes] = Counter()
        #: The slots for streams of each key that has a request.
        self._shares: WeakValueDictionary[bytes, asyncio.Semaphore] = WeakValueDictionary()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if scope["method"] == "HEAD":
            scope, send = {**scope, "method": "GET"}, _without_body(send)
        request_id = secrets.token_hex(8)
        scope["request_id"], scope["began_s"] = request_id, time.perf_counter()

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                named = (b"x-request-id", request_id.encode())
                policy = _PAGE if _is_page(scope["path"]) else _NOTHING
                added = (named, policy, *_HEADERS, *self._pages.headers(scope))
                ours = {name for name, _ in added}
                own = [one for one in message.get("headers", ()) if one[0].lower() not in ours]
                message = {**message, "headers": [*own, *added]}
            await send(message)

        await watched_request(self._until_end, scope, receive, answer, self._began)

    def end(self) -> None:
        """End all requests in progress with 503, or with a problem as the last event of a
        stream."""
        self._ending = True
        for task in tuple(self._tasks):
            task.cancel()

    async def _until_end(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request until it is complete, or until `end` is called."""
        sent, task = Sent(send), asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            await self._checked(scope, receive, sent)
        except asyncio.CancelledError:
            if not self._ending:
                raise
            task.uncancel()
            await sent.end(told_problem(Ending(), scope["request_id"]), RETRY_S)
        finally:
            self._tasks.discard(task)

    async def _checked(self, scope: Scope, receive: Receive, sent: Sent) -> None:
        request_id = scope["request_id"]
        refusal = self._refusal(scope, request_id)
        if refusal is not None:
            await sent.end(refusal)
            return
        if self._pages.asks_first(scope):
            await answer_first(sent)
            return
        if scope["path"] == "/healthz":  # answered even without a free slot
            await self._app(scope, receive, sent)
            return
        limits = self._limits
        if self._inside >= limits.at_once + limits.waiting:
            busy = TooManyRequests("the server is at its limit of requests", 1.0, status=503)
            await sent.end(told_problem(busy, request_id), 1)
            return
        keys = _keys(scope)
        if any(self._of_key[key] >= limits.each for key in keys):
            busy = TooManyRequests(f"a key can have {limits.each} requests at a time", 1.0)
            await sent.end(told_problem(busy, request_id), 1)
            return
        self._inside += 1
        self._of_key.update(keys)
        streamed = _is_streamed(scope)
        try:
            async with AsyncExitStack() as held:
                seconds = limits.stream_s if streamed else limits.seconds
                await held.enter_async_context(asyncio.timeout(seconds))
                # before the general slot, which it would hold while it waits
                if streamed and not await self._has_stream(held, keys):
                    busy = TooManyRequests(_NO_STREAM, limits.wait_s, status=503)
                    await sent.end(told_problem(busy, request_id), max(1, round(limits.wait_s)))
                    return
                await held.enter_async_context(self._room)
                await self._app(scope, steady(receive, limits.idle_s), sent)
        except TimeoutError as error:
            await sent.end(told_problem(error, request_id))
        finally:
            self._inside -= 1
            self._of_key -= Counter(keys)  # keeps only positive counts

    async def _has_stream(self, held: AsyncExitStack, keys: frozenset[bytes]) -> bool:
        """Take slots for a stream until `held` ends, and return whether they were free in time. The
        slots of the keys are taken first, so that a key does not hold a general slot while it
        waits."""
        shares = []
        for key in sorted(keys):
            new = asyncio.Semaphore(self._limits.streams_each)
            shares.append(self._shares.setdefault(key, new))
        try:
            async with asyncio.timeout(self._limits.wait_s):
                for one in (*shares, self._streams):
                    await held.enter_async_context(one)
        except TimeoutError:
            return False
        return True

    def _refusal(self, scope: Scope, request_id: str) -> Problem | None:
        if said := ambiguity(scope["headers"]):
            return _problem(400, "invalid_request", "Invalid request", request_id, said)
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        host = hosts[0].decode("latin-1").lower() if len(hosts) == 1 else ""
        if host not in self._hosts and "*" not in self._hosts:
            return _problem(421, "wrong_host", "Host not accepted", request_id)
        origins = [value.decode("latin-1") for name, value in scope["headers"] if name == b"origin"]
        for origin in origins:
            if not _is_own(origin, host) and origin not in self._pages.origins:
                return _problem(403, "wrong_origin", "Origin not allowed", request_id)
        return None


#: Methods and headers of requests from other pages that are allowed, and the headers that these
#: pages may read.
_METHODS: Final = "GET, HEAD, POST, PUT, PATCH, DELETE"
_SENT: Final = "authorization, content-type, idempotency-key, if-match, traceparent"
_SHOWN: Final = "x-request-id, retry-after, allow, content-disposition"
_HEADERS: Final = (
    (b"x-content-type-options", b"nosniff"),
    (b"cache-control", b"no-store"),
    (b"referrer-policy", b"no-referrer"),
)
_NOTHING: Final = (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'")
_PAGE: Final = (b"content-security-policy", POLICY.encode())


def _without_body(send: Send) -> Send:
    """Return a `send` that drops the body: HEAD is answered as GET (RFC 9110, 9.3.2) with the same
    headers."""
    ended = False

    async def answer(message: Message) -> None:
        nonlocal ended
        if message["type"] != "http.response.body":
            await send(message)
        elif not ended:
            ended = True
            await send({"type": "http.response.body", "body": b"", "more_body": False})

    return answer


def _is_streamed(scope: Scope) -> bool:
    paths = _STREAMED.get(scope["method"])
    return paths is not None and paths.match(scope["path"]) is not None


def _is_page(path: str) -> bool:
    """Return whether the path is a file of the page. Requests of the page count as data."""
    return path == "/ui" or (path.startswith("/ui/") and not path.startswith("/ui/api/"))


def _keys(scope: Scope) -> frozenset[bytes]:
    """Return the keys in the Authorization headers of a request, valid or not."""
    given = (value for name, value in scope["headers"] if name == b"authorization")
    return frozenset(value.partition(b" ")[2].strip() for value in given) - {b""}


def _is_own(origin: str, host: str) -> bool:
    """Return whether the origin is this server. An invalid URL is not."""
    try:
        found = urlsplit(origin)
    except ValueError:
        return False
    return found.netloc.lower() == host and found.scheme in ("http", "https")


def _problem(status: int, code: str, title: str, request_id: str, detail: str = "") -> Problem:
    return Problem(f"urn:pincite:problem:{code}", title, status, code, detail, "", request_id)
