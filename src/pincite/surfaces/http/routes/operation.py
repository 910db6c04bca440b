"""The server's health, its metrics, and the keys of the user."""

from __future__ import annotations

import logging
from typing import Annotated, Any

from litestar import Response, Router, delete, get
from litestar.datastructures import State
from litestar.openapi import ResponseSpec
from litestar.params import PathParameter
from prometheus_client import CONTENT_TYPE_LATEST

from pincite.errors import ConfigError, DiskFull, PinciteError, ReadOnlyDatabase, SchemaTooNew
from pincite.surfaces.http.bodies import ID_FORM, Me, Ready, Welcome
from pincite.surfaces.http.callers import HttpRequest, needs, session_of
from pincite.surfaces.http.metrics import Metrics
from pincite.surfaces.http.resources import Resources, resources_of
from pincite.surfaces.http.routes.page import PATH
from pincite.version import VERSION
from pincite.workspace import ApiKey
from pincite.workspace.checks import missing

log = logging.getLogger("pincite.http")

_KEPT_S = 1.0  # /readyz needs no key and queries the database, so at most once a second
KeyId = Annotated[str, PathParameter(pattern=ID_FORM, description="The id of a key.")]


@get("/healthz", media_type="text/plain")
async def healthz() -> str:
    """Return 200 if the process answers."""
    return "ok\n"


@get(
    "/readyz",
    responses={503: ResponseSpec(Ready, description="Requests would fail")},
)
async def readyz(state: State) -> Response[Ready]:
    """Return 200 if database and index answer and the database can write, else 503. The log has the
    reasons."""
    resources = resources_of(state)
    async with resources.looking:
        if resources.now().timestamp() - resources.looked.at >= _KEPT_S:
            reasons = await _look(resources)
            if reasons != resources.looked.reasons:
                _log(reasons)
            resources.looked.reasons = reasons
            resources.looked.at = resources.now().timestamp()
    ready = not resources.looked.reasons
    return Response(Ready(ready), status_code=200 if ready else 503)


def _log(reasons: tuple[str, ...]) -> None:
    if reasons:
        log.warning("not ready: %s", "; ".join(reasons))
    else:
        log.warning("ready again")


async def _look(resources: Resources) -> tuple[str, ...]:
    """Return the reasons why requests would fail, none if they would not."""
    reasons = []
    try:
        if await resources.workspaces.pending():
            reasons.append("the database has an earlier schema: pincite workspace migrate")
        else:
            await resources.workspaces.require_roles()
            await resources.workspaces.require_room()  # the rate of each key is counted there
    except DiskFull:
        reasons.append("the disk of the database is full")
    except (ConfigError, ReadOnlyDatabase) as error:
        reasons.append(error.message)
    except SchemaTooNew:
        reasons.append("the database has a later schema: upgrade this server")
    except PinciteError:
        reasons.append("the database does not answer")
    try:
        await resources.workspace.check_index()
    except PinciteError:
        reasons.append("the index does not answer")
    return tuple(reasons)


@get("/", include_in_schema=False)
async def welcome(state: State) -> Welcome:
    """Describe the server, for requests to its root address. Needs no key."""
    return Welcome("Pincite", VERSION, "/v1", "/openapi.json", PATH if state["page"] else None)


@get("/openapi.json", include_in_schema=False, media_type="application/json")
async def openapi(state: State) -> dict[str, Any]:
    """Return the description of this API in OpenAPI 3.1."""
    found: dict[str, Any] = state["description"]()
    return found


@get("/metrics", guards=[needs("admin")], media_type="text/plain")
async def metrics(state: State) -> Response[bytes]:
    """Return metrics for Prometheus: requests of this process, jobs and documents of the database.
    Requires a key with the scope `admin`."""
    told = state["metrics"]
    assert isinstance(told, Metrics)
    text = await told.text(resources_of(state).workspaces)
    return Response(text, media_type=CONTENT_TYPE_LATEST)


@get("/v1/me", guards=[needs("search", "write", "admin")])
async def me(request: HttpRequest) -> Me:
    """Return the key's user, their spaces, and what the key allows. A key for one space shows only
    this space."""
    async with session_of(request) as (may, session):
        user, found = await session.user(), await session.spaces()
    return Me(
        *(user.id, user.name, user.email),
        personal=user.personal if may.reaches(user.personal) else None,
        spaces=tuple(one for one in found if may.reaches(one.id)),
        scopes=may.scopes,
        space_id=may.space_id,
    )


@get("/v1/keys", guards=[needs("search", "write")])
async def keys(request: HttpRequest) -> tuple[ApiKey, ...]:
    """List the keys of the key's user, without their secrets. A key for one space lists only keys
    for that space."""
    async with session_of(request) as (may, session):
        found = await session.keys()
    return tuple(one for one in found if may.reaches(one.space_id))


@delete("/v1/keys/{key_id:str}", guards=[needs("write")])
async def revoke_key(request: HttpRequest, key_id: KeyId) -> None:
    """Revoke a key of the same user, from the next request on. A key for one space can revoke only
    keys for that space."""
    async with session_of(request) as (may, session):
        of_space = {one.id for one in await session.keys() if one.space_id == may.space_id}
        if may.space_id is not None and key_id not in of_space:
            raise missing("key", key_id)
        await session.revoke_key(key_id)


OPERATION = Router(
    "/", tags=["operation"], route_handlers=[welcome, healthz, readyz, openapi, metrics]
)
KEYS = Router("/", tags=["keys"], route_handlers=[me, keys, revoke_key])
