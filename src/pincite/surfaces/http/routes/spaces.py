"""Spaces, their members, and feeds."""

from __future__ import annotations

from typing import Annotated

from litestar import Router, delete, get, patch, post, put
from litestar.params import JSONBody, PathParameter, QueryParameter

from pincite.errors import NotFound
from pincite.surfaces.http.bodies import ID_FORM, FeedBody, FeedChange, NameBody, RoleBody
from pincite.surfaces.http.callers import EMPTY, HttpRequest, needs, session_of
from pincite.surfaces.http.idempotency import IdempotencyKey, id_for, require_same
from pincite.workspace import Access, Feed, Membership, Space
from pincite.workspace.checks import missing
from pincite.workspace.ports import Session

SpaceId = Annotated[str, PathParameter(pattern=ID_FORM, description="The id of a space.")]
SpaceWanted = Annotated[str | None, QueryParameter(pattern=ID_FORM, description="Only this space.")]
UserId = Annotated[str, PathParameter(pattern=ID_FORM, description="The id of a user.")]
FeedId = Annotated[str, PathParameter(pattern=ID_FORM, description="The id of a feed.")]


def within(access_: Access, space_id: str) -> str:
    """Return the space if the key covers it. Raises NotFound."""
    if not access_.reaches(space_id):
        raise missing("space", space_id)
    return space_id


def require_within(access_: Access, space_id: str, what: str, id_: str) -> None:
    """Raise NotFound for an object of a space that the key does not cover. The message is that of
    an unknown id: it reveals neither the space nor the object."""
    if not access_.reaches(space_id):
        raise missing(what, id_)


@get("/v1/spaces", guards=[needs("search", "write")])
async def spaces(request: HttpRequest) -> tuple[Space, ...]:
    """List the spaces of the key's user."""
    async with session_of(request) as (may, session):
        found = await session.spaces()
    return tuple(one for one in found if may.reaches(one.id))


@post("/v1/spaces", guards=[needs("write")])
async def add_space(
    request: HttpRequest, data: JSONBody[NameBody], idempotency_key: IdempotencyKey = None
) -> Space:
    """Create a space. The key's user is its owner."""
    async with session_of(request) as (may, session):
        if may.space_id is not None:
            raise NotFound("a key for one space cannot create another space")
        wanted = id_for(may, "space", idempotency_key)
        made = await session.add_space(data.name, id_=wanted)
    require_same((data.name,), (made.name,))
    return made


@get("/v1/spaces/{space_id:str}", guards=[needs("search", "write")])
async def space(request: HttpRequest, space_id: SpaceId) -> Space:
    """Return one space."""
    async with session_of(request) as (may, session):
        return await session.space(within(may, space_id))


@patch("/v1/spaces/{space_id:str}", guards=[needs("write")])
async def rename_space(request: HttpRequest, space_id: SpaceId, data: JSONBody[NameBody]) -> Space:
    """Rename a space. Requires the role of an owner."""
    async with session_of(request) as (may, session):
        return await session.rename_space(within(may, space_id), data.name)


@delete("/v1/spaces/{space_id:str}", guards=[needs("write")], status_code=202, media_type=EMPTY)
async def delete_space(request: HttpRequest, space_id: SpaceId) -> None:
    """Delete a space and its documents. All are invisible at once. Requires the role of an
    owner."""
    async with session_of(request) as (may, session):
        await session.delete_space(within(may, space_id))


@get("/v1/spaces/{space_id:str}/members", guards=[needs("search", "write")])
async def members(request: HttpRequest, space_id: SpaceId) -> tuple[Membership, ...]:
    """List the members of a space with their roles."""
    async with session_of(request) as (may, session):
        return await session.members(within(may, space_id))


@put("/v1/spaces/{space_id:str}/members/{user_id:str}", guards=[needs("write")])
async def set_member(
    request: HttpRequest, space_id: SpaceId, user_id: UserId, data: JSONBody[RoleBody]
) -> Membership:
    """Add a user to a space, or change their role. Requires the role of an owner."""
    async with session_of(request) as (may, session):
        return await session.set_member(within(may, space_id), user_id, data.role)


@delete("/v1/spaces/{space_id:str}/members/{user_id:str}", guards=[needs("write")])
async def remove_member(request: HttpRequest, space_id: SpaceId, user_id: UserId) -> None:
    """Remove a user from a space, from the next request on. Owners can remove anyone, and each user
    themselves."""
    async with session_of(request) as (may, session):
        await session.remove_member(within(may, space_id), user_id)


@get("/v1/feeds", guards=[needs("search", "write")])
async def feeds(request: HttpRequest, space_id: SpaceWanted = None) -> tuple[Feed, ...]:
    """List the feeds of a space, or of all spaces of the key's user."""
    async with session_of(request) as (may, session):
        return await session.feeds(may.space_id if space_id is None else within(may, space_id))


@post("/v1/feeds", guards=[needs("write")])
async def add_feed(
    request: HttpRequest, data: JSONBody[FeedBody], idempotency_key: IdempotencyKey = None
) -> Feed:
    """Create an empty feed. Requires the role of an editor of the space."""
    async with session_of(request) as (may, session):
        target, wanted = within(may, data.space_id), id_for(may, "feed", idempotency_key)
        made = await session.add_feed(target, data.name, id_=wanted)
    require_same((target, data.name), (made.space_id, made.name))
    return made


@get("/v1/feeds/{feed_id:str}", guards=[needs("search", "write")])
async def feed(request: HttpRequest, feed_id: FeedId) -> Feed:
    """Return one feed."""
    async with session_of(request) as (may, session):
        return await _feed(may, session, feed_id)


@patch("/v1/feeds/{feed_id:str}/documents", guards=[needs("write")])
async def change_feed(request: HttpRequest, feed_id: FeedId, data: JSONBody[FeedChange]) -> Feed:
    """Add documents to a feed and remove others, in one transaction. The next search uses the new
    set. Requires the role of an editor of the space."""
    async with session_of(request) as (may, session):
        await _feed(may, session, feed_id)
        if data.add:
            await session.add_to_feed(feed_id, data.add)
        if data.remove:
            await session.remove_from_feed(feed_id, data.remove)
        return await session.feed(feed_id)


@delete("/v1/feeds/{feed_id:str}", guards=[needs("write")])
async def delete_feed(request: HttpRequest, feed_id: FeedId) -> None:
    """Delete a feed, but not its documents."""
    async with session_of(request) as (may, session):
        await _feed(may, session, feed_id)
        await session.delete_feed(feed_id)


async def _feed(may: Access, session: Session, feed_id: str) -> Feed:
    found = await session.feed(feed_id)
    require_within(may, found.space_id, "feed", feed_id)
    return found


SPACES = Router(
    "/",
    tags=["spaces"],
    route_handlers=[
        *(spaces, add_space, space, rename_space, delete_space),
        *(members, set_member, remove_member),
    ],
)
FEEDS = Router(
    "/", tags=["feeds"], route_handlers=[feeds, add_feed, feed, change_feed, delete_feed]
)
