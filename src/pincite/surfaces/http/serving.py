"""What the routes work with: the workspace that is open, who asks, and what a key may ask for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from limits import RateLimitItemPerMinute
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import MovingWindowRateLimiter
from litestar import Request
from litestar.connection import ASGIConnection
from litestar.datastructures import State
from litestar.handlers import BaseRouteHandler

from pincite.errors import Forbidden, Unauthenticated
from pincite.surfaces.http.bodies import Ready
from pincite.surfaces.http.problems import TooManyRequests
from pincite.workspace import Access, KeyScope
from pincite.workspace.database import utc_now
from pincite.workspace.file_store import FileStore
from pincite.workspace.opened import Workspace
from pincite.workspace.ports import Session, Workspaces
from pincite.workspace.verification import Caller, verify_key

Asked = Request[Any, Any, State]
MOST_FILE_BYTES: Final = 50_000_000  # guess, unmeasured


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """What one key may ask for. `per_minute` counts in each process of the server by itself."""

    per_minute: int = 600
    file_bytes: int = MOST_FILE_BYTES
    body_bytes: int = 1_000_000


@dataclass(slots=True)
class Looked:
    """Whether database and index answered at that time."""

    ready: Ready = field(default_factory=lambda: Ready(False))
    at: float = 0.0


@dataclass(frozen=True, slots=True)
class Desk:
    """What is open, for all requests."""

    workspace: Workspace
    workspaces: Workspaces
    files: FileStore
    limits: RequestLimits = RequestLimits()
    now: Callable[[], datetime] = utc_now
    looked: Looked = field(default_factory=Looked)
    looking: asyncio.Lock = field(default_factory=asyncio.Lock)
    rates: MovingWindowRateLimiter = field(
        default_factory=lambda: MovingWindowRateLimiter(MemoryStorage())
    )


async def caller_of(connection: ASGIConnection[Any, Any, Any, Any], desk: Desk) -> Caller:
    """Who asks. Raises Unauthenticated, TooManyRequests."""
    kind, _, text = connection.headers.get("authorization", "").partition(" ")
    if kind.lower() != "bearer" or not text:
        raise Unauthenticated("the request has no key", hint="Authorization: Bearer pin_...")
    caller = await verify_key(desk.workspaces, text.strip(), desk.now())
    item = RateLimitItemPerMinute(desk.limits.per_minute)
    if not await desk.rates.hit(item, caller.key.id):
        stats = await desk.rates.get_window_stats(item, caller.key.id)
        wait_s = max(0.0, stats.reset_time - desk.now().timestamp())
        raise TooManyRequests(f"a key has {desk.limits.per_minute} requests a minute", wait_s)
    return caller


def needs(*scopes: KeyScope) -> Callable[[ASGIConnection[Any, Any, Any, Any], Any], Any]:
    """A guard: the key must have one of these scopes."""

    async def guard(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
        caller = await caller_of(connection, desk_of(connection.app.state))
        connection.scope["user"] = caller
        if not set(scopes) & set(caller.key.scopes):
            raise Forbidden(f"the key lacks the scope {' or '.join(scopes)}")

    return guard


@asynccontextmanager
async def session_of(request: Asked) -> AsyncIterator[tuple[Access, Session]]:
    """What the caller may touch, and a transaction in their name."""
    may = access(request)
    async with desk_of(request.app.state).workspaces.of(may.user_id) as session:
        yield may, session


def desk_of(state: State) -> Desk:
    """What is open."""
    desk = state["desk"]
    assert isinstance(desk, Desk)
    return desk


def caller(request: Asked) -> Caller:
    """Who asks, behind a guard."""
    found = request.scope["user"]
    assert isinstance(found, Caller)
    return found


def access(request: Asked) -> Access:
    """What the caller may touch."""
    return caller(request).access
