"""Shared by the routes: the open workspace, the caller, and the limits of a key."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from litestar import Request
from litestar.connection import ASGIConnection
from litestar.datastructures import State
from litestar.handlers import BaseRouteHandler

from pincite.errors import Forbidden, Unauthenticated
from pincite.support.concurrency import OnePerName
from pincite.support.counted import counted
from pincite.surfaces.http.problems import TooManyRequests
from pincite.surfaces.http.rates import KeyRates
from pincite.surfaces.page.colours import Colours
from pincite.workspace import Access, KeyScope
from pincite.workspace.access.issuer_keys import IssuerKeys
from pincite.workspace.access.keys import KEY_START
from pincite.workspace.access.rates import Rate
from pincite.workspace.access.tokens import verify_token
from pincite.workspace.access.verification import Caller, verify_key
from pincite.workspace.database.transaction import utc_now
from pincite.workspace.files.folder import FileStore
from pincite.workspace.ports import Session, Workspaces
from pincite.workspace.workspace import Workspace

HttpRequest = Request[Any, Any, State]
MOST_FILE_BYTES: Final = 50_000_000  # guess, unmeasured
#: The media type of a route with 202 that returns nothing: as JSON, nothing would be `null`.
EMPTY: Final = "text/plain"


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """The limits of one key: `per_minute` requests at once, and as many in each further minute,
    counted over all processes."""

    per_minute: int = 600
    file_bytes: int = MOST_FILE_BYTES
    body_bytes: int = 1_000_000


@dataclass(slots=True)
class Looked:
    """The last health check: why requests could not be answered, and when it was."""

    reasons: tuple[str, ...] = ()
    at: float = 0.0


@dataclass(frozen=True, slots=True)
class Showing:
    """Resources for showing documents on the page. Few pages are drawn at once, because each blocks
    a thread. Each user has one at a time, so that a deliberately slow document leaves threads to
    others."""

    colours: Colours = field(default_factory=Colours)
    turns: OnePerName = field(default_factory=OnePerName)
    pictures: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(2, thread_name_prefix="pincite-pictures")
    )

    async def close(self) -> None:
        """End the processes for colours; pages still waiting are not drawn."""
        self.pictures.shutdown(wait=False, cancel_futures=True)
        await self.colours.close()


@dataclass(frozen=True, slots=True)
class Desk:
    """The open resources of all requests. Tokens of `issuer` are accepted besides keys."""

    workspace: Workspace
    workspaces: Workspaces
    files: FileStore
    limits: RequestLimits = RequestLimits()
    now: Callable[[], datetime] = utc_now
    looked: Looked = field(default_factory=Looked)
    looking: asyncio.Lock = field(default_factory=asyncio.Lock)
    issuer: IssuerKeys | None = None
    showing: Showing = field(default_factory=Showing)
    rates: KeyRates = field(init=False)

    def __post_init__(self) -> None:
        most = self.limits.per_minute
        object.__setattr__(self, "rates", KeyRates(self.workspaces, Rate(most, most)))


async def caller_of(connection: ASGIConnection[Any, Any, Any, Any], desk: Desk) -> Caller:
    """Return the caller. Raises Unauthenticated, TooManyRequests."""
    kind, _, text = connection.headers.get("authorization", "").partition(" ")
    if kind.lower() != "bearer" or not text:
        raise Unauthenticated("the request has no key", hint="Authorization: Bearer pin_...")
    caller = await _verified(desk, text.strip())
    if wait_s := await desk.rates.take(caller.key.id):
        limit = f"a key can send {counted(desk.limits.per_minute, 'request')} per minute"
        raise TooManyRequests(limit, wait_s)
    return caller


async def _verified(desk: Desk, text: str) -> Caller:
    if desk.issuer is None or text.startswith(KEY_START):
        return await verify_key(desk.workspaces, text, desk.now())
    return await verify_token(desk.workspaces, desk.issuer, text, desk.now())


def needs(*scopes: KeyScope) -> Callable[[ASGIConnection[Any, Any, Any, Any], Any], Any]:
    """Return a guard that requires one of these scopes."""

    async def guard(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
        caller = await caller_of(connection, desk_of(connection.app.state))
        connection.scope["user"] = caller
        if not set(scopes) & set(caller.key.scopes):
            raise Forbidden(f"the key needs the scope {' or '.join(scopes)}")

    return guard


@asynccontextmanager
async def session_of(request: HttpRequest) -> AsyncIterator[tuple[Access, Session]]:
    """Yield the access of the caller, and a transaction in their name."""
    may = access(request)
    async with desk_of(request.app.state).workspaces.of(may.user_id) as session:
        yield may, session


def desk_of(state: State) -> Desk:
    """Return the open resources."""
    desk = state["desk"]
    assert isinstance(desk, Desk)
    return desk


def caller(request: HttpRequest) -> Caller:
    """Return the caller; for routes with a guard."""
    found = request.scope["user"]
    assert isinstance(found, Caller)
    return found


def access(request: HttpRequest) -> Access:
    """Return the access of the caller."""
    return caller(request).access
