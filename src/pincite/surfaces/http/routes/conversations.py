"""Conversations of the key's user: create, list, read and delete them. Answers continue them.

A key of one space has separate conversations, and sees no others of the same user.
"""

from __future__ import annotations

from typing import Annotated

from litestar import Router, delete, get, post
from litestar.params import JSONBody, PathParameter, QueryParameter

from pincite.model import Turn
from pincite.support.fields import replace
from pincite.support.valid_text import valid_text
from pincite.surfaces.http.bodies import (
    ID_FORM,
    ConversationBody,
    ConversationPage,
    TurnPage,
)
from pincite.surfaces.http.callers import HttpRequest, needs, session_of
from pincite.surfaces.http.cursors import last_of, page_of
from pincite.surfaces.http.idempotency import IdempotencyKey, id_for, require_same
from pincite.surfaces.http.routes.documents import Cursor, Limit
from pincite.workspace import Conversation

ConversationId = Annotated[
    str, PathParameter(pattern=ID_FORM, description="The id of a conversation.")
]
After = Annotated[
    int,
    QueryParameter(ge=0, le=1_000_000, description="The number of the last turn that you have."),
]
Turns = Annotated[int, QueryParameter(ge=1, le=200, description="Maximum number of turns.")]


@post("/v1/conversations", guards=[needs("search")])
async def begin_conversation(
    request: HttpRequest, data: JSONBody[ConversationBody], idempotency_key: IdempotencyKey = None
) -> Conversation:
    """Start a conversation. Only the key's user can read it. Requests for answers take its id."""
    async with session_of(request) as (may, session):
        wanted = id_for(may, "conversation", idempotency_key)
        made = await session.begin_conversation(data.title, may.space_id, id_=wanted)
    require_same((data.title,), (made.title,))
    return _told(made)


@get("/v1/conversations", guards=[needs("search")])
async def conversations(
    request: HttpRequest, cursor: Cursor = "", limit: Limit = 50
) -> ConversationPage:
    """List conversations by their latest turn, newest first, in pages."""
    async with session_of(request) as (may, session):
        after = last_of(may.user_id, cursor)
        found = await session.conversations(may.space_id, after, limit + 1)
    page, more = page_of(may.user_id, found, limit)
    return ConversationPage(tuple(map(_told, page)), more)


@get("/v1/conversations/{conversation_id:str}", guards=[needs("search")])
async def conversation(request: HttpRequest, conversation_id: ConversationId) -> Conversation:
    """Return one conversation, without its turns."""
    async with session_of(request) as (may, session):
        return _told(await session.conversation(conversation_id, may.space_id))


@get("/v1/conversations/{conversation_id:str}/turns", guards=[needs("search")])
async def turns(
    request: HttpRequest, conversation_id: ConversationId, after: After = 0, limit: Turns = 50
) -> TurnPage:
    """List the turns after turn number `after`, oldest first. `next` is the `after` of the next
    page."""
    async with session_of(request) as (may, session):
        found = await session.turns(conversation_id, may.space_id, after, limit + 1)
    page = tuple(map(_said, found[:limit]))
    return TurnPage(page, page[-1].number if len(found) > limit else None)


@delete("/v1/conversations/{conversation_id:str}", guards=[needs("search")])
async def delete_conversation(request: HttpRequest, conversation_id: ConversationId) -> None:
    """Delete a conversation and its turns."""
    async with session_of(request) as (may, session):
        await session.delete_conversation(conversation_id, may.space_id)


def _told(one: Conversation) -> Conversation:
    """Return it in a form that JSON allows: Python programs may store lone surrogates, which have
    no UTF-8 form."""
    return Conversation(
        *(one.id, valid_text(one.title), one.created, one.updated, one.space_id, one.turns)
    )


def _said(one: Turn) -> Turn:
    return replace(one, text=valid_text(one.text), at=valid_text(one.at))


CONVERSATIONS = Router(
    "/",
    tags=["conversations"],
    route_handlers=[begin_conversation, conversations, conversation, turns, delete_conversation],
)
