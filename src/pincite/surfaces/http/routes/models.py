"""The models of searches, the reranker, and the tool description for language models."""

from __future__ import annotations

from litestar import get, post
from litestar.datastructures import State
from litestar.params import JSONBody

from pincite.surfaces.documents_tool import (
    DocumentsArguments,
    answer_documents,
    function_schema,
)
from pincite.surfaces.http.bodies import RerankBody, ToolAnswer, ToolFunction
from pincite.surfaces.http.serving import Asked, access, desk_of, needs
from pincite.workspace.models import Reranked, SearchedCollection


@get("/v1/collections", guards=[needs("search")], operation_id="collections", tags=["models"])
async def collections(request: Asked, state: State) -> tuple[SearchedCollection, ...]:
    """The collections that searches ask, one for each dense model."""
    return await desk_of(state).workspace.collections(access(request))


@post(
    "/v1/rerank",
    guards=[needs("search")],
    operation_id="rerank",
    tags=["models"],
    status_code=200,
)
async def rerank(request: Asked, state: State, data: JSONBody[RerankBody]) -> Reranked:
    """Texts in the body, best first, by the reranker of the server; 404 where it has none."""
    workspace = desk_of(state).workspace
    return await workspace.rerank(access(request), data.query, data.documents, data.top_n)


@get("/v1/tools", guards=[needs("search")], operation_id="tools", tags=["tools"])
async def tools() -> tuple[ToolFunction, ...]:
    """What a language model can be told of as functions. What it gives as arguments is sent to
    `/v1/tools/NAME`."""
    return (ToolFunction(**function_schema()),)


@post(
    "/v1/tools/search_documents",
    guards=[needs("search")],
    operation_id="search_documents",
    tags=["tools"],
    status_code=200,
)
async def search_documents(
    request: Asked, state: State, data: JSONBody[DocumentsArguments]
) -> ToolAnswer:
    """Passages of what the key may see, for the prompt of a model. Nothing that a model gives names
    a user or widens what the key opens."""
    workspace = desk_of(state).workspace
    return ToolAnswer(await answer_documents(workspace, access(request), data))


MODELS = (collections, rerank, tools, search_documents)
