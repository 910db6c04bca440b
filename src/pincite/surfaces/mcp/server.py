"""The MCP server around the tools, the same for clients of all protocol versions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    ToolAnnotations,
)
from mcp.types import Tool as Listed

from pincite.engine import AsyncPincite
from pincite.errors import PinciteError
from pincite.model import Attributes
from pincite.ports.tracing import span, traceparent
from pincite.surfaces.mcp.greeting import DESCRIPTION, NAME, TITLE, instructions_of
from pincite.surfaces.mcp.tool_types import Tool
from pincite.surfaces.tools.arguments import listed_schema, take_arguments
from pincite.surfaces.tools.hints import error_text
from pincite.surfaces.tools.required_tags import needed_tags, needs
from pincite.version import VERSION

_GREETINGS = ("initialize", "server/discover")
_PARENT_CHARS = 512  # a `traceparent` has 55 characters; later versions may be longer
_Context = ServerRequestContext[Any, Any]


def make_server(
    engine: AsyncPincite, tools: Sequence[Tool[Any]], tags: Attributes = MappingProxyType({})
) -> Server[Any]:
    """Return a server of these tools, which are bound to the `tags`. It describes the current index
    to each client that connects."""
    by_name = {tool.name: tool for tool in tools}

    async def list_tools(_: _Context, __: PaginatedRequestParams | None) -> ListToolsResult:
        needed = await needed_tags(engine, tags)
        return ListToolsResult(tools=[listed(tool, needed, bound=bool(tags)) for tool in tools])

    async def call_tool(_: _Context, params: CallToolRequestParams) -> CallToolResult:
        tool = by_name.get(params.name)
        if tool is None:
            names = ", ".join(by_name)
            raise MCPError(
                INVALID_PARAMS, f"no tool is named {params.name!r}; known tools: {names}"
            )
        parent = (params.meta or {}).get("traceparent")
        return await _watched(
            tool, params.arguments or {}, parent if isinstance(parent, str) else ""
        )

    async def greet(ctx: _Context, call_next: CallNext) -> HandlerResult:
        result = await call_next(ctx)
        if ctx.method in _GREETINGS and isinstance(result, dict):
            return {**result, "instructions": await instructions_of(engine, tags)}
        return result

    server: Server[Any] = Server(
        NAME,
        version=VERSION,
        title=TITLE,
        description=DESCRIPTION,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    server.middleware.append(greet)
    return server


def listed(tool: Tool[Any], needed: Sequence[str], *, bound: bool) -> Listed:
    """Return the description of a tool for clients. It names the `needed` tags. If none are needed,
    the argument `tags` is left out if tags are bound, or if clients of the tool support only one
    argument."""
    schema, said = listed_schema(tool.takes), tool.description
    if "tags" in schema["properties"]:
        if needed:
            said += needs(needed)
        elif bound or tool.plain:
            del schema["properties"]["tags"]
    return Listed(
        name=tool.name,
        title=tool.title,
        description=said,
        input_schema=schema,
        output_schema=None if tool.gives is None else dict(tool.gives),
        annotations=ToolAnnotations(
            title=tool.title,
            read_only_hint=not tool.updates,
            destructive_hint=tool.updates,  # it also removes the entries of deleted files
            idempotent_hint=True,
            open_world_hint=tool.open_world,
        ),
    )


async def _watched(tool: Tool[Any], given: dict[str, Any], parent: str) -> CallToolResult:
    """Run `call` in a span, below the client's span if `parent` names one. If the library already
    has a span, because the host program has a tracer provider, no second one is made. The span can
    contain the name of the tool, because it is one of our constants."""
    if traceparent():
        return await call(tool, given)
    attributes = {
        "mcp.method.name": "tools/call",
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": tool.name,
    }
    with span(f"tools/call {tool.name}", attributes, "server", parent[:_PARENT_CHARS]) as seen:
        found = await call(tool, given)
        if found.is_error:
            seen.fail("tool_error")
        return found


async def call(tool: Tool[Any], given: dict[str, Any]) -> CallToolResult:
    """Return the result of a call for a client. An error is returned as text for its model."""
    try:
        answer = await tool.run(take_arguments(tool.name, given, tool.takes, text_as_list=True))
    except PinciteError as error:
        said = TextContent(type="text", text=f"error: {error_text(error)}")
        return CallToolResult(content=[said], is_error=True)
    structure = None if answer.structure is None else dict(answer.structure)
    text = answer.text or json.dumps(structure, ensure_ascii=False)
    return CallToolResult(
        content=[TextContent(type="text", text=text)],
        structured_content=structure,
        _meta=dict(answer.meta) or None,
    )
