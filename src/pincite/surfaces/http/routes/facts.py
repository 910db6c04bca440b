"""Facts about the key's user: store, find, list and delete them. Answers with a model recall them.

A key of one space has separate facts, and sees no others of the same user.
"""

from __future__ import annotations

from typing import Annotated

from litestar import delete, get, post
from litestar.datastructures import State
from litestar.params import JSONBody, PathParameter

from pincite.model import Fact
from pincite.support.valid_text import valid_text
from pincite.surfaces.http.bodies import FactBody, FactPage, Forgotten, KeptFact, RecallBody
from pincite.surfaces.http.cursors import cursor_after, last_of
from pincite.surfaces.http.routes.documents import Cursor, Limit
from pincite.surfaces.http.serving import Asked, access, desk_of, needs
from pincite.workspace.checks import missing

FactId = Annotated[str, PathParameter(pattern="^[0-9a-f-]{1,64}$", description="The id of a fact.")]


@post("/v1/facts", guards=[needs("search")], operation_id="remember", tags=["facts"])
async def remember(request: Asked, state: State, data: JSONBody[FactBody]) -> tuple[KeptFact, ...]:
    """Keep a fact about the key's user, for all of their answers. A text that is known is not kept
    twice. Returns what is kept of it."""
    return _told(await desk_of(state).workspace.remember(access(request), data.text))


@post(
    "/v1/facts/recall",
    guards=[needs("search")],
    operation_id="recall",
    tags=["facts"],
    status_code=200,
)
async def recall(request: Asked, state: State, data: JSONBody[RecallBody]) -> tuple[KeptFact, ...]:
    """The facts that fit a question best, as answers get them, best first."""
    workspace = desk_of(state).workspace
    return _told(await workspace.recall(access(request), data.query, data.limit))


@get("/v1/facts", guards=[needs("search")], operation_id="facts", tags=["facts"])
async def facts(request: Asked, state: State, cursor: Cursor = "", limit: Limit = 50) -> FactPage:
    """All of them, the oldest first, page by page."""
    may = access(request)
    after = last_of(may.user_id, cursor)
    found = await desk_of(state).workspace.facts(may, after, limit + 1)
    page = found[:limit]
    more = cursor_after(may.user_id, page[-1].id) if len(found) > limit else None
    return FactPage(_told(page), more)


@delete(
    "/v1/facts/{fact_id:str}",
    guards=[needs("search")],
    operation_id="forget_fact",
    tags=["facts"],
)
async def forget_fact(request: Asked, state: State, fact_id: FactId) -> None:
    """Delete a fact."""
    if not await desk_of(state).workspace.forget_facts(access(request), fact_id):
        raise missing("fact", fact_id)


@delete(
    "/v1/facts",
    guards=[needs("search")],
    operation_id="forget_facts",
    tags=["facts"],
    status_code=200,
)
async def forget_facts(request: Asked, state: State) -> Forgotten:
    """Delete all facts about the key's user, or those of the key's one space."""
    return Forgotten(await desk_of(state).workspace.forget_facts(access(request)))


def _told(found: tuple[Fact, ...]) -> tuple[KeptFact, ...]:
    """Return them in a form that JSON allows: Python programs may store lone surrogates."""
    return tuple(KeptFact(one.id, valid_text(one.text), one.at, one.score) for one in found)


FACTS = (remember, recall, facts, forget_fact, forget_facts)
