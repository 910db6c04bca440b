"""Facts about the key's user: store, find, list and delete them. Answers with a model recall them.

A key of one space has separate facts, and sees no others of the same user.
"""

from __future__ import annotations

from typing import Annotated

from litestar import Router, delete, get, post
from litestar.datastructures import State
from litestar.params import JSONBody, PathParameter

from pincite.model import Fact
from pincite.support.valid_text import valid_text
from pincite.surfaces.http.bodies import FactBody, FactPage, Forgotten, KeptFact, RecallBody
from pincite.surfaces.http.callers import HttpRequest, access, needs
from pincite.surfaces.http.cursors import last_of, page_of
from pincite.surfaces.http.resources import resources_of
from pincite.surfaces.http.routes.documents import Cursor, Limit
from pincite.workspace.checks import missing

FactId = Annotated[str, PathParameter(pattern="^[0-9a-f-]{1,64}$", description="The id of a fact.")]


@post("/v1/facts", guards=[needs("search")])
async def remember(
    request: HttpRequest, state: State, data: JSONBody[FactBody]
) -> tuple[KeptFact, ...]:
    """Store a fact about the key's user, for all of their answers. A text that is already stored is
    not stored again. Returns the stored facts."""
    return _told(await resources_of(state).workspace.remember(access(request), data.text))


@post("/v1/facts/recall", guards=[needs("search")], status_code=200)
async def recall(
    request: HttpRequest, state: State, data: JSONBody[RecallBody]
) -> tuple[KeptFact, ...]:
    """Return the facts that match a question best, best first. Answers use the same facts."""
    workspace = resources_of(state).workspace
    return _told(await workspace.recall(access(request), data.query, data.limit))


@get("/v1/facts", guards=[needs("search")])
async def facts(
    request: HttpRequest, state: State, cursor: Cursor = "", limit: Limit = 50
) -> FactPage:
    """List all facts, oldest first, in pages."""
    may = access(request)
    after = last_of(may.user_id, cursor)
    found = await resources_of(state).workspace.facts(may, after, limit + 1)
    page, more = page_of(may.user_id, found, limit)
    return FactPage(_told(page), more)


@delete("/v1/facts/{fact_id:str}", guards=[needs("search")])
async def forget_fact(request: HttpRequest, state: State, fact_id: FactId) -> None:
    """Delete a fact."""
    if not await resources_of(state).workspace.forget_facts(access(request), fact_id):
        raise missing("fact", fact_id)


@delete("/v1/facts", guards=[needs("search")], status_code=200)
async def forget_facts(request: HttpRequest, state: State) -> Forgotten:
    """Delete all facts about the key's user, or those of the key's one space."""
    return Forgotten(await resources_of(state).workspace.forget_facts(access(request)))


def _told(found: tuple[Fact, ...]) -> tuple[KeptFact, ...]:
    """Return them in a form that JSON allows: Python programs may store lone surrogates."""
    return tuple(KeptFact(one.id, valid_text(one.text), one.at, one.score) for one in found)


FACTS = Router(
    "/", tags=["facts"], route_handlers=[remember, recall, facts, forget_fact, forget_facts]
)
