"""Who sends a request, and what they may do. Shared by the routes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

from litestar import Request
from litestar.connection import ASGIConnection
from litestar.datastructures import State
from litestar.handlers import BaseRouteHandler

from pincite.errors import Forbidden, Unauthenticated
from pincite.support.counted import counted
from pincite.surfaces.http.problems import TooManyRequests
from pincite.surfaces.http.resources import Resources, resources_of
from pincite.workspace import Access, KeyScope
from pincite.workspace.access.keys import KEY_START
from pincite.workspace.access.tokens import verify_token
from pincite.workspace.access.verification import Caller, verify_key
from pincite.workspace.ports import Session

HttpRequest = Request[Any, Any, State]
#: The media type of a route with 202 that returns nothing: as JSON, nothing would be `null`.
EMPTY: Final = "text/plain"


async def caller_of(connection: ASGIConnection[Any, Any, Any, Any], resources: Resources) -> Caller:
    """Return the caller. Raises Unauthenticated, TooManyRequests."""
    kind, _, text = connection.headers.get("authorization", "").partition(" ")
    if kind.lower() != "bearer" or not text:
        raise Unauthenticated("the request has no key", hint="Authorization: Bearer pin_...")
    caller = await _verified(resources, text.strip())
    if wait_s := await resources.rates.take(caller.key.id):
        limit = f"a key can send {counted(resources.limits.per_minute, 'request')} per minute"
        raise TooManyRequests(limit, wait_s)
    return caller


async def _verified(resources: Resources, text: str) -> Caller:
    if resources.issuer is None or text.startswith(KEY_START):
        return await verify_key(resources.workspaces, text, resources.now())
    return await verify_token(resources.workspaces, resources.issuer, text, resources.now())


def needs(*scopes: KeyScope) -> Callable[[ASGIConnection[Any, Any, Any, Any], Any], Any]:
    """Return a guard that requires one of these scopes."""

    async def guard(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
        caller = await caller_of(connection, resources_of(connection.app.state))
        connection.scope["user"] = caller
        if not set(scopes) & set(caller.key.scopes):
            raise Forbidden(f"the key needs the scope {' or '.join(scopes)}")

    return guard


@asynccontextmanager
async def session_of(request: HttpRequest) -> AsyncIterator[tuple[Access, Session]]:
    """Yield the access of the caller, and a transaction in their name."""
    may = access(request)
    async with resources_of(request.app.state).workspaces.of(may.user_id) as session:
        yield may, session


def caller(request: HttpRequest) -> Caller:
    """Return the caller; for routes with a guard."""
    found = request.scope["user"]
    assert isinstance(found, Caller)
    return found


def access(request: HttpRequest) -> Access:
    """Return the access of the caller."""
    return caller(request).access
