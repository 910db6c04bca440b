"""Conversations of the key's user: create, list, read and delete them. Answers continue them.

A key of one space has separate conversations, and sees no others of the same user.
"""

from __future__ import annotations

from typing import Annotated

from litestar import delete, get, post
from litestar.params import JSONBody, PathParameter, QueryParameter

from pincite.model import Turn
from pincite.support.valid_text import valid_text
from pincite.surfaces.http.bodies import (
    ID_FORM,
    ConversationBody,
    ConversationPage,
    TurnPage,
)
from pincite.surfaces.http.cursors import cursor_after, last_of
from pincite.surfaces.http.idempotency import IdempotencyKey, id_for, require_same
from pincite.surfaces.http.routes.documents import Cursor, Limit
from pincite.surfaces.http.serving import Asked, needs, session_of
from pincite.workspace import Conversation

ConversationId = Annotated[
    str, PathParameter(pattern=ID_FORM, description="The id of a conversation.")
]
After = Annotated[
    int, QueryParameter(ge=0, le=1_000_000, description="The number of the last turn known.")
]
Turns = Annotated[int, QueryParameter(ge=1, le=200, description="Maximum number of turns.")]


@post(
    "/v1/conversations",
    guards=[needs("search")],
    operation_id="begin_conversation",
    tags=["conversations"],
)
async def begin_conversation(
    request: Asked, data: JSONBody[ConversationBody], idempotency_key: IdempotencyKey = None
) -> Conversation:
    """A new conversation, of the key's user alone. Its id goes into requests for answers."""
    async with session_of(request) as (may, session):
        wanted = id_for(may, "conversation", idempotency_key)
        made = await session.begin_conversation(data.title, may.space_id, id_=wanted)
    require_same((data.title,), (made.title,))
    return _told(made)


@get(
    "/v1/conversations",
    guards=[needs("search")],
    operation_id="conversations",
    tags=["conversations"],
)
async def conversations(request: Asked, cursor: Cursor = "", limit: Limit = 50) -> ConversationPage:
    """Those with the latest turn first, page by page."""
    async with session_of(request) as (may, session):
        after = last_of(may.user_id, cursor)
        found = await session.conversations(may.space_id, after, limit)
    more = cursor_after(may.user_id, found[-1].id) if len(found) == limit else None
    return ConversationPage(tuple(map(_told, found)), more)


@get(
    "/v1/conversations/{conversation_id:str}",
    guards=[needs("search")],
    operation_id="conversation",
    tags=["conversations"],
)
async def conversation(request: Asked, conversation_id: ConversationId) -> Conversation:
    """One conversation, without what was said."""
    async with session_of(request) as (may, session):
        return _told(await session.conversation(conversation_id, may.space_id))


@get(
    "/v1/conversations/{conversation_id:str}/turns",
    guards=[needs("search")],
    operation_id="turns",
    tags=["conversations"],
)
async def turns(
    request: Asked, conversation_id: ConversationId, after: After = 0, limit: Turns = 50
) -> TurnPage:
    """What was said, oldest first, behind turn number `after`; `next` is the `after` of the
    following page."""
    async with session_of(request) as (may, session):
        found = await session.turns(conversation_id, may.space_id, after, limit)
    said = tuple(map(_said, found))
    return TurnPage(said, said[-1].number if len(said) == limit else None)


@delete(
    "/v1/conversations/{conversation_id:str}",
    guards=[needs("search")],
    operation_id="delete_conversation",
    tags=["conversations"],
)
async def delete_conversation(request: Asked, conversation_id: ConversationId) -> None:
    """Delete a conversation with all that was said."""
    async with session_of(request) as (may, session):
        await session.delete_conversation(conversation_id, may.space_id)


def _told(one: Conversation) -> Conversation:
    """Return it in a form that JSON allows: Python programs may store lone surrogates, which have
    no UTF-8 form."""
    return Conversation(
        *(one.id, valid_text(one.title), one.created, one.updated, one.space_id, one.turns)
    )


def _said(one: Turn) -> Turn:
    return Turn(one.role, valid_text(one.text), valid_text(one.at), one.number, one.citations)


CONVERSATIONS = (begin_conversation, conversations, conversation, turns, delete_conversation)
