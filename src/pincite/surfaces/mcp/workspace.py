"""A workspace over MCP: one tool, bound to an access when the server is created."""

from __future__ import annotations

from functools import partial
from typing import Any

from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
)

from pincite.surfaces.mcp.server import call, listed
from pincite.surfaces.mcp.tool_types import Tool, ToolResult
from pincite.surfaces.tools.documents_tool import (
    DESCRIPTION,
    NAME,
    TITLE,
    DocumentsArguments,
    answer_documents,
)
from pincite.version import VERSION
from pincite.workspace.model import Access
from pincite.workspace.workspace import Workspace

_Context = ServerRequestContext[Any, Any]


def make_workspace_server(workspace: Workspace, access: Access) -> Server[Any]:
    """Return a server with the tool `search_documents` for one access. Its clients and their models
    see only documents that the access may read; no argument names a user."""
    tool = Tool(
        NAME, TITLE, DESCRIPTION, DocumentsArguments, None, partial(_run, workspace, access)
    )

    async def list_tools(_: _Context, __: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=[listed(tool, (), bound=True)])

    async def call_tool(_: _Context, params: CallToolRequestParams) -> CallToolResult:
        if params.name != NAME:
            raise MCPError(INVALID_PARAMS, f"no tool is named {params.name!r}; known tools: {NAME}")
        return await call(tool, params.arguments or {})

    return Server(
        "pincite-workspace",
        version=VERSION,
        title="Documents",
        description="Searches the documents of one user.",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


async def _run(workspace: Workspace, access: Access, asked: DocumentsArguments) -> ToolResult:
    return ToolResult(await answer_documents(workspace, access, asked))
