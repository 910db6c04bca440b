"""The models of searches, the reranker, and the tool description for language models."""

from __future__ import annotations

from litestar import Router, get, post
from litestar.datastructures import State
from litestar.params import JSONBody

from pincite.surfaces.http.bodies import RerankBody, ToolAnswer, ToolFunction
from pincite.surfaces.http.callers import HttpRequest, access, needs
from pincite.surfaces.http.resources import resources_of
from pincite.surfaces.tools.documents_tool import (
    DocumentsArguments,
    answer_documents,
    function_schema,
)
from pincite.workspace.search_models import Reranked, SearchedCollection


@get("/v1/collections", guards=[needs("search")])
async def collections(request: HttpRequest, state: State) -> tuple[SearchedCollection, ...]:
    """List the collections of searches, one for each dense model."""
    return await resources_of(state).workspace.collections(access(request))


@post("/v1/rerank", guards=[needs("search")], status_code=200)
async def rerank(request: HttpRequest, state: State, data: JSONBody[RerankBody]) -> Reranked:
    """Rank texts for a question with the reranker of the server. Returns 404 if it has none."""
    workspace = resources_of(state).workspace
    return await workspace.rerank(access(request), data.query, data.documents, data.top_n)


@get("/v1/tools", guards=[needs("search")])
async def tools() -> tuple[ToolFunction, ...]:
    """List the tools for a language model. Send the arguments of a call to `/v1/tools/NAME`."""
    return (ToolFunction(**function_schema()),)


@post("/v1/tools/search_documents", guards=[needs("search")], status_code=200)
async def search_documents(
    request: HttpRequest, state: State, data: JSONBody[DocumentsArguments]
) -> ToolAnswer:
    """Search for a language model. Returns passages for its prompt. The arguments can only narrow
    the access of the key; none of them names a user."""
    workspace = resources_of(state).workspace
    return ToolAnswer(await answer_documents(workspace, access(request), data))


MODELS = Router("/", tags=["models"], route_handlers=[collections, rerank])
TOOLS = Router("/", tags=["tools"], route_handlers=[tools, search_documents])
